/**
 * Tasks: work that participants report in a session. Every change is a decision on the session's state, checked and charged like a
 * post. This room also holds delegation, from the request (delegate.ts) to the settlement (delegations.ts). Start reading at `start`.
 */

import { rateLimitedError, sendDeniedError } from '../../core/decisions/admit.ts';
import { type Decision, refuse } from '../../core/decisions/decision.ts';
import {
  cancelTask,
  checkpointTask,
  endTask,
  type NewTask,
  type Outcome,
  type OwnEnd,
  progressTask,
  resumeTask,
  startTask,
  type TaskAnswer,
} from '../../core/decisions/task-decisions.ts';
import { WireError } from '../../core/lib/errors.ts';
import { canonicalJson, copyJsonObject, type JsonObject } from '../../core/lib/json.ts';
import { durationMs } from '../../core/lib/time.ts';
import type { Params, Result } from '../../core/protocol/operations/operations.ts';
import type { StartTaskParams, TaskRef } from '../../core/protocol/operations/tasks.ts';
import { taskTtlMs } from '../../core/records/access/rule-schema.ts';
import { type Draft, PLAIN } from '../../core/records/session/envelope.ts';
import type { KeyRecord } from '../../core/records/session/keys.ts';
import type { Task } from '../../core/records/work/tasks.ts';
import type { SessionState } from '../../core/state/state.ts';
import type { ArbiterVerdicts } from '../access/access.ts';
import type { RateCharge } from '../access/rates.ts';
import { type Binding, notBoundError } from '../bindings/binding.ts';
import { type KeyedLocks, runExclusive } from '../lib/keyed-lock.ts';
import type { Ground } from '../log/ground.ts';
import { iterateLiveSessions, readEntry } from '../log/read-pages.ts';
import type { Posting } from '../posting/post.ts';
import type { SharedRooms } from '../posting/shared-rooms.ts';
import { type LiveSession, unavailableSessionError } from '../sessions/live-session.ts';
import { TaskReader } from './read-tasks.ts';

type TasksNeeds = Ground &
  Pick<SharedRooms, 'registry' | 'sessions' | 'redactions' | 'bindings' | 'access' | 'rates'> & {
    readonly posting: Posting;
  };

/** A request before it is decided. */
interface TaskAsk {
  readonly session_id: string;
  readonly event_type: string;
  readonly idempotency_key?: string | null;
}

type Decide<T> = (state: SessionState, session: LiveSession, repeat: KeyRecord | undefined) => Decision<T>;

interface EndDetails {
  readonly reason?: string;
  readonly result?: JsonObject | undefined;
}

const EVENT_TYPES: Readonly<Record<OwnEnd, string>> = {
  done: 'task.completed',
  failed: 'task.failed',
  cancelled: 'task.cancelled',
};

export class Tasks {
  readonly reader: TaskReader;
  private readonly needs: TasksNeeds;
  /** Task starts in progress, by agent with a limit. */
  private readonly starting: KeyedLocks = new Map();

  constructor(needs: TasksNeeds) {
    this.needs = needs;
    this.reader = new TaskReader(needs);
  }

  start(by: Binding, params: StartTaskParams): Promise<TaskAnswer> {
    const { maxTasks } = this.needs.limits;
    const task = this.newTask(by, params);
    const ask = { ...task, session_id: params.session_id, event_type: 'task.started' };
    return this.withQuota(by, (full) =>
      this.decide(by, ask, (state, session, repeat) => {
        const decision = startTask(state, by.agentId, task, { repeat, maxTasks, full });
        // Without the adapter open tasks can end, but no new one can start.
        const isUnavailable = session.adapter === null && decision.kind === 'append';
        return isUnavailable ? refuse(unavailableSessionError(session.sessionId, session.unavailable)) : decision;
      }),
    );
  }

  progress(by: Binding, { session_id, task_id, ...report }: Params<'progress_task'>): Promise<Result<'progress_task'>> {
    return this.decide(by, { session_id, event_type: 'task.progress' }, (state) =>
      progressTask(state, by.agentId, task_id, report, this.needs.clock.now()),
    );
  }

  checkpoint(by: Binding, { session_id, task_id, data }: Params<'checkpoint_task'>): Promise<TaskAnswer> {
    const kept = this.within(data, 'params.data');
    return this.decide(by, { session_id, event_type: 'task.checkpoint' }, (state) =>
      checkpointTask(state, by.agentId, task_id, kept),
    );
  }

  async resume(by: Binding, { session_id, task_id }: TaskRef): Promise<Result<'resume_task'>> {
    const answer = await this.decide(by, { session_id, event_type: 'task.resumed' }, (state) =>
      resumeTask(state, by.agentId, task_id),
    );
    return { ...answer, checkpoint: await this.reader.dataAt(session_id, answer.task.checkpoint, 'data') };
  }

  async end(by: Binding, ref: TaskRef, how: OwnEnd, { reason, result }: EndDetails): Promise<TaskAnswer> {
    const { session_id, task_id } = ref;
    const outcome = { reason, result: result === undefined ? undefined : this.within(result, 'params.result') };
    const answer = await this.decide(by, { session_id, event_type: EVENT_TYPES[how] }, (state) =>
      endTask(state, by.agentId, task_id, how, outcome),
    );
    if (answer.duplicate === true) await this.checkSameEnd(answer.task, outcome);
    return answer;
  }

  cancel(by: Binding, { session_id, task_id, reason }: Params<'cancel_task'>): Promise<Result<'cancel_task'>> {
    return this.decide(by, { session_id, event_type: 'task.cancelled' }, (state) =>
      cancelTask(state, by.agentId, task_id, reason),
    );
  }

  private decide<T>(by: Binding, ask: TaskAsk, decide: Decide<T>): Promise<T> {
    const { backlog, bindings, posting, rates } = this.needs;
    const { session_id, event_type, idempotency_key = null } = ask;
    backlog.check();
    const from = { session_id, sender_id: by.agentId, audience: null, event_type, event_data: {} };
    const draft = { ...PLAIN, ...from, idempotency_key };
    const toll: RateCharge = { paid: false };
    return posting.whenReady(by, draft, (session, verdicts) =>
      session.decideKeyed(draft, (state, earlier) => {
        if (!bindings.mayAct(by)) return refuse(notBoundError(by.name));
        const repeat = session.accepted(by.agentId, idempotency_key) ?? earlier;
        const decision = decide(state, session, repeat);
        const refusal =
          decision.kind === 'append' ? this.refusal(decision.drafts[0] ?? draft, state, verdicts, toll) : null;
        return refusal === null ? rates.charged(decision, by.agentId, toll) : refuse(refusal);
      }),
    );
  }

  /** Why the envelope may not be appended, or null. A full inbox does not block tasks. */
  private refusal(
    draft: Draft,
    { metadata }: SessionState,
    verdicts: ArbiterVerdicts,
    toll: RateCharge,
  ): WireError | null {
    const { access, rates } = this.needs;
    const denied = access.denied(draft, metadata, verdicts);
    if (denied !== null) return sendDeniedError(denied);
    const retryAfterMs = rates.retryAfterMs(draft.sender_id, toll);
    return retryAfterMs === 0 ? null : rateLimitedError(retryAfterMs);
  }

  /** Runs `then` with the quota error or null. Starts of an owner with a limit run one after another: tasks count once durable. */
  private withQuota<T>({ agentId, name }: Binding, then: (full: WireError | null) => Promise<T>): Promise<T> {
    const mostOf = (): number | null => this.needs.registry.ruleOf(agentId).limits.max_concurrent_tasks;
    if (mostOf() === null) return then(null);
    return runExclusive(this.starting, new Set([agentId]), async () => {
      const most = mostOf();
      return then(most !== null && (await this.hasAsMany(agentId, most)) ? tooMany(name, most) : null);
    });
  }

  /** True if the agent has at least `most` open tasks over all its live sessions. */
  private async hasAsMany(agentId: string, most: number): Promise<boolean> {
    let live = 0;
    if (most === 0) return true;
    for await (const { head } of iterateLiveSessions(this.needs.store, agentId)) {
      live += head.tasks?.[agentId] ?? 0;
      if (live >= most) return true;
    }
    return false;
  }

  private newTask({ agentId }: Binding, params: StartTaskParams): NewTask {
    const { ids, registry } = this.needs;
    const { title, capability = null, requester, ttl, idempotency_key = null } = params;
    const ttlMs = ttl === undefined ? taskTtlMs(registry.ruleOf(agentId)) : durationMs(ttl, 'params.ttl');
    const ttlGiven = ttl !== undefined;
    // Round up: the ttl includes its last millisecond.
    return { task_id: ids.hex32(), title, capability, requester, ttl_ms: Math.ceil(ttlMs), ttlGiven, idempotency_key };
  }

  /** Copies data within the limits. Called before other checks, so that every caller gets the same error. */
  private within(data: JsonObject, field: string): JsonObject {
    const { maxJsonDepth, maxEventBytes } = this.needs.limits;
    return copyJsonObject(data, field, { maxDepth: maxJsonDepth, maxBytes: maxEventBytes });
  }

  /** Rejects a repeated end with a different reason or result, instead of dropping it silently. */
  private async checkSameEnd(task: Task, { reason, result }: Outcome): Promise<void> {
    const { task_id, state, ended_seq } = task;
    const sameResult = await this.isSameResult(task, result ?? null);
    if (task.reason === (reason ?? null) && sameResult) return;
    const wrong = sameResult ? 'reason' : 'result';
    const message = `task ${task_id} is ${state} since seq ${ended_seq}, with another ${wrong}; an ended task cannot change`;
    throw new WireError('conflict', message, { task_id, state, ended_seq, field: `params.${wrong}` });
  }

  /** A redacted result counts as the same, so that a caller cannot probe its content. */
  private async isSameResult({ session_id, result }: Task, given: JsonObject | null): Promise<boolean> {
    if (result === null) return given === null;
    const { event_data, redacted } = (await readEntry(this.needs.store, session_id, result.seq)).envelope;
    return redacted !== undefined || canonicalJson(event_data.result ?? null) === canonicalJson(given);
  }
}

function tooMany(name: string, most: number): WireError {
  const message = `cannot start the task: ${name} already has ${most} open tasks (limits.max_concurrent_tasks)`;
  return new WireError('forbidden', message, { most });
}

/** One handler per operation of the table. Parameters are parsed; who may is decided here and in the core. */

import { noSuchSession } from '../core/decisions/admit.ts';
import { closeSession } from '../core/decisions/end-session.ts';
import { toWireError, WireError } from '../core/lib/errors.ts';
import { changedAt } from '../core/state/fold-head.ts';
import { ackInvite, leaveSession, rejectInvite, removeParticipant } from '../core/decisions/membership.ts';
import { type Health, OPERATIONS, type OperationName, type Result, type SessionSummary } from '../core/operations.ts';
import { reportProgress, reportTurnFailure } from '../core/decisions/progress.ts';
import { isTerminal, participantOf } from '../core/records/session/session.ts';
import type { SessionState } from '../core/state/state.ts';
import type { StoredHead } from '../core/ports/store.ts';
import { isoFromMs } from '../core/time.ts';
import { addOne } from './add-participant.ts';
import { boundCaller, type Caller } from './caller.ts';
import { emptyDraft, judgeSend } from './can-send.ts';
import { consoleOperations } from './console-operations.ts';
import { countWithin, PAGE } from './lib/fit-page.ts';
import { createSession } from './create-session.ts';
import { decideAs } from './decide-as.ts';
import { delegate } from './delegate.ts';
import type { Handler } from './handler.ts';
import { credentialIn, enrolRefusal, noLongerHolds, stillHolds } from './registry/handshake.ts';
import { identityOperations } from './identity-operations.ts';
import { observeOperations } from './observe-operations.ts';
import { observes } from './observes.ts';
import { operatorOperations } from './operator-operations.ts';
import type { HubParts } from './parts.ts';
import { post } from './post.ts';
import { publicStateOf } from './public-state.ts';
import { readLog } from './reading/log/read-log.ts';
import { liveSessionsOf } from './log/read-pages.ts';
import { readView } from './reading/views/read-view.ts';
import { redact } from './redact.ts';
import { ruleOperations } from './rule-operations.ts';
import { scheduleOperations } from './schedule-operations.ts';
import { searchSessions } from './reading/log/search-sessions.ts';
import { sessionsToLeave } from './sessions-to-leave.ts';
import { taskOperations } from './task-operations.ts';
import { tokenOperations } from './token-operations.ts';
import { tracedPost } from './traced-post.ts';
import { turnToolsOf } from './turn-tools.ts';

type PendingTurn = Result<'pending_turns'>['turns'][number];

const handlers: { readonly [Name in OperationName]: Handler<Name> } = {
  async register(parts, caller, params) {
    const { binding, proof } = caller;
    const checkHolds = (): void => {
      if (!stillHolds(parts, proof)) throw noLongerHolds(params.name);
    };
    checkHolds();
    const isEnroller = binding !== null && parts.registry.holds(binding.agentId, 'enrol');
    const refusal = enrolRefusal(proof, params.name, isEnroller);
    if (refusal !== null) throw refusal;
    parts.backlog.check();
    const denial = parts.arbiter.denial('authorizeRegister', { claim: params });
    const denied = denial instanceof Promise ? await denial : denial;
    if (denied !== null) throw new WireError('forbidden', `"${params.name}" cannot be registered: ${denied}`);
    checkHolds();
    const passport = await parts.registry.register(params, credentialIn(proof)?.id ?? null);
    // It may have been taken back while this was written: the name is registered, and nobody speaks for it.
    checkHolds();
    caller.bind(passport);
    return passport;
  },

  async unregister(parts, caller, params) {
    const { agentId, name } = boundCaller(caller);
    if (params.name !== undefined && params.name !== name) {
      throw new WireError('forbidden', `you are "${name}" and may not unregister "${params.name}"`);
    }
    parts.backlog.check();
    parts.registry.beginLeaving(agentId);
    try {
      await leaveEverything(parts, agentId);
      await parts.registry.retire(agentId);
    } catch (thrown) {
      parts.registry.cancelLeaving(agentId);
      throw thrown;
    }
    parts.bindings.unbindAgent(agentId, 'unregistered');
    return { agent_id: agentId };
  },

  ...identityOperations,
  ...ruleOperations,
  ...operatorOperations,
  ...observeOperations,
  ...consoleOperations,
  redact,
  ...tokenOperations,
  ...taskOperations,
  ...scheduleOperations,

  create_session: (parts, caller, params) => createSession(parts, boundCaller(caller), params),

  delegate: (parts, caller, params) => delegate(parts, boundCaller(caller), params),

  ack_invite(parts, caller, { session_id }) {
    return decideAs(parts, caller, session_id, (state, agentId) => ackInvite(state, agentId));
  },

  reject_invite(parts, caller, { session_id, reason = 'declined' }) {
    return decideAs(parts, caller, session_id, (state, agentId) => rejectInvite(state, agentId, reason));
  },

  add_participant: addOne,

  leave_session(parts, caller, { session_id }) {
    return decideAs(parts, caller, session_id, (state, agentId) => leaveSession(state, agentId));
  },

  get_session(parts, caller, { session_id }) {
    const { agentId } = boundCaller(caller);
    return parts.sessions.use(session_id, (session) => {
      const state = readableState(parts, session.durable, agentId, session_id);
      const public_state = publicStateOf(parts, session, state, agentId);
      const tools = turnToolsOf(parts, session, state, agentId);
      return { session: state.metadata, turn: state.head.turn, unavailable: session.unavailable, public_state, tools };
    });
  },

  async list_sessions(parts, caller, { all = false, states, type, ended_since, changed_since, after, limit = PAGE }) {
    const { agentId } = boundCaller(caller);
    if (all && !parts.registry.holds(agentId, 'observe')) {
      throw new WireError('forbidden', 'params.all: the sessions of others take the grant "observe"', {
        field: 'params.all',
      });
    }
    const query = {
      limit,
      ...(all ? {} : { participant: agentId }),
      ...(states === undefined ? {} : { states }),
      ...(type === undefined ? {} : { type }),
      ...(ended_since === undefined ? {} : { ended_since }),
      ...(changed_since === undefined ? {} : { changed_since }),
      ...(after === undefined ? {} : { after }),
    };
    const page = await parts.store.list(query);
    const sessions = page.heads.map(summaryOf);
    const fitting = countWithin(sessions, parts.limits.maxResponseBytes);
    if (fitting === sessions.length) return { sessions, next: page.next };
    // Asked again for as many as fit, because only the store can say where the next page begins.
    const shown = await parts.store.list({ ...query, limit: fitting });
    return { sessions: shown.heads.map(summaryOf), next: shown.next };
  },

  async close_session(parts, caller, { session_id, reason = 'explicit_close', wait = 'closing' }) {
    const answer = await decideAs(parts, caller, session_id, (state, agentId) =>
      closeSession(state, agentId, reason, parts.registry.holds(agentId, 'operate')),
    );
    if (wait === 'closing' || isTerminal(answer.state)) return answer;
    const ended = await parts.sessions.whenIn(session_id, ({ state }) => isTerminal(state));
    return { state: ended.state, close_reason: ended.close_reason };
  },

  post(parts, caller, params) {
    const sender = boundCaller(caller);
    return parts.tracing === null ? post(parts, sender, params) : tracedPost(parts, parts.tracing, sender, params);
  },

  can_send(parts, caller, { session_id, event_type = 'msg.text' }) {
    const sender = boundCaller(caller);
    const draft = emptyDraft(parts, sender, session_id, event_type, null);
    return parts.sessions.use(session_id, (session) =>
      parts.gate.pass(sender, draft, session.durable?.metadata, async (verdicts) => {
        const { refusal, state } = judgeSend(parts, session, sender, draft, verdicts);
        const { turn } = state.head;
        if (refusal === null) return { can: true, code: null, why: null, turn };
        return { can: false, code: refusal.code, why: refusal.message, turn };
      }),
    );
  },

  report_progress(parts, caller, { session_id, note }) {
    return decideAs(parts, caller, session_id, (state, agentId) =>
      reportProgress(state, agentId, note, parts.clock.now()),
    );
  },

  report_turn_failure(parts, caller, { session_id, reason }) {
    return decideAs(parts, caller, session_id, (state, agentId) => reportTurnFailure(state, agentId, reason));
  },

  async pending_turns(parts, caller, { after = '', limit = PAGE }) {
    const { agentId } = boundCaller(caller);
    const mine: PendingTurn[] = [];
    for await (const { head } of liveSessionsOf(parts.store, agentId)) {
      const { session_id, type, turn } = head;
      if (turn?.agent_id === agentId && session_id > after) mine.push({ session_id, type, since_seq: turn.since_seq });
    }
    const turns = mine.sort((a, b) => (a.session_id < b.session_id ? -1 : 1)).slice(0, limit);
    return { turns, next: mine.length > limit ? (turns.at(-1)?.session_id ?? null) : null };
  },

  read_log: (parts, caller, params) => readLog(parts, boundCaller(caller), params),

  search_sessions: (parts, caller, params) => searchSessions(parts, boundCaller(caller), params),

  read_view: (parts, caller, params) => readView(parts, boundCaller(caller), params),

  health: (parts) => healthOf(parts),
};

/** Parses and carries out; every failure is a wire error, and observable. */
export function perform<Name extends OperationName>(
  parts: HubParts,
  caller: Caller,
  name: Name,
  params: unknown,
): Promise<Result<Name>> {
  // Not an async function: it runs for every post, and would cost it as much memory again as its answer does.
  const refused = (thrown: unknown): never => {
    const error = toWireError(thrown, name);
    if (error.code === 'internal')
      parts.log.error(`${name} failed`, { error: error.message, cause: String(error.cause ?? '') });
    const agent_id = caller.binding?.agentId ?? null;
    parts.events.emit('operationRefused', { op: name, agent_id, session_id: sessionOf(params), error });
    throw error;
  };
  try {
    const parsed = OPERATIONS[name].params.parse(params, 'params');
    return Promise.resolve(handlers[name](parts, caller, parsed)).catch(refused);
  } catch (thrown) {
    return Promise.reject(thrown).catch(refused);
  }
}

export function healthOf(parts: HubParts): Health {
  const { backlog, sessions, index, bindings, clock } = parts;
  return {
    ready: backlog.failed === null,
    reason: backlog.failed?.message ?? null,
    hub_id: parts.hubId,
    time: isoFromMs(clock.now()),
    sessions: { live: index.size, loaded: sessions.size, unavailable: sessions.countUnavailable() },
    bound: bindings.size,
    connections: parts.countConnections(),
    staged_units: backlog.units,
    staged_bytes: backlog.bytes,
  };
}

/** An identity leaves its live sessions before it is retired. */
async function leaveEverything(parts: HubParts, agentId: string): Promise<void> {
  for await (const sessionId of sessionsToLeave(parts.store, agentId)) {
    await parts.sessions.use(sessionId, (session) =>
      session.decide((state) => removeParticipant(state, agentId, 'unregistered')),
    );
  }
}

/** A stranger gets the answer for a session that does not exist, unless it may observe. */
function readableState(parts: HubParts, state: SessionState | null, agentId: string, sessionId: string): SessionState {
  if (state === null) throw noSuchSession(sessionId);
  if (participantOf(state.metadata, agentId) !== undefined) return state;
  if (!observes(parts, agentId, sessionId, 'get_session')) throw noSuchSession(sessionId);
  return state;
}

function summaryOf({ head }: StoredHead): SessionSummary {
  const {
    session_id,
    type,
    state,
    creator_id,
    created_at,
    closed_at,
    close_reason,
    labels,
    seq: head_seq,
    turn,
  } = head;
  const changed_at = changedAt(head);
  return {
    ...{ session_id, type, state, creator_id, created_at, changed_at },
    ...{ closed_at, close_reason, labels, head_seq, turn },
  };
}

function sessionOf(params: unknown): string | null {
  if (typeof params !== 'object' || params === null || !('session_id' in params)) return null;
  return typeof params.session_id === 'string' ? params.session_id : null;
}

/**
 * Carries out the follow-up of a durable unit, in order: events, deliveries, and effects on other sessions (closing children).
 * No other code derives them.
 */

import { closeSession, finishDraining } from '../core/decisions/end-session.ts';
import { removeParticipant } from '../core/decisions/membership.ts';
import { asError } from '../core/lib/errors.ts';
import type { BoundExpectation, Violation } from '../core/ports/expectation.ts';
import { type TaskOutcome, taskOutcomeFrom } from '../core/records/identity/resume.ts';
import { HUB_ID } from '../core/records/session/envelope.ts';
import { isTerminal } from '../core/records/session/session.ts';
import type { Entry, Head } from '../core/records/session/unit.ts';
import type { SessionState } from '../core/state/state.ts';
import type { Deadlines } from './deadlines/deadlines.ts';
import type { EnvelopeTexts } from './delivery/log-reader.ts';
import type { Ground } from './log/ground.ts';
import type { SharedRooms } from './posting/shared-rooms.ts';
import type { LiveSession, SessionListener } from './sessions/live-session.ts';
import type { Waiters } from './sessions/waiters.ts';
import type { Delegations } from './tasks/delegations.ts';
import type { SessionEvent } from './telemetry/meter.ts';
import { runWithRetries } from './time/retries.ts';

type FollowUpNeeds = SharedRooms & {
  readonly waiters: Waiters;
  readonly texts: EnvelopeTexts;
  readonly deadlines: Deadlines;
  readonly delegations: Delegations;
};

export class FollowUp implements SessionListener {
  private readonly needs: FollowUpNeeds;

  constructor(needs: FollowUpNeeds) {
    this.needs = needs;
  }

  staged(entries: readonly Entry[], durable: SessionState | null): void {
    this.needs.inboxes.stage(entries, durable);
  }

  dropped(sessionId: string): void {
    this.needs.inboxes.unstageAll(sessionId);
  }

  faulty(session: LiveSession, watched: BoundExpectation, error: Error): void {
    this.needs.deadlines.watching.faulty(session, watched, error);
  }

  loaded(sessionId: string, isUnavailable: boolean): void {
    this.needs.deadlines.grace.loaded(sessionId, isUnavailable);
  }

  registered(): void {
    const { deadlines, index, clock } = this.needs;
    for (const sessionId of deadlines.grace.mayBeBack()) index.bringForward(sessionId, clock.now());
  }

  failed(error: Error): void {
    this.needs.fail(error);
  }

  /** Called for every durable unit, in seq order within a session, before its answer is sent. */
  durable(session: LiveSession, entries: readonly Entry[], after: SessionState, text: string | undefined): void {
    const { needs } = this;
    const { head, metadata } = after;
    if (text !== undefined) needs.texts.know(entries, text);
    const isOfHub = entries.some(madeByHub);
    needs.meter.accepted(entries, isOfHub);
    if (isOfHub) needs.index.update(head, needs.clock.now());
    else if (head.due_at !== null) needs.index.bringForward(head.session_id, head.due_at);
    announce(needs, entries, after);
    this.recordTaskOutcomes(entries);
    needs.streams.publish(entries, after, session.epoch);
    needs.observers.publish(entries, after, session.epoch);
    needs.waiters.wake(metadata);
    // Only hub envelopes change the lifecycle.
    if (!isOfHub) return;
    if (entries.some(namesSomeone)) this.reconcile(head);
    void needs.streams.checkDrained(head);
    this.limitDrain(head);
    needs.delegations.onDurable(entries, after);
    if (!isTerminal(metadata.state)) return;
    needs.deadlines.watching.forget(session.sessionId);
    needs.deadlines.grace.forget(session.sessionId);
    void this.closeChildren(session.sessionId);
  }

  /** Closes a child whose parent has ended. */
  closeWithParent(sessionId: string): Promise<void> {
    return runWithRetries(this.needs, `${sessionId}\nlook at parent`, async () => {
      const parentId = (await this.needs.sessions.currentHead(sessionId))?.head.parent_session_id ?? null;
      if (parentId === null) return;
      const parent = await this.needs.sessions.currentHead(parentId);
      if (parent === null || isTerminal(parent.head.state)) await this.closeChild(sessionId);
    });
  }

  removeGone(sessionId: string, agentId: string): Promise<void> {
    return this.run(sessionId, `gone ${agentId}`, (state) => removeParticipant(state, agentId, 'unregistered'));
  }

  /** Handles a new session or invite that may name a retiring identity or a parent that has just ended. */
  private reconcile({ session_id, members, parent_session_id }: Head): void {
    for (const [agentId, status] of Object.entries(members)) {
      const belongs = status !== 'removed' && status !== 'rejected';
      if (belongs && this.needs.registry.isGone(agentId)) void this.removeGone(session_id, agentId);
    }
    if (parent_session_id !== null) void this.closeWithParent(session_id);
  }

  /** Closes the children. Parent and child look for each other: the one that becomes durable last finds the other. */
  private closeChildren(sessionId: string): Promise<void> {
    return runWithRetries(this.needs, `${sessionId}\nchildren`, async () => {
      for (const child of await this.needs.store.liveChildren(sessionId)) void this.closeChild(child);
    });
  }

  private closeChild(sessionId: string): Promise<void> {
    return this.run(sessionId, 'parent', (state) => closeSession(state, null, 'parent_closed'));
  }

  /** Ends CLOSING after its drain timeout, even if the wall clock is set back. */
  private limitDrain({ session_id, state, drain_timeout_ms }: Head): void {
    const key = `drain\n${session_id}`;
    const { retries } = this.needs;
    if (state === 'CLOSING') {
      retries.schedule(key, drain_timeout_ms, () => void this.run(session_id, 'drain', finishDraining));
    } else if (isTerminal(state)) {
      retries.cancel(key);
    }
  }

  private run(sessionId: string, what: string, decide: Parameters<LiveSession['decide']>[0]): Promise<void> {
    const work = () => this.needs.sessions.use(sessionId, (session) => session.decide(decide));
    return runWithRetries(this.needs, `${sessionId}\n${what}`, work);
  }

  /** Adds the outcomes of tasks to the profiles of their owners, one record per owner. No caller waits for it. */
  private recordTaskOutcomes(entries: readonly Entry[]): void {
    let byOwner: Map<string, TaskOutcome[]> | null = null;
    for (const { envelope } of entries) {
      // Most envelopes name no task.
      const found = envelope.task_id === null ? null : taskOutcomeFrom(envelope);
      if (found === null) continue;
      byOwner ??= new Map();
      const outcomes = byOwner.get(found.owner_id);
      if (outcomes === undefined) byOwner.set(found.owner_id, [found.outcome]);
      else outcomes.push(found.outcome);
    }
    for (const [ownerId, outcomes] of byOwner ?? []) this.keepOutcomes(ownerId, outcomes);
  }

  /** Stores outcomes without retries: losing one only changes a statistic. */
  private keepOutcomes(agent_id: string, outcomes: readonly TaskOutcome[]): void {
    const { backlog, registry, log } = this.needs;
    // A retired identity has no profile.
    if (backlog.failed !== null || registry.byAgentId(agent_id) === null) return;
    registry.observe(agent_id, outcomes).catch((thrown: unknown) => {
      if (backlog.failed === null)
        log.warn('task outcomes could not be stored', { agent_id, error: asError(thrown).message });
    });
  }
}

function madeByHub({ envelope }: Entry): boolean {
  return envelope.sender_id === HUB_ID;
}

function namesSomeone({ envelope }: Entry): boolean {
  return envelope.event_type === 'session.created' || envelope.event_type === 'session.invite';
}

interface LifecycleChange {
  readonly counted: SessionEvent;
  readonly event: 'sessionCreated' | 'sessionOpened' | 'sessionClosing' | 'sessionEnded';
}

const LIFECYCLE: ReadonlyMap<string, LifecycleChange> = new Map([
  ['session.created', { counted: 'created', event: 'sessionCreated' }],
  ['session.opened', { counted: 'opened', event: 'sessionOpened' }],
  ['session.closing', { counted: 'closing', event: 'sessionClosing' }],
  ['session.closed', { counted: 'ended', event: 'sessionEnded' }],
  ['session.expired', { counted: 'ended', event: 'sessionEnded' }],
]);

function announce(
  { events, meter }: Pick<Ground, 'events' | 'meter'>,
  entries: readonly Entry[],
  { metadata: session }: SessionState,
): void {
  const { type } = session.manifest;
  for (const { envelope, turn } of entries) {
    if (events.hasListeners('envelopePosted')) events.emit('envelopePosted', { envelope, turn });
    const lifecycle = LIFECYCLE.get(envelope.event_type);
    if (lifecycle !== undefined) {
      meter.session(type, lifecycle.counted);
      events.emit(lifecycle.event, { session });
    } else if (envelope.event_type === 'expectation.violated') {
      const violation = violationIn(envelope);
      meter.violated(violation.name);
      events.emit('expectationViolated', { session, violation, seq: envelope.seq });
    }
  }
}

function violationIn({ event_data }: Entry['envelope']): Violation {
  // The hub wrote this envelope; reading a log verifies checksums, not schemas.
  return event_data as unknown as Violation;
}

/** What becomes durable in one session may matter to others: the ends of children, members who are gone, draining. */

import { closeSession, drained } from '../core/decisions/end-session.ts';
import { type Entry, HUB_ID } from '../core/records/session/envelope.ts';
import type { Violation } from '../core/ports/expectation.ts';
import type { Head } from '../core/state/fold-head.ts';
import { removeParticipant } from '../core/decisions/membership.ts';
import { isTerminal } from '../core/records/session/session.ts';
import type { SessionState } from '../core/state/state.ts';
import { currentHead } from './current-head.ts';
import { checkDrained } from './drain.ts';
import type { LiveSession } from './sessions/live-session.ts';
import { noteOutcomes } from './outcomes.ts';
import type { HubParts } from './parts.ts';
import { tried } from './tried.ts';

/** Called for every unit that became durable, in seq order within a session, before its answer leaves. */
export function onDurable(parts: HubParts, session: LiveSession, entries: readonly Entry[], after: SessionState): void {
  const { head, metadata } = after;
  const isOfHub = entries.some(madeByHub);
  parts.meter.accepted(entries, isOfHub);
  if (isOfHub) parts.index.update(head, parts.clock.now());
  else if (head.due_at !== null) parts.index.sooner(head.session_id, head.due_at);
  announce(parts, entries, after);
  noteOutcomes(parts, entries);
  parts.bindings.publish(entries, after, session.epoch);
  parts.observers.publish(entries, after, session.epoch);
  parts.waiters.wake(metadata);
  // What participants say ends nothing.
  if (!isOfHub) return;
  if (entries.some(namesSomeone)) reconcile(parts, head);
  void checkDrained(parts, head);
  limitDrain(parts, head);
  parts.delegations.onDurable(entries, after);
  if (!isTerminal(metadata.state)) return;
  parts.watching.forget(session.sessionId);
  parts.grace.forget(session.sessionId);
  void closeChildren(parts, session.sessionId);
}

function madeByHub({ envelope }: Entry): boolean {
  return envelope.sender_id === HUB_ID;
}

function namesSomeone({ envelope }: Entry): boolean {
  return envelope.event_type === 'session.created' || envelope.event_type === 'session.invite';
}

/** A new session, or a new invite, may name who is leaving, or a parent that has ended: they did not know of it yet. */
function reconcile(parts: HubParts, head: Head): void {
  for (const [agentId, status] of Object.entries(head.members)) {
    const belongs = status !== 'removed' && status !== 'rejected';
    if (belongs && parts.registry.isGone(agentId)) void removeGone(parts, head.session_id, agentId);
  }
  if (head.parent_session_id !== null) void closeWithParent(parts, head.session_id);
}

/** Of a parent and its child, whichever is durable last finds the other: one looks here, the other in `closeWithParent`. */
function closeChildren(parts: HubParts, sessionId: string): Promise<void> {
  return tried(parts, `${sessionId}\nchildren`, async () => {
    for (const child of await parts.store.liveChildren(sessionId)) void closeChild(parts, child);
  });
}

/** A child whose parent has ended ends too. */
export function closeWithParent(parts: HubParts, sessionId: string): Promise<void> {
  return tried(parts, `${sessionId}\nlook at parent`, async () => {
    const parentId = (await currentHead(parts, sessionId))?.head.parent_session_id ?? null;
    if (parentId === null) return;
    const parent = await currentHead(parts, parentId);
    if (parent === null || isTerminal(parent.head.state)) await closeChild(parts, sessionId);
  });
}

export function removeGone(parts: HubParts, sessionId: string, agentId: string): Promise<void> {
  return run(parts, sessionId, `gone ${agentId}`, (state) => removeParticipant(state, agentId, 'unregistered'));
}

function closeChild(parts: HubParts, sessionId: string): Promise<void> {
  return run(parts, sessionId, 'parent', (state) => closeSession(state, null, 'parent_closed'));
}

/** CLOSING ends after its drain timeout at the latest, also when the wall clock is set back meanwhile. */
function limitDrain(parts: HubParts, { session_id, state, drain_timeout_ms }: Head): void {
  const key = `drain\n${session_id}`;
  if (state === 'CLOSING') {
    parts.retries.schedule(key, drain_timeout_ms, () => void run(parts, session_id, 'drain', drained));
  } else if (isTerminal(state)) {
    parts.retries.cancel(key);
  }
}

function run(
  parts: HubParts,
  sessionId: string,
  what: string,
  decide: Parameters<LiveSession['decide']>[0],
): Promise<void> {
  const work = () => parts.sessions.use(sessionId, (session) => session.decide(decide));
  return tried(parts, `${sessionId}\n${what}`, work);
}

function announce({ events, meter }: HubParts, entries: readonly Entry[], { metadata: session }: SessionState): void {
  const { type } = session.manifest;
  for (const { envelope, turn } of entries) {
    if (events.hears('envelopePosted')) events.emit('envelopePosted', { envelope, turn });
    switch (envelope.event_type) {
      case 'session.created':
        meter.session(type, 'created');
        events.emit('sessionCreated', { session });
        break;
      case 'session.opened':
        meter.session(type, 'opened');
        events.emit('sessionOpened', { session });
        break;
      case 'session.closing':
        meter.session(type, 'closing');
        events.emit('sessionClosing', { session });
        break;
      case 'expectation.violated':
        meter.violated(violationIn(envelope).name);
        events.emit('expectationViolated', { session, violation: violationIn(envelope), seq: envelope.seq });
        break;
      case 'session.closed':
      case 'session.expired':
        meter.session(type, 'ended');
        events.emit('sessionEnded', { session });
        break;
    }
  }
}

function violationIn({ event_data }: Entry['envelope']): Violation {
  // Made by the hub; the log is read by checksum, not by schema.
  return event_data as unknown as Violation;
}

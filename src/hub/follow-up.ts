/** What becomes durable in one session may matter to others: the ends of children, members who are gone, draining. */

import { closeSession, deadlineDue, drained } from '../core/ending.ts';
import type { Entry } from '../core/envelope.ts';
import type { Head } from '../core/head.ts';
import { removeParticipant } from '../core/membership.ts';
import { isTerminal } from '../core/session.ts';
import type { SessionState } from '../core/state.ts';
import { msFromIso } from '../core/time.ts';
import { checkDrained } from './drain.ts';
import type { LiveSession } from './live-session.ts';
import type { HubParts } from './parts.ts';
import { retryDelayMs } from './retries.ts';

/** Called for every unit that became durable, in seq order within a session, before its answer leaves. */
export function onDurable(parts: HubParts, session: LiveSession, entries: readonly Entry[], after: SessionState): void {
  parts.index.update(after.head, session.epoch, parts.presence.orphanAtMs(after.head));
  announce(parts, entries, after);
  parts.bindings.publish(entries, after, session.epoch);
  parts.waiters.wake(after.metadata);
  if (entries[0]?.envelope.seq === 1) reconcile(parts, after.head);
  checkDrained(parts, after.head);
  limitDrain(parts, after.head);
  if (!isTerminal(after.metadata.state)) return;
  for (const child of parts.index.childrenOf(session.sessionId)) closeChild(parts, child);
}

/** What a crash or a race between sessions may have left undone, re-derived from the head alone. */
export function reconcile(parts: HubParts, head: Head): void {
  const { session_id, parent_session_id } = head;
  for (const [agentId, status] of Object.entries(head.members)) {
    const belongs = status !== 'removed' && status !== 'rejected';
    if (belongs && parts.registry.isGone(agentId)) removeGone(parts, session_id, agentId);
  }
  if (parent_session_id !== null && parts.index.get(parent_session_id) === undefined) closeChild(parts, session_id);
  checkDrained(parts, head);
}

/** A deadline only wakes the session; the decision is made on the state a send would meet. */
export function wakeSession(parts: HubParts, sessionId: string): void {
  const head = parts.index.get(sessionId);
  if (head === undefined) return;
  // Armed again at once: if the decision cannot be written now, the next sweep asks again.
  parts.index.arm(head, parts.presence.orphanAtMs(head));
  const nowMs = parts.clock.now();
  const graceUntilMs = parts.presence.inviteGraceUntilMs(head);
  const expired = head.expires_at !== null && msFromIso(head.expires_at) <= nowMs;
  if (nowMs < graceUntilMs && !expired) return parts.index.deadlines.set(sessionId, graceUntilMs);
  run(parts, sessionId, null, (state) => deadlineDue(state, nowMs, parts.presence.orphanAtMs(state.head)));
}

/** CLOSING ends after its drain timeout at the latest, also when the wall clock is set back meanwhile. */
function limitDrain(parts: HubParts, { session_id, state, drain_timeout_ms }: Head): void {
  const key = `drain\n${session_id}`;
  if (state === 'CLOSING') {
    parts.retries.schedule(key, drain_timeout_ms, () => run(parts, session_id, 'drain', drained));
  } else if (isTerminal(state)) {
    parts.retries.cancel(key);
  }
}

function closeChild(parts: HubParts, sessionId: string): void {
  run(parts, sessionId, 'parent', (state) => closeSession(state, null, 'parent_closed'));
}

function removeGone(parts: HubParts, sessionId: string, agentId: string): void {
  run(parts, sessionId, `gone ${agentId}`, (state) => removeParticipant(state, agentId, 'unregistered'));
}

/** Tried again for a while if it fails: nobody else would. `again` names it; null = something asks again by itself. */
function run(
  parts: HubParts,
  sessionId: string,
  again: string | null,
  decide: Parameters<LiveSession['decide']>[0],
  attempt = 1,
): void {
  void parts.sessions
    .use(sessionId, (session) => session.decide(decide))
    .catch((error: Error) => {
      parts.log.warn('a follow-up could not be carried out', { session_id: sessionId, attempt, error: error.message });
      const delayMs = retryDelayMs(attempt);
      if (again === null || delayMs === null) return;
      const key = `follow-up\n${sessionId}\n${again}`;
      parts.retries.schedule(key, delayMs, () => run(parts, sessionId, again, decide, attempt + 1));
    });
}

function announce({ events }: HubParts, entries: readonly Entry[], { metadata: session }: SessionState): void {
  for (const { envelope, turn } of entries) {
    events.emit('envelopePosted', { envelope, turn });
    switch (envelope.event_type) {
      case 'session.created':
        events.emit('sessionCreated', { session });
        break;
      case 'session.opened':
        events.emit('sessionOpened', { session });
        break;
      case 'session.closing':
        events.emit('sessionClosing', { session });
        break;
      case 'session.closed':
      case 'session.expired':
        events.emit('sessionEnded', { session });
        break;
    }
  }
}

/** Lists who must act next in a session, and until when: the turn, and unanswered invites. */

import { isoFromMs, msFromIso } from '../../core/lib/time.ts';
import type { Envelope, Turn } from '../../core/records/session/envelope.ts';
import { nameOf, participantOf, type SessionMetadata } from '../../core/records/session/session.ts';

interface PendingAction {
  readonly agent_id: string;
  readonly name: string;
  readonly what: 'to speak' | 'to accept';
  /** Deadline of the shortest `turn_within`, or of the invite; null if there is none. */
  readonly due_at: string | null;
}

/** If `isNow` is false, the seq is a past one, whose pending invites are unknown. */
export function pendingActions(
  session: SessionMetadata,
  turn: Turn | null,
  envelopes: readonly Envelope[],
  isNow: boolean,
): readonly PendingAction[] {
  const pending = isNow && session.state === 'INVITED' ? session.pending_acks : [];
  const invites = pending.map((agent_id): PendingAction => {
    return { agent_id, name: nameOf(session, agent_id), what: 'to accept', due_at: inviteDeadline(envelopes) };
  });
  if (turn === null) return invites;
  const due_at = turnDue(session, turn, envelopes);
  return [...invites, { agent_id: turn.agent_id, name: nameOf(session, turn.agent_id), what: 'to speak', due_at }];
}

function inviteDeadline([created]: readonly Envelope[]): string | null {
  const at = created?.event_data.invite_deadline_at;
  return typeof at === 'string' ? at : null;
}

/** The earliest deadline of the turn: progress extends it. */
function turnDue(session: SessionMetadata, turn: Turn, envelopes: readonly Envelope[]): string | null {
  const begun = envelopes.find(({ seq }) => seq === turn.since_seq)?.created_at;
  const seconds = secondsPerTurn(session, turn.agent_id);
  return begun === undefined || seconds === null ? null : isoFromMs(msFromIso(begun) + seconds * 1000);
}

/** The shortest turn limit for this participant; null if there is no limit. */
export function secondsPerTurn(session: SessionMetadata, agentId: string): number | null {
  const { role, name } = participantOf(session, agentId) ?? {};
  const limits = session.manifest.expectations
    .filter(({ name: entry }) => entry === 'turn_within')
    .filter(({ applies_to }) => applies_to?.some((who) => who === role || who === agentId || who === name) ?? true)
    .map(({ params }) => params.seconds)
    .filter((seconds): seconds is number => typeof seconds === 'number');
  return limits.length === 0 ? null : Math.min(...limits);
}

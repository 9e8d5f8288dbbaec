/** Laws of turns after every entry: the holder is present, no other may post, and sessions end when they must. */

import type { CompleteAdapter, Envelope, SessionMetadata } from 'parley-hub/core';
import { PLAIN } from '../../src/core/records/session/envelope.ts';
import type { SessionState } from '../../src/core/state/state.ts';
import { holds } from './law-broken.ts';

const TURN_TYPES: ReadonlySet<string> = new Set(['discussion', 'workflow']);

/** The members of both states that are compared. */
interface TurnState {
  readonly turn_count: number;
  readonly expected_next_speaker: string | null;
  readonly active: readonly string[];
  readonly rounds_done?: number;
  readonly pending_close_reason?: string | null;
}

export function checkTurns(now: SessionState, adapter: CompleteAdapter): void {
  const { metadata, head, adapter_state } = now;
  const { session_id, head_seq, participants, state } = metadata;
  const where = `${session_id} at seq ${head_seq}`;
  const active = participants.filter(({ status }) => status === 'active').map(({ agent_id }) => agent_id);
  const { turn } = head;
  holds(
    turn === null || active.includes(turn.agent_id),
    'L6',
    () => `${where}: ${turn?.agent_id} has the turn and is not active`,
  );
  if (!TURN_TYPES.has(metadata.manifest.type) || state !== 'ACTIVE' || isEnding(now)) return;
  const speakers = active.filter((agentId) => maySpeak(metadata, agentId, adapter_state, adapter));
  holds(speakers.length <= 1, 'L4', () => `${where}: ${speakers.join(' and ')} may both take the turn`);
  holds(speakers.length === 1 || active.length === 0, 'L6', () => `${where}: nobody may take the turn`);
  holds(
    speakers[0] === turn?.agent_id,
    'L6',
    () => `${where}: ${speakers[0]} may speak, but ${turn?.agent_id} is expected`,
  );
}

/** A finished graph, or a session after its last turn, accepts only its closing and what belongs to that. */
export function checkEnds(before: SessionState, { event_type, seq, session_id }: Envelope): void {
  if (before.metadata.state !== 'ACTIVE' || !isOver(before)) return;
  holds(
    ['session.closing', 'delegation.settled', 'expectation.violated', 'task.expired'].includes(event_type),
    'L6',
    () => `${session_id} should have ended before seq ${seq}, ${event_type}`,
  );
}

/** Units are atomic: a finished session has closed in the same one. */
export function checkOver(last: SessionState): void {
  const { session_id, state } = last.metadata;
  holds(state !== 'ACTIVE' || !isOver(last), 'L6', () => `${session_id} is over and goes on`);
}

function isOver(now: SessionState): boolean {
  const { metadata, adapter_state } = now;
  if (metadata.manifest.type !== 'workflow') return isEnding(now);
  // Knobs of a workflow hold a graph.
  const { max_turns } = metadata.knobs.graph as { readonly max_turns?: number | null };
  const { turn_count } = adapter_state as TurnState;
  return isEnding(now) || (max_turns != null && turn_count >= max_turns);
}

/**
 * Workflows and moderators say so. A discussion is finished when its rounds are over and no active participant has the
 * turn.
 */
function isEnding({ metadata, adapter_state }: SessionState): boolean {
  const { type } = metadata.manifest;
  if (!TURN_TYPES.has(type)) return false;
  const { pending_close_reason = null, rounds_done, expected_next_speaker, active } = adapter_state as TurnState;
  const { rounds, ordering } = metadata.knobs;
  if (type === 'workflow' || (ordering === 'moderated' && pending_close_reason !== null)) {
    return pending_close_reason !== null;
  }
  const isComplete = typeof rounds === 'number' && (rounds_done ?? 0) >= rounds;
  return isComplete && expected_next_speaker === null && active.length > 0;
}

function maySpeak(metadata: SessionMetadata, sender_id: string, state: unknown, adapter: CompleteAdapter): boolean {
  const draft = {
    session_id: metadata.session_id,
    sender_id,
    audience: null,
    event_type: 'msg.text',
    event_data: { text: 'me' },
    ...PLAIN,
  };
  try {
    adapter.validateSend(metadata, draft, state);
    return true;
  } catch {
    return false;
  }
}

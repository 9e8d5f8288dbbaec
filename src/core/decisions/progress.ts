/** What the holder of a turn says of it: that it is at work, or that it cannot. Both stay in the log and go to nobody. */

import { noSuchSession, sessionClosed } from './admit.ts';
import { type Decision, refuse } from './advance.ts';
import { type Draft, PLAIN } from '../records/session/envelope.ts';
import { ProtocolError, type WireError } from '../lib/errors.ts';
import { progressEveryMs } from '../heartbeat.ts';
import type { JsonObject } from '../lib/json.ts';
import { isTerminal, nameOf, participantOf } from '../records/session/session.ts';
import type { SessionState } from '../state/state.ts';

export interface ProgressAnswer {
  /** false = it was too soon after the last one to be worth a line; nothing is lost by that. */
  readonly logged: boolean;
}

export interface FailureAnswer {
  readonly seq: number;
}

export function reportProgress(
  state: SessionState,
  agentId: string,
  note: string | undefined,
  nowMs: number,
): Decision<ProgressAnswer> {
  const refusal = notItsTurn(state, agentId);
  if (refusal !== null) return refuse(refusal);
  if (!isLoggedNow(state, agentId, nowMs)) return { kind: 'nothing', answer: { logged: false } };
  const data = { agent_id: agentId, since_seq: sinceOf(state), ...(note === undefined ? {} : { note }) };
  return {
    kind: 'append',
    drafts: [taskDraft(state, agentId, 'task.progress', data)],
    answer: () => ({ logged: true }),
  };
}

/** Of a turn or of a task: it has not been said of late. */
export function isLoggedNow(state: SessionState, agentId: string, nowMs: number): boolean {
  const lastMs = state.pacing.progress[agentId];
  return lastMs === undefined || nowMs - lastMs >= progressEveryMs(state, agentId);
}

/** The turn stays where it is: what follows is for its `turn_within` entries with `on_failure` to say. A turn fails once. */
export function reportTurnFailure(state: SessionState, agentId: string, reason: string): Decision<FailureAnswer> {
  const refusal = notItsTurn(state, agentId);
  if (refusal !== null) return refuse(refusal);
  const { failed } = state.pacing;
  if (failed !== null && failed.agent_id === agentId && failed.since_seq === sinceOf(state)) {
    return { kind: 'nothing', answer: { seq: failed.seq } };
  }
  const data = { agent_id: agentId, since_seq: sinceOf(state), reason };
  return {
    kind: 'append',
    drafts: [taskDraft(state, agentId, 'task.failed', data)],
    answer: ({ entries }) => ({ seq: entries[0]?.envelope.seq ?? 0 }),
  };
}

function sinceOf({ head }: SessionState): number {
  return head.turn?.since_seq ?? 0;
}

function notItsTurn({ metadata, head: { turn } }: SessionState, agentId: string): WireError | null {
  const { session_id, state } = metadata;
  if (participantOf(metadata, agentId) === undefined) return noSuchSession(session_id);
  if (isTerminal(state) || state === 'CLOSING') return sessionClosed(metadata, 'nobody has the turn in it');
  if (turn?.agent_id === agentId) return null;
  const holder = turn === null ? 'nobody' : nameOf(metadata, turn.agent_id);
  return new ProtocolError(
    `only who has the turn can report on it; in session ${session_id} ${holder} has it`,
    { turn },
    'not_your_turn',
  );
}

function taskDraft({ metadata }: SessionState, sender_id: string, event_type: string, event_data: JsonObject): Draft {
  return { session_id: metadata.session_id, sender_id, audience: [], event_type, event_data, ...PLAIN };
}

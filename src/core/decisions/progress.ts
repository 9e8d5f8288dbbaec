/** Logs reports of the turn holder: progress, or failure to take the turn. They are not delivered. */

import { ProtocolError, type WireError } from '../lib/errors.ts';
import type { JsonObject } from '../lib/json.ts';
import { type Draft, PLAIN } from '../records/session/envelope.ts';
import { isTerminal, nameOf, participantOf, type SessionMetadata } from '../records/session/session.ts';
import { appliesTo } from '../state/pacing.ts';
import type { SessionState } from '../state/state.ts';
import { sessionClosedError, sessionNotFoundError } from './admit.ts';
import { type Decision, refuse } from './decision.ts';

export interface ProgressAnswer {
  /** false if the report was not logged because the previous one is too recent. */
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

/** Whether enough time has passed since the agent's last report about a turn or a task. */
export function isLoggedNow(state: SessionState, agentId: string, nowMs: number): boolean {
  const lastMs = state.pacing.progress[agentId];
  return lastMs === undefined || nowMs - lastMs >= progressEveryMs(state, agentId);
}

/** Logs a failed turn, once. The turn stays: `turn_within` entries with `on_failure` decide what follows. */
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
  if (participantOf(metadata, agentId) === undefined) return sessionNotFoundError(session_id);
  if (isTerminal(state) || state === 'CLOSING') return sessionClosedError(metadata, 'nobody holds the turn');
  if (turn?.agent_id === agentId) return null;
  const holder = turn === null ? 'nobody' : nameOf(metadata, turn.agent_id);
  return new ProtocolError(
    `only the holder of the turn can report on it; in session ${session_id} ${holder} holds it`,
    { turn },
    'not_your_turn',
  );
}

function taskDraft({ metadata }: SessionState, sender_id: string, event_type: string, event_data: JsonObject): Draft {
  return { session_id: metadata.session_id, sender_id, audience: [], event_type, event_data, ...PLAIN };
}

/** Minimum interval between logged reports, unless an expectation needs a shorter one. */
const EVERY_MS = 10_000;

/** Half the shortest deadline that progress extends, so that no deadline passes between two reports. Ignores expectations
 * that have fired for this turn, so that a short deadline does not fill the log. */
function progressEveryMs({ metadata, pacing, head }: SessionState, agentId: string): number {
  const sinceSeq = head.turn?.since_seq;
  return metadata.manifest.expectations.reduce((least, entry, index) => {
    const halfMs = heartbeatMs(entry) / 2;
    if (!(halfMs < least) || !appliesTo(entry, agentId, metadata)) return least;
    return pacing.fired[index]?.[agentId] === sinceSeq ? least : halfMs;
  }, EVERY_MS);
}

function heartbeatMs({ name, params }: SessionMetadata['manifest']['expectations'][number]): number {
  const isExtended = name === 'turn_within' && params.heartbeat !== false;
  return isExtended ? Number(params.seconds) * 1000 : Number.POSITIVE_INFINITY;
}

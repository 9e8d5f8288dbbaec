/** Defines the input and outcome of moves in a governed session. */

import { ProtocolError } from '../../../core/lib/errors.ts';
import type { SessionMetadata } from '../../../core/records/session/session.ts';
import type { RepoDecisionRecord } from '../../engine/acceptance/decisions.ts';
import type { HistoryEntry, LedgerEntry } from '../../engine/acceptance/entries.ts';
import type { EventDraft } from '../../engine/events/events.ts';
import type { UnknownRecord } from '../../engine/lib/unknown-record.ts';
import type { Changed, Refused } from '../../engine/run/moves.ts';
import type { RunState } from '../../engine/state/state.ts';
import type { SessionRules } from '../state/rules.ts';
import type { GovernedState } from '../state/state.ts';

export interface MoveInput {
  /** null if the envelope is in the log and was judged before. */
  readonly metadata: SessionMetadata | null;
  readonly rules: SessionRules;
  readonly state: GovernedState;
  readonly sender: string;
  /** The event data, not yet checked. */
  readonly data: UnknownRecord;
  /** Seq of the envelope; for a draft, the next seq. */
  readonly seq: number;
  readonly now: string;
}

export interface Outcome {
  readonly state: GovernedState;
  readonly events: readonly EventDraft[];
  readonly history: readonly (HistoryEntry | UnknownRecord)[];
  readonly ledger: readonly (LedgerEntry | UnknownRecord)[];
  readonly repoDecisions: readonly RepoDecisionRecord[];
}

/** Throws a ProtocolError if the move is not allowed. */
export type Move = (ask: MoveInput) => Outcome;

export function outcome(state: GovernedState, more: Partial<Outcome> = {}): Outcome {
  return { state, events: [], history: [], ledger: [], repoDecisions: [], ...more };
}

export function withEngineResult(
  { state }: MoveInput,
  changed: Changed | Refused,
  more: Partial<GovernedState> = {},
): Outcome {
  if (!changed.ok) throw refusalError(changed);
  return outcome(withRun(state, changed.state, more), { events: changed.events });
}

export function withRun(state: GovernedState, run: RunState, more: Partial<GovernedState> = {}): GovernedState {
  return { ...state, run, has_moved: true, ...more };
}

export function refusalError({ error_type, error_code, detail, params }: Refused): ProtocolError {
  return new ProtocolError(detail, { ...params, error_type, error_code });
}

/** Creates an error of the session, as opposed to an error of the engine. */
export function sessionError(error_code: string, detail: string, params: UnknownRecord = {}): ProtocolError {
  return new ProtocolError(detail, { ...params, error_type: error_code, error_code });
}

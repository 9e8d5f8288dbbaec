/** What every move of a governed session is given, and gives. */

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
  /** The session as it is; null = what is asked about was judged before, and stands in the log. */
  readonly metadata: SessionMetadata | null;
  readonly rules: SessionRules;
  readonly state: GovernedState;
  readonly sender: string;
  /** What the envelope says. Nothing is known of it yet. */
  readonly data: UnknownRecord;
  /** Where it stands in the log, or would. */
  readonly seq: number;
  readonly now: string;
}

/** What one envelope comes to, all of it at once. */
export interface Outcome {
  readonly state: GovernedState;
  readonly events: readonly EventDraft[];
  readonly history: readonly (HistoryEntry | UnknownRecord)[];
  readonly ledger: readonly (LedgerEntry | UnknownRecord)[];
  readonly repoDecisions: readonly RepoDecisionRecord[];
}

/** Throws a ProtocolError that says why not. */
export type Move = (ask: MoveInput) => Outcome;

/** The state after it, and what is told of it. */
export function outcome(state: GovernedState, more: Partial<Outcome> = {}): Outcome {
  return { state, events: [], history: [], ledger: [], repoDecisions: [], ...more };
}

/** What an operation of the engine came to. */
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

/** A refusal of the session's own: the engine has no say in it. */
export function sessionError(error_code: string, detail: string, params: UnknownRecord = {}): ProtocolError {
  return new ProtocolError(detail, { ...params, error_type: error_code, error_code });
}

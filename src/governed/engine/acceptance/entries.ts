/** Creates the entries that an acceptance writes: one of history, and one of the ledger per decision. */

import { msFromIso } from '../../../core/lib/time.ts';
import { type GovernedConfig, runtimeType } from '../config/config.ts';
import type { Normalisation } from '../lib/findings.ts';
import type { RunState, Turn } from '../state/state.ts';
import { normaliseVerification } from '../turn-result/artifact.ts';
import type { Decision, TurnResult } from '../turn-result/result.ts';
import { decisionAuthority, type RepoDecisionRecord } from './decisions.ts';

export interface Accepted {
  readonly state: RunState;
  readonly config: GovernedConfig;
  readonly turn: Turn;
  readonly result: TurnResult;
  readonly normalisations: readonly Normalisation[];
  readonly observed: readonly string[] | null;
  readonly now: string;
}

export interface HistoryEntry extends Omit<TurnResult, 'schema_version'> {
  readonly phase: string | null;
  readonly normalized_verification: string;
  readonly normalisations: readonly Normalisation[];
  readonly observed_artifact: readonly string[] | null;
  readonly assigned_sequence: number;
  readonly accepted_sequence: number;
  readonly concurrent_with: readonly string[];
  readonly attempt: number;
  readonly started_at: string | null;
  readonly accepted_at: string;
  readonly duration_ms: number | null;
}

export function historyEntry({ state, config, turn, result, normalisations, observed, now }: Accepted): HistoryEntry {
  const { schema_version: _, ...claimed } = result;
  const begun = turn.started_at ?? turn.assigned_at;
  return {
    ...claimed,
    phase: state.phase,
    normalized_verification: normaliseVerification(result, runtimeType(config, turn.runtime_id)),
    normalisations,
    observed_artifact: observed,
    assigned_sequence: turn.assigned_sequence,
    accepted_sequence: state.accepted_sequence + 1,
    concurrent_with: turn.concurrent_with,
    attempt: turn.attempt,
    started_at: turn.started_at,
    accepted_at: now,
    duration_ms: begun === null ? null : Math.max(0, msFromIso(now) - msFromIso(begun)),
  };
}

export interface LedgerEntry extends Decision {
  readonly run_id: string | null;
  readonly turn_id: string;
  readonly role: string;
  readonly phase: string | null;
  readonly runtime_id: string;
  readonly authority: number | null;
  readonly objections_against: readonly string[];
  readonly status: 'accepted';
  readonly overridden_by: null;
  readonly created_at: string;
}

export function ledgerEntries({ state, config, turn, result, now }: Accepted): readonly LedgerEntry[] {
  return result.decisions.map((decision) => ({
    ...decision,
    run_id: state.run_id,
    turn_id: turn.turn_id,
    role: turn.assigned_role,
    phase: state.phase,
    runtime_id: turn.runtime_id,
    authority: decisionAuthority(config, turn.assigned_role),
    objections_against: [],
    status: 'accepted',
    overridden_by: null,
    created_at: now,
  }));
}

/** Returns records of decisions with durability `repo`, and of carried decisions that this turn overrides. */
export function repoRecords(accepted: Accepted): readonly RepoDecisionRecord[] {
  const { state, config, turn, result, now } = accepted;
  const carried = new Set(state.repo_decisions.map(({ id }) => id));
  return result.decisions.flatMap((decision): readonly RepoDecisionRecord[] => {
    const { id, category, statement, durability, overrides } = decision;
    const { run_id } = state;
    const authority = decisionAuthority(config, turn.assigned_role);
    const own = { id, run_id, turn_id: turn.turn_id, role: turn.assigned_role, category, statement, authority };
    return [
      ...(typeof overrides === 'string' && carried.has(overrides)
        ? [{ type: 'override', id: overrides, overridden_by: id, run_id, at: now } as const]
        : []),
      ...(durability === 'repo' ? [{ type: 'decision', ...own, status: 'active', overridden_by: null } as const] : []),
    ];
  });
}

/** Decides whether a decision may enter the ledger or override another. Decision records are append-only. */

import { type GovernedConfig, roleConfig } from '../config/config.ts';
import { DECISION_ID, HUMAN, matches } from '../lib/patterns.ts';
import { isMissing, isNonEmptyText, isOneOf, isRecord, textsOf, type UnknownRecord } from '../lib/unknown-record.ts';
import { type Refused, refuse } from '../run/moves.ts';
import type { RepoDecision } from '../state/state.ts';
import { DECISION_CATEGORIES, type Decision } from '../turn-result/result.ts';

export interface LedgerRefusal {
  readonly error_type:
    | 'invalid_decision_id_format'
    | 'empty_required_field'
    | 'invalid_enum_value'
    | 'duplicate_decision_id';
  readonly error_field: string;
  readonly valid_values?: readonly string[];
  readonly duplicate_id?: string;
  readonly detail: string;
}

export function checkDecision(entry: unknown, taken: ReadonlySet<string>): LedgerRefusal | null {
  const { id, statement, category } = isRecord(entry) ? entry : {};
  if (!matches(DECISION_ID, id)) {
    return { error_type: 'invalid_decision_id_format', error_field: 'id', detail: 'id: expected DEC- and digits' };
  }
  if (!isNonEmptyText(statement)) {
    const detail = 'statement: expected a text that is not blank';
    return { error_type: 'empty_required_field', error_field: 'statement', detail };
  }
  if (!isOneOf(DECISION_CATEGORIES, category)) {
    const detail = `category: expected one of ${DECISION_CATEGORIES.join(', ')}`;
    return { error_type: 'invalid_enum_value', error_field: 'category', valid_values: DECISION_CATEGORIES, detail };
  }
  if (taken.has(id)) {
    const detail = `${id} is in the ledger already`;
    return { error_type: 'duplicate_decision_id', error_field: 'id', duplicate_id: id, detail };
  }
  return null;
}

export function decisionIds(ledger: readonly UnknownRecord[], runId: string | null): ReadonlySet<string> {
  return new Set(textsOf(entriesOfRun(ledger, runId).map(({ id }) => id)));
}

/** Entries without a run id belong to this run. */
export function entriesOfRun(entries: readonly UnknownRecord[], runId: string | null): readonly UnknownRecord[] {
  return entries.filter(({ run_id }) => isMissing(run_id) || run_id === runId);
}

const HUMAN_AUTHORITY = 100;

export function decisionAuthority(config: GovernedConfig, role: string): number | null {
  return role === HUMAN ? HUMAN_AUTHORITY : (roleConfig(config, role)?.decision_authority ?? null);
}

export interface Target {
  readonly id: string;
  readonly isActive: boolean;
  readonly role: string | null;
  readonly authority: number | null;
}

/** Returns null if the turn may override every decision it names. */
export function checkOverrides(
  decisions: readonly Decision[],
  role: string,
  config: GovernedConfig,
  targets: ReadonlyMap<string, Target>,
): Refused | null {
  const own = decisionAuthority(config, role);
  for (const { id, overrides } of decisions) {
    if (isMissing(overrides)) continue;
    const target = targets.get(overrides);
    if (target === undefined)
      return refusal('override_target_missing', `${id} overrides ${overrides}, which does not exist`, overrides);
    if (!target.isActive) return refusal('override_target_inactive', `${overrides} was overridden before`, overrides);
    const needed = target.authority ?? (target.role === null ? null : decisionAuthority(config, target.role));
    if (needed !== null && (own ?? 0) < needed) {
      const detail = `${overrides} needs an authority of ${needed}; ${role} has ${own ?? 'none'}`;
      return refusal('override_authority', detail, overrides);
    }
  }
  return null;
}

function refusal(code: string, detail: string, target: string): Refused {
  return refuse('override_validation_failed', code, detail, { target });
}

/** Record that an acceptance appends to the project's decisions. */
export type RepoDecisionRecord =
  | ({ readonly type: 'decision' } & RepoDecision)
  | {
      readonly type: 'override';
      readonly id: string;
      readonly overridden_by: string;
      readonly run_id: string | null;
      readonly at: string;
    };

/** Returns the current state of each recorded decision. */
export function repoDecisions(records: readonly unknown[]): readonly RepoDecision[] {
  const found = new Map<string, RepoDecision>();
  for (const record of records.filter(isRecord)) {
    const id = typeof record.id === 'string' ? record.id : null;
    if (id === null) continue;
    if (record.type === 'override') {
      const target = found.get(id);
      if (target !== undefined)
        found.set(id, { ...target, status: 'overridden', overridden_by: String(record.overridden_by) });
    } else if (!found.has(id)) found.set(id, decisionOf(id, record));
  }
  return [...found.values()];
}

function decisionOf(id: string, { type: _, ...record }: UnknownRecord): RepoDecision {
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  return {
    ...record,
    id,
    run_id: text(record.run_id),
    turn_id: text(record.turn_id),
    role: text(record.role),
    authority: typeof record.authority === 'number' ? record.authority : null,
    status: record.status === 'overridden' ? 'overridden' : 'active',
  };
}

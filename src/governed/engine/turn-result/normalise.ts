/** The result as it came → the result as it is judged. Nothing is invented: what is replaced is told, with before and after. */

import type { GovernedConfig } from '../config/config.ts';
import { authorityOf } from '../../config/phases.ts';
import { nextFreeId } from '../../ledger/next-id.ts';
import type { Normalisation } from '../../normalisation.ts';
import { DECISION_ID, HUMAN, matches } from '../lib/patterns.ts';
import { isRecord, own, type Unknowns } from '../lib/unknown-record.ts';
import type { RunState, Turn } from '../../run/state.ts';
import { SYNONYMS } from '../../turn-result/synonyms.ts';

export interface Normalised {
  readonly result: unknown;
  readonly normalisations: readonly Normalisation[];
}

export interface Around {
  readonly state: RunState;
  readonly config: GovernedConfig;
  /** The turn the result is for, if there is one. */
  readonly turn: Turn | null;
  /** Ids that are taken: in the ledger, and of decisions that outlive runs. */
  readonly takenIds: ReadonlySet<string>;
}

export function normaliseResult(given: unknown, around: Around): Normalised {
  if (!isRecord(given)) return { result: given, normalisations: [] };
  const told: Normalisation[] = [];
  let result: Unknowns = given;
  for (const { rule, path, replace, from } of SYNONYMS) {
    const after = replace(result);
    if (after === undefined) continue;
    told.push({ rule, path, before: read(result, from ?? path), after });
    result = write(result, path, after);
  }
  for (const step of [runIdFromTurn, freeDecisionIds, emptyWorkspaceIsReview]) result = step(result, around, told);
  return { result, normalisations: told };
}

/** Whoever names the turn that is out means its run. */
function runIdFromTurn(result: Unknowns, { state, turn }: Around, told: Normalisation[]): Unknowns {
  if (turn === null || result.turn_id !== turn.turn_id || result.run_id === state.run_id) return result;
  told.push({ rule: 'run_id_from_turn', path: 'run_id', before: result.run_id, after: state.run_id });
  return { ...result, run_id: state.run_id };
}

/** An id that is none is replaced by one nobody has. */
function freeDecisionIds(result: Unknowns, { takenIds }: Around, told: Normalisation[]): Unknowns {
  const given = result.decisions;
  if (!Array.isArray(given)) return result;
  const taken = new Set(takenIds);
  for (const one of given) if (isRecord(one) && matches(DECISION_ID, one.id)) taken.add(one.id);
  const decisions = given.map((one: unknown, at) => {
    if (!isRecord(one) || matches(DECISION_ID, one.id)) return one;
    const id = nextFreeId(taken);
    taken.add(id);
    told.push({ rule: 'free_decision_id', path: `decisions[${at}].id`, before: one.id, after: id });
    return { ...one, id };
  });
  return told.some(({ rule }) => rule === 'free_decision_id') ? { ...result, decisions } : result;
}

/** A workspace without files, from somebody who only asks for what comes next, is a review. */
function emptyWorkspaceIsReview(result: Unknowns, { config, turn }: Around, told: Normalisation[]): Unknowns {
  const { artifact, files_changed, status } = result;
  const isEmpty =
    isRecord(artifact) && artifact.type === 'workspace' && Array.isArray(files_changed) && files_changed.length === 0;
  if (!isEmpty || producesArtifact(result)) return result;
  const asksForMore = typeof result.phase_transition_request === 'string' || result.run_completion_request === true;
  const waits = status === 'needs_human' && result.proposed_next_role === HUMAN;
  const reviews = status === 'completed' && turn !== null && authorityOf(config, turn.assigned_role) === 'review_only';
  if (!asksForMore && !waits && !reviews) return result;
  told.push({ rule: 'empty_workspace_is_review', path: 'artifact.type', before: 'workspace', after: 'review' });
  return { ...result, artifact: { ...artifact, type: 'review' } };
}

export function producesArtifact({ verification }: Unknowns): boolean {
  const produced = isRecord(verification) ? verification.produced_files : undefined;
  return Array.isArray(produced) && produced.some((file) => isRecord(file) && file.disposition !== 'ignore');
}

function read(result: Unknowns, path: string): unknown {
  const [head = '', tail] = path.split('.');
  const value = own(result, head);
  return tail === undefined ? value : isRecord(value) ? own(value, tail) : undefined;
}

function write(result: Unknowns, path: string, value: unknown): Unknowns {
  const [head = '', tail] = path.split('.');
  if (tail === undefined) return { ...result, [head]: value };
  const group = own(result, head);
  return { ...result, [head]: { ...(isRecord(group) ? group : {}), [tail]: value } };
}

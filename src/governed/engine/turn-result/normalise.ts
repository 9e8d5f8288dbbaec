/** Rewrites synonyms in a result before it is judged. Adds no information; reports each replacement. */

import { authorityOf, type GovernedConfig } from '../config/config.ts';
import type { Normalisation } from '../lib/findings.ts';
import { DECISION_ID, HUMAN, matches } from '../lib/patterns.ts';
import { canonicalPath } from '../lib/project-paths.ts';
import { getOwn, isMissing, isRecord, type UnknownRecord } from '../lib/unknown-record.ts';
import type { RunState, Turn } from '../state/state.ts';

interface NormaliseResult {
  readonly result: unknown;
  readonly normalisations: readonly Normalisation[];
}

interface NormaliseInput {
  readonly state: RunState;
  readonly config: GovernedConfig;
  readonly turn: Turn | null;
  /** Ids in the ledger, and ids of carried decisions. */
  readonly takenIds: ReadonlySet<string>;
}

export function normaliseResult(given: unknown, around: NormaliseInput): NormaliseResult {
  if (!isRecord(given)) return { result: given, normalisations: [] };
  const changes: Normalisation[] = [];
  let result: UnknownRecord = given;
  for (const { rule, path, replace, from } of SYNONYMS) {
    const after = replace(result);
    if (after === undefined) continue;
    changes.push({ rule, path, before: read(result, from ?? path), after });
    result = write(result, path, after);
  }
  for (const step of [runIdFromTurn, freeDecisionIds, emptyWorkspaceIsReview]) result = step(result, around, changes);
  return { result, normalisations: changes };
}

/** Corrects the run id of a result that names the active turn. */
function runIdFromTurn(
  result: UnknownRecord,
  { state, turn }: NormaliseInput,
  changes: Normalisation[],
): UnknownRecord {
  if (turn === null || result.turn_id !== turn.turn_id || result.run_id === state.run_id) return result;
  changes.push({ rule: 'run_id_from_turn', path: 'run_id', before: result.run_id, after: state.run_id });
  return { ...result, run_id: state.run_id };
}

/** Replaces invalid decision ids with free ones. */
function freeDecisionIds(result: UnknownRecord, { takenIds }: NormaliseInput, changes: Normalisation[]): UnknownRecord {
  const given = result.decisions;
  if (!Array.isArray(given)) return result;
  const taken = new Set(takenIds);
  for (const one of given) if (isRecord(one) && matches(DECISION_ID, one.id)) taken.add(one.id);
  const decisions = given.map((one: unknown, at) => {
    if (!isRecord(one) || matches(DECISION_ID, one.id)) return one;
    const id = nextFreeId(taken);
    taken.add(id);
    changes.push({ rule: 'free_decision_id', path: `decisions[${at}].id`, before: one.id, after: id });
    return { ...one, id };
  });
  return changes.some(({ rule }) => rule === 'free_decision_id') ? { ...result, decisions } : result;
}

/** Turns a workspace result without changes that only makes requests into a review. */
function emptyWorkspaceIsReview(
  result: UnknownRecord,
  around: NormaliseInput,
  changes: Normalisation[],
): UnknownRecord {
  const { config, turn } = around;
  const { artifact, files_changed, status } = result;
  const isEmpty =
    isRecord(artifact) && artifact.type === 'workspace' && Array.isArray(files_changed) && files_changed.length === 0;
  if (!isEmpty || producesArtifact(result.verification)) return result;
  const asksForMore = typeof result.phase_transition_request === 'string' || result.run_completion_request === true;
  const waits = status === 'needs_human' && result.proposed_next_role === HUMAN;
  const reviews = status === 'completed' && turn !== null && authorityOf(config, turn.assigned_role) === 'review_only';
  if (!asksForMore && !waits && !reviews) return result;
  changes.push({ rule: 'empty_workspace_is_review', path: 'artifact.type', before: 'workspace', after: 'review' });
  return { ...result, artifact: { ...artifact, type: 'review' } };
}

export function producesArtifact(verification: unknown): boolean {
  const produced = isRecord(verification) ? verification.produced_files : undefined;
  return Array.isArray(produced) && produced.some((file) => isRecord(file) && file.disposition !== 'ignore');
}

function read(result: UnknownRecord, path: string): unknown {
  const [head = '', tail] = path.split('.');
  const value = getOwn(result, head);
  return tail === undefined ? value : isRecord(value) ? getOwn(value, tail) : undefined;
}

function write(result: UnknownRecord, path: string, value: unknown): UnknownRecord {
  const [head = '', tail] = path.split('.');
  if (tail === undefined) return { ...result, [head]: value };
  const group = getOwn(result, head);
  return { ...result, [head]: { ...(isRecord(group) ? group : {}), [tail]: value } };
}

interface Synonym {
  readonly rule: string;
  readonly path: string;
  /** Returns undefined if there is nothing to replace. */
  readonly replace: (result: UnknownRecord) => unknown;
  /** Path of the original member, if it differs from `path`. */
  readonly from?: string;
}

const VERIFICATION_WORDS: UnknownRecord = { passed: 'pass', failed: 'fail' };
const ARTIFACT_WORDS: UnknownRecord = { code: 'workspace' };

const SYNONYMS: readonly Synonym[] = [
  {
    rule: 'verification_word',
    path: 'verification.status',
    replace: ({ verification }) =>
      isRecord(verification) ? wordOf(VERIFICATION_WORDS, verification.status) : undefined,
  },
  {
    rule: 'artifact_word',
    path: 'artifact.type',
    replace: ({ artifact }) => (isRecord(artifact) ? wordOf(ARTIFACT_WORDS, artifact.type) : undefined),
  },
  {
    rule: 'human_reason',
    path: 'needs_human_reason',
    from: 'human_reason',
    replace: ({ needs_human_reason, human_reason }) =>
      isMissing(needs_human_reason) && typeof human_reason === 'string' ? human_reason : undefined,
  },
  // Must run before `file_objects`, which drops the actions.
  {
    rule: 'file_actions',
    path: 'file_actions',
    from: 'files_changed',
    replace: ({ files_changed }) => actionsOf(files_changed),
  },
  { rule: 'file_objects', path: 'files_changed', replace: ({ files_changed }) => pathsOf(files_changed) },
];

function wordOf(words: UnknownRecord, word: unknown): unknown {
  return typeof word === 'string' && Object.hasOwn(words, word) ? words[word] : undefined;
}

function isFileObject(file: unknown): file is { readonly path: string; readonly action?: unknown } {
  return isRecord(file) && typeof file.path === 'string';
}

function pathsOf(files: unknown): unknown {
  if (!Array.isArray(files) || !files.some(isFileObject)) return undefined;
  return files.map((file) => (isFileObject(file) ? file.path : file));
}

function actionsOf(files: unknown): unknown {
  if (!Array.isArray(files)) return undefined;
  const changes = files.filter(isFileObject).filter(({ action }) => typeof action === 'string');
  if (changes.length === 0) return undefined;
  return Object.fromEntries(changes.map(({ path, action }) => [canonicalPath(path) ?? path, action]));
}

/** Returns `DEC-001` or the next free id. */
export function nextFreeId(taken: ReadonlySet<string>): string {
  for (let n = 1; ; n++) {
    const free = `DEC-${String(n).padStart(3, '0')}`;
    // People read `DEC-7` and `DEC-007` as the same id, so both count as taken.
    if (!taken.has(free) && !taken.has(`DEC-${n}`)) return free;
  }
}

/** Rewrites a result before it is judged. Invents nothing; reports each replacement with before and after. */

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
  /** The turn the result is for, if there is one. */
  readonly turn: Turn | null;
  /** Ids that are taken: in the ledger, and of decisions that outlive runs. */
  readonly takenIds: ReadonlySet<string>;
}

export function normaliseResult(given: unknown, around: NormaliseInput): NormaliseResult {
  if (!isRecord(given)) return { result: given, normalisations: [] };
  const told: Normalisation[] = [];
  let result: UnknownRecord = given;
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
function runIdFromTurn(result: UnknownRecord, { state, turn }: NormaliseInput, told: Normalisation[]): UnknownRecord {
  if (turn === null || result.turn_id !== turn.turn_id || result.run_id === state.run_id) return result;
  told.push({ rule: 'run_id_from_turn', path: 'run_id', before: result.run_id, after: state.run_id });
  return { ...result, run_id: state.run_id };
}

/** An id that is none is replaced by one nobody has. */
function freeDecisionIds(result: UnknownRecord, { takenIds }: NormaliseInput, told: Normalisation[]): UnknownRecord {
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
function emptyWorkspaceIsReview(
  result: UnknownRecord,
  { config, turn }: NormaliseInput,
  told: Normalisation[],
): UnknownRecord {
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

export function producesArtifact({ verification }: UnknownRecord): boolean {
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
  /** What stands there instead; undefined = it is written as it should be. */
  readonly replace: (result: UnknownRecord) => unknown;
  /** Where it stood before, if elsewhere. */
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
  // Before the paths alone: it reads the objects.
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
  const told = files.filter(isFileObject).filter(({ action }) => typeof action === 'string');
  if (told.length === 0) return undefined;
  return Object.fromEntries(told.map(({ path, action }) => [canonicalPath(path) ?? path, action]));
}

/** `DEC-001`, or the first after it that is free. */
export function nextFreeId(taken: ReadonlySet<string>): string {
  let n = 1;
  while (isTaken(taken, n)) n++;
  return written(n);
}

/** `DEC-7` and `DEC-007` are read as the same by people: the new id is neither. */
function isTaken(taken: ReadonlySet<string>, n: number): boolean {
  return taken.has(written(n)) || taken.has(`DEC-${n}`);
}

function written(n: number): string {
  return `DEC-${String(n).padStart(3, '0')}`;
}

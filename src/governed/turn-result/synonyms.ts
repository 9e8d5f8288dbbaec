/** Other words that mean the same, in one table: replaced once, before anything is judged, and told. */

import { canonicalPath } from '../engine/lib/project-paths.ts';
import { isMissing, isRecord, type Unknowns } from '../engine/lib/unknown-record.ts';

export interface Synonym {
  readonly rule: string;
  readonly path: string;
  /** What stands there instead; undefined = it is written as it should be. */
  readonly replace: (result: Unknowns) => unknown;
  /** Where it stood before, if elsewhere. */
  readonly from?: string;
}

const VERIFICATION_WORDS: Unknowns = { passed: 'pass', failed: 'fail' };
const ARTIFACT_WORDS: Unknowns = { code: 'workspace' };

export const SYNONYMS: readonly Synonym[] = [
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

function wordOf(words: Unknowns, word: unknown): unknown {
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

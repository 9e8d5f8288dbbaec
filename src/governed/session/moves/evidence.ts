/** Defines and checks what the runner observed: files, git state, hook results. */

import { utf8Bytes } from '../../../core/lib/json.ts';
import { sha256 } from '../../../core/lib/sha256.ts';
import type { ReadFiles } from '../../engine/gates/verdict.ts';
import { canonicalPath } from '../../engine/lib/project-paths.ts';
import { repeatedIn, type UnknownRecord } from '../../engine/lib/unknown-record.ts';
import {
  anyText,
  anything,
  flag,
  listOf,
  misread,
  object,
  or,
  orNull,
  type Reader,
  text,
  whole,
} from '../state/shape.ts';
import { sessionError } from './move.ts';

/** Maximum text per file; a larger file has a digest and an excerpt. */
export const MAX_EVIDENCE_TEXT: number = 16 * 1024;

export interface FileEvidence {
  /** Canonical path, relative to the project. */
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
  /** null if only the existence of the file matters. */
  readonly text: string | null;
  readonly excerpt: boolean;
}

export interface GitEvidence {
  readonly head: string | null;
  /** Files changed since the dispatch; null if unknown. */
  readonly changed: readonly string[] | null;
  readonly is_clean: boolean | null;
}

export type HookEvidence = UnknownRecord;

export interface Evidence {
  readonly files: readonly FileEvidence[];
  readonly git: GitEvidence | null;
  readonly hooks: readonly HookEvidence[];
}

export const gitEvidence: Reader<GitEvidence> = object<GitEvidence>({
  head: orNull(text),
  changed: orNull(listOf(text)),
  is_clean: orNull(flag),
});

export const hookEvidence: Reader<readonly HookEvidence[]> = or(listOf(anything), []);

const fileEvidence: Reader<FileEvidence> = object<FileEvidence>({
  path: text,
  sha256: text,
  size: whole,
  text: orNull(anyText),
  excerpt: or(flag, false),
});

const parts: Reader<Evidence> = object<Evidence>({
  files: or(listOf(fileEvidence), []),
  git: orNull(gitEvidence),
  hooks: hookEvidence,
});

export const evidence: Reader<Evidence> = (value, field) => {
  const read = parts(value, field);
  read.files.forEach((file, at) => {
    checkFile(file, `${field}.files.${at}`);
  });
  const [twice] = repeatedIn(read.files.map(({ path }) => path));
  if (twice !== undefined) throw misread(`${field}.files`, 'each file once', twice);
  return read;
};

function checkFile({ path, sha256: digest, size, text: says, excerpt }: FileEvidence, field: string): void {
  if (canonicalPath(path) !== path) throw misread(`${field}.path`, 'a path inside the project, without detours', path);
  if (!/^[0-9a-f]{64}$/.test(digest)) throw misread(`${field}.sha256`, 'a SHA-256 in hex', digest);
  if (says === null) return;
  const bytes = utf8Bytes(says);
  if (bytes > MAX_EVIDENCE_TEXT) throw misread(`${field}.text`, `at most ${MAX_EVIDENCE_TEXT} bytes`, bytes);
  if (excerpt) return;
  if (bytes !== size) throw misread(`${field}.size`, `${bytes}, which its text has`, size);
  const actual = sha256(says);
  if (actual !== digest) throw misread(`${field}.sha256`, `${actual}, which its text has`, digest);
}

/** Returns a reader of the observed project files. */
export function filesIn({ files }: Evidence): ReadFiles {
  const texts = new Map(files.map(({ path, text: says }) => [path, says ?? '']));
  return (path) => texts.get(canonicalPath(path) ?? path) ?? null;
}

const STOPS = /^(blocked|aborted)/;

export function stoppedBy(entries: readonly HookEvidence[]): HookEvidence | undefined {
  return entries.find(({ orchestrator_action: action }) => typeof action === 'string' && STOPS.test(action));
}

export function requireHooks(entries: readonly HookEvidence[]): void {
  const by = stoppedBy(entries);
  if (by === undefined) return;
  const { hook_name, hook_phase, orchestrator_action: action } = by;
  const code = action === 'aborted_tamper' ? 'hook_tamper' : 'hook_blocked';
  const detail = `the hook ${String(hook_name)} (${String(hook_phase)}) has stopped this: ${String(action)}`;
  throw sessionError(code, detail, { hook_name, action });
}

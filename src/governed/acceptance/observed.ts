/** What somebody saw change, against what the result says: by the eyes of the repository, and by other turns. */

import type { GovernedConfig } from '../engine/config/config.ts';
import { authorityOf } from '../config/phases.ts';
import { canonicalPath, isProductPath, isReserved } from '../engine/lib/project-paths.ts';
import { type Refused, refuse } from '../refusal.ts';
import type { Turn } from '../run/state.ts';
import type { TurnResult } from '../engine/turn-result/result.ts';

export interface Observed {
  readonly refusal: Refused | null;
  readonly warnings: readonly string[];
}

/** `seen`: null = nobody looked. */
export function compareObserved(
  result: TurnResult,
  turn: Turn,
  config: GovernedConfig,
  seen: readonly string[] | null,
): Observed {
  if (seen === null) return { refusal: null, warnings: [] };
  const declared = declaredFiles(result);
  const changed = canonicalAll(seen).filter((path) => !isReserved(path));
  const authority = authorityOf(config, turn.assigned_role);
  const touched = changed.filter(isProductPath);
  if (authority === 'review_only' && touched.length > 0) return mismatch('reviewer_changed_product', touched);
  const hidden = changed.filter((path) => !declared.has(path));
  if (authority === 'authoritative' && hidden.length > 0) return mismatch('undeclared_change', hidden);
  const phantom = canonicalAll(result.files_changed).filter((path) => !changed.includes(path));
  return { refusal: null, warnings: phantom.map((path) => `files_changed: ${path} was not seen to change`) };
}

/** Another turn has changed the same file while this one was out. */
export function conflictOf(result: TurnResult, { turn_id, overtaken_by = [] }: Turn): Refused | null {
  const own = declaredFiles(result);
  const clashes = overtaken_by.flatMap(({ turn_id: by, files }) =>
    files.filter((path) => own.has(path)).map((path) => ({ path, turn_id: by })),
  );
  if (clashes.length === 0) return null;
  const paths = [...new Set(clashes.map(({ path }) => path))];
  return refuse('conflict', 'file_conflict', `${turn_id}: others have changed ${paths.join(', ')} meanwhile`, {
    clashes,
  });
}

export function canonicalAll(paths: readonly string[]): readonly string[] {
  return paths.map((path) => canonicalPath(path) ?? path);
}

function declaredFiles({ files_changed, artifacts_created = [], verification }: TurnResult): ReadonlySet<string> {
  const produced = (verification.produced_files ?? []).map(({ path }) => path);
  return new Set(canonicalAll([...files_changed, ...artifacts_created, ...produced]));
}

function mismatch(code: string, paths: readonly string[]): Observed {
  const detail = `${code}: ${paths.join(', ')}`;
  return { refusal: refuse('artifact_mismatch', code, detail, { paths }), warnings: [] };
}

/** Writes files outside the bundles: the dispatch index, runtime files of active turns, evidence of accepted turns. */

import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { asText, readFileOrNull, writeAtomically, writeFileAtomic } from '../../system/atomic-file.ts';
import type { ManifestFile } from '../engine/dispatch/manifest.ts';
import {
  bundleFolder,
  DISPATCH_INDEX,
  EVIDENCE_FOLDER,
  runtimeFolder,
  stagingFolder,
} from '../engine/dispatch/paths.ts';
import { getTurnStagingResultPath, type RunState } from '../engine/index.ts';
import { readInParts } from '../files/read-text.ts';
import { checkTurnId, type FileFailure, resolveInside, toFailure } from '../files/safe-path.ts';
import { observe } from './manifest.ts';

export async function writeDispatchIndex(root: string, state: RunState): Promise<void> {
  const turns = Object.values(state.active_turns).map((turn) => [
    turn.turn_id,
    {
      role: turn.assigned_role,
      runtime_id: turn.runtime_id,
      status: turn.status,
      attempt: turn.attempt,
      deadline_at: turn.deadline_at,
      bundle_path: bundleFolder(turn.turn_id),
      staging_result_path: getTurnStagingResultPath(turn.turn_id),
    },
  ]);
  const { run_id, phase } = state;
  const index = { schema_version: '1.0', run_id, phase, active_turns: Object.fromEntries(turns) };
  const place = await resolveInside(root, DISPATCH_INDEX);
  const text = asText(index);
  if ((await readFileOrNull(place)) !== text) await writeFileAtomic(place, text);
}

export function writeRuntimeFile(
  root: string,
  turnId: string,
  name: string,
  content: string | Uint8Array,
): Promise<{ readonly ok: true; readonly path: string } | FileFailure> {
  return toFailure(async () => {
    checkTurnId(turnId);
    const path = `${runtimeFolder(turnId)}/${name}`;
    await writeFileAtomic(await resolveInside(root, path), content);
    return { ok: true, path };
  });
}

export interface CleanUpResult {
  readonly ok: true;
  /** Kept files by project path; the content is in `.agentxchain/evidence/<sha256>`. */
  readonly evidence: readonly ManifestFile[];
}

/** Keeps the files of an accepted turn as evidence, then deletes them. Idempotent. `state` follows the acceptance. */
export function cleanUpTurn(root: string, state: RunState, turnId: string): Promise<CleanUpResult | FileFailure> {
  return toFailure(async () => {
    checkTurnId(turnId);
    const folders = [bundleFolder(turnId), runtimeFolder(turnId), stagingFolder(turnId)];
    const evidence: ManifestFile[] = [];
    for (const folder of folders) evidence.push(...(await keepFiles(root, folder)));
    // Delete files only after all of them are kept.
    for (const folder of folders) await rm(await resolveInside(root, folder), { recursive: true, force: true });
    await writeDispatchIndex(root, state);
    return { ok: true, evidence };
  });
}

async function keepFiles(root: string, folder: string): Promise<readonly ManifestFile[]> {
  const place = await resolveInside(root, folder);
  const kept: ManifestFile[] = [];
  for (const file of (await observe(place)) ?? []) {
    // Link targets do not belong to the turn.
    if (file.kind !== 'file') continue;
    const { sha256, size } = await keepFile(root, join(place, file.path));
    kept.push({ path: `${folder}/${file.path}`, sha256, size });
  }
  return kept;
}

/** Names the copy by its own digest, because the source may change during the read. */
async function keepFile(root: string, source: string): Promise<{ readonly sha256: string; readonly size: number }> {
  const hash = createHash('sha256');
  let [size, sha256] = [0, ''];
  await writeAtomically(await resolveInside(root, EVIDENCE_FOLDER), 0o400, async (draft) => {
    size = await readInParts(source, (part) => {
      hash.update(part);
      return draft.writeFile(part);
    });
    sha256 = hash.digest('hex');
    return sha256;
  });
  return { sha256, size };
}

/** Files beside the bundles: the dispatch index, runtime files of turns that are out, and evidence kept of accepted turns. */

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { asText, type DraftFile, readFileOrNull, writeAtomically, writeFileAtomic } from '../../system/atomic-file.ts';
import type { ManifestFile } from '../engine/dispatch/manifest.ts';
import {
  bundleFolder,
  DISPATCH_INDEX,
  EVIDENCE_FOLDER,
  runtimeFolder,
  stagingFolder,
} from '../engine/dispatch/paths.ts';
import { getTurnStagingResultPath, type RunState } from '../engine/index.ts';
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
  /** What there was, by its path in the project; the content is under `.agentxchain/evidence/<sha256>`. */
  readonly evidence: readonly ManifestFile[];
}

/** `state` is the one after the acceptance. Done twice, it does nothing the second time. */
export function cleanUpTurn(root: string, state: RunState, turnId: string): Promise<CleanUpResult | FileFailure> {
  return toFailure(async () => {
    checkTurnId(turnId);
    const folders = [bundleFolder(turnId), runtimeFolder(turnId), stagingFolder(turnId)];
    const evidence: ManifestFile[] = [];
    for (const folder of folders) evidence.push(...(await keepFiles(root, folder)));
    // Only when all of it is safe.
    for (const folder of folders) await rm(await resolveInside(root, folder), { recursive: true, force: true });
    await writeDispatchIndex(root, state);
    return { ok: true, evidence };
  });
}

async function keepFiles(root: string, folder: string): Promise<readonly ManifestFile[]> {
  const place = await resolveInside(root, folder);
  const kept: ManifestFile[] = [];
  for (const file of (await observe(place)) ?? []) {
    // Where a link leads is not the turn's to keep.
    if (file.kind !== 'file') continue;
    const { sha256, size } = await keepFile(root, join(place, file.path));
    kept.push({ path: `${folder}/${file.path}`, sha256, size });
  }
  return kept;
}

/** Copied, and named after what the copy holds: the file may change while it is read. */
async function keepFile(root: string, source: string): Promise<{ readonly sha256: string; readonly size: number }> {
  const hash = createHash('sha256');
  let [size, sha256] = [0, ''];
  await writeAtomically(await resolveInside(root, EVIDENCE_FOLDER), 0o400, async (draft) => {
    size = await copyInto(draft, source, (part) => hash.update(part));
    sha256 = hash.digest('hex');
    return sha256;
  });
  return { sha256, size };
}

async function copyInto(draft: DraftFile, source: string, onPart: (part: Buffer) => void): Promise<number> {
  const file = await open(source, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    let size = 0;
    for await (const part of file.createReadStream({ autoClose: false })) {
      onPart(part);
      await draft.writeFile(part);
      size += part.length;
    }
    return size;
  } finally {
    await file.close();
  }
}

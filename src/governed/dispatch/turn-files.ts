/** After a turn was accepted its files go; what was in them is kept under its digest, once, however often it occurs. */

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleFolder, EVIDENCE_FOLDER, runtimeFolder, stagingFolder } from '../engine/dispatch/paths.ts';
import type { RunState } from '../index.ts';
import type { ManifestFile } from '../manifest/manifest.ts';
import { makeWhole } from '../../system/atomic-file.ts';
import { observe } from '../../node/governed/manifest/observe.ts';
import { type NotDone, orRefusal } from '../../node/governed/refusal.ts';
import { checkTurnId, placeIn } from '../../node/governed/safe-place.ts';
import { writeDispatchIndex } from '../../node/governed/dispatch/index-file.ts';

export interface CleanedUp {
  readonly ok: true;
  /** What there was, by its path in the project; the content is under `.agentxchain/evidence/<sha256>`. */
  readonly evidence: readonly ManifestFile[];
}

/** `state` is the one after the acceptance. Done twice, it does nothing the second time. */
export function cleanUpTurn(root: string, state: RunState, turnId: string): Promise<CleanedUp | NotDone> {
  return orRefusal(async () => {
    checkTurnId(turnId);
    const folders = [bundleFolder(turnId), runtimeFolder(turnId), stagingFolder(turnId)];
    const evidence: ManifestFile[] = [];
    for (const folder of folders) evidence.push(...(await keepFiles(root, folder)));
    // Only when all of it is safe.
    for (const folder of folders) await rm(await placeIn(root, folder), { recursive: true, force: true });
    await writeDispatchIndex(root, state);
    return { ok: true, evidence };
  });
}

async function keepFiles(root: string, folder: string): Promise<readonly ManifestFile[]> {
  const place = await placeIn(root, folder);
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
  await makeWhole(await placeIn(root, EVIDENCE_FOLDER), 0o400, async (draft) => {
    size = await copyInto(draft, source, (part) => hash.update(part));
    sha256 = hash.digest('hex');
    return sha256;
  });
  return { sha256, size };
}

async function copyInto(draft: FileHandle, source: string, onPart: (part: Buffer) => void): Promise<number> {
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

/** What was handed in for a turn, if all of it is there. Half a file, a link or another file than was looked at is not. */

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { asError } from '../../core/lib/errors.ts';
import { getTurnStagingResultPath } from '../index.ts';
import { isRecord, type Unknowns } from '../engine/lib/unknown-record.ts';
import { isNestedWithin } from '../../system/json-nesting.ts';
import { FileRefusal } from '../../node/governed/refusal.ts';
import { checkTurnId, placeIn } from '../../node/governed/safe-place.ts';

export type Staged =
  | { readonly kind: 'absent' }
  /** Something is there, but not a whole result: it may be in the making. */
  | { readonly kind: 'partial'; readonly problem: string }
  /** It can never become one. */
  | { readonly kind: 'refused'; readonly problem: string }
  | {
      readonly kind: 'ready';
      readonly result: Unknowns;
      readonly sha256: string;
      readonly size: number;
      /** Another value = another file, or another content. */
      readonly version: string;
    };

export const MAX_RESULT_BYTES: number = 8 * 1024 * 1024;

export async function readStagedResult(root: string, turnId: string): Promise<Staged> {
  try {
    checkTurnId(turnId);
    const place = await placeIn(root, getTurnStagingResultPath(turnId));
    return await readAt(place);
  } catch (thrown) {
    if (thrown instanceof FileRefusal) return { kind: 'refused', problem: thrown.message };
    return { kind: 'partial', problem: asError(thrown).message };
  }
}

async function readAt(place: string): Promise<Staged> {
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
  const file = await open(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return null;
    throw thrown;
  });
  if (file === null) return { kind: 'absent' };
  try {
    const before = await versionOf(file);
    if (before === null) return { kind: 'refused', problem: `${place}: expected a plain file` };
    if (before.size > MAX_RESULT_BYTES) {
      return { kind: 'refused', problem: `${place}: expected at most ${MAX_RESULT_BYTES} bytes, got ${before.size}` };
    }
    const bytes = await file.readFile();
    const after = await versionOf(file);
    // One that gets its name meanwhile is another file, and seen next time; this one must not have been written to.
    const isSame = after?.version === before.version && bytes.length === before.size;
    if (!isSame) return { kind: 'partial', problem: 'it changed while it was read' };
    return understood(bytes, before.version);
  } finally {
    await file.close();
  }
}

/** Deeper than any result that means something; what walks through it does so by calls. */
const MAX_DEPTH = 200;

function understood(bytes: Buffer, version: string): Staged {
  if (!isNestedWithin(bytes, MAX_DEPTH)) {
    return { kind: 'refused', problem: `expected JSON that is nested at most ${MAX_DEPTH} deep` };
  }
  const result = parsed(bytes);
  // What an editor or a template leaves behind is nothing yet.
  if (!isRecord(result) || Object.keys(result).length === 0) {
    return { kind: 'partial', problem: 'expected a JSON object with something in it' };
  }
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { kind: 'ready', result, sha256, size: bytes.length, version };
}

/** null = no plain file. */
async function versionOf(file: FileHandle): Promise<{ readonly version: string; readonly size: number } | null> {
  const found = await file.stat();
  if (!found.isFile()) return null;
  const { dev, ino, size, mtimeMs, ctimeMs } = found;
  return { version: [dev, ino, size, mtimeMs, ctimeMs].join(':'), size };
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
}

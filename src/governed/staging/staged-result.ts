/** Writes the staged result of a turn atomically, reads it only when complete, and waits for it. */

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { asError } from '../../core/lib/errors.ts';
import type { Clock } from '../../core/ports/platform.ts';
import { asText, writeFileAtomic } from '../../system/atomic-file.ts';
import { systemClock } from '../../system/clock.ts';
import { isNestedWithin } from '../../system/json-nesting.ts';
import { getTurnStagingResultPath } from '../engine/index.ts';
import { isRecord, type UnknownRecord } from '../engine/lib/unknown-record.ts';
import { checkTurnId, type FileFailure, FileRefusal, resolveInside, toFailure } from '../files/safe-path.ts';

export function stageResult(
  root: string,
  turnId: string,
  result: unknown,
): Promise<{ readonly ok: true; readonly path: string } | FileFailure> {
  return toFailure(async () => {
    checkTurnId(turnId);
    const path = getTurnStagingResultPath(turnId);
    await writeFileAtomic(await resolveInside(root, path), asText(result));
    return { ok: true, path };
  });
}

export type StagedResult =
  | { readonly kind: 'absent' }
  /** Incomplete; the writer may still be working. */
  | { readonly kind: 'partial'; readonly problem: string }
  /** Not acceptable, even if it is complete. */
  | { readonly kind: 'refused'; readonly problem: string }
  | {
      readonly kind: 'ready';
      readonly result: UnknownRecord;
      readonly sha256: string;
      readonly size: number;
      /** Changes when the file is replaced or modified. */
      readonly version: string;
    };

export const MAX_RESULT_BYTES: number = 8 * 1024 * 1024;

export async function readStagedResult(root: string, turnId: string): Promise<StagedResult> {
  try {
    checkTurnId(turnId);
    const place = await resolveInside(root, getTurnStagingResultPath(turnId));
    return await readAt(place);
  } catch (thrown) {
    if (thrown instanceof FileRefusal) return { kind: 'refused', problem: thrown.message };
    return { kind: 'partial', problem: asError(thrown).message };
  }
}

async function readAt(place: string): Promise<StagedResult> {
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
    // The open file must not change during the read; a file renamed into its place is read next time.
    const isSame = after?.version === before.version && bytes.length === before.size;
    if (!isSame) return { kind: 'partial', problem: 'it changed while it was read' };
    return understood(bytes, before.version);
  } finally {
    await file.close();
  }
}

/** Limits nesting, because later code recurses into the result. */
const MAX_DEPTH = 200;

function understood(bytes: Buffer, version: string): StagedResult {
  if (!isNestedWithin(bytes, MAX_DEPTH)) {
    return { kind: 'refused', problem: `expected JSON that is nested at most ${MAX_DEPTH} deep` };
  }
  const result = parsed(bytes);
  // An empty file or object is not a result yet.
  if (!isRecord(result) || Object.keys(result).length === 0) {
    return { kind: 'partial', problem: 'expected a non-empty JSON object' };
  }
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { kind: 'ready', result, sha256, size: bytes.length, version };
}

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

export const POLL_INTERVAL_MS = 2_000;
export const MANUAL_TIMEOUT_MS = 1_200_000;
/** Delay between the two reads that must agree. */
const SETTLE_MS = 50;

export interface WaitOptions {
  readonly pollIntervalMs?: number;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** Version to ignore, because it was staged before the wait. */
  readonly except?: string | undefined;
  readonly clock?: Pick<Clock, 'after' | 'monotonic'>;
}

export type StagedWaitResult =
  | Extract<StagedResult, { readonly kind: 'ready' | 'refused' }>
  /** `last` shows whether the result was incomplete or absent. */
  | { readonly kind: 'timeout' | 'aborted'; readonly last: StagedResult };

export async function waitForStagedResult(
  root: string,
  turnId: string,
  options: WaitOptions = {},
): Promise<StagedWaitResult> {
  const { pollIntervalMs = POLL_INTERVAL_MS, timeoutMs = MANUAL_TIMEOUT_MS, signal, clock = systemClock } = options;
  const { except } = options;
  const until = clock.monotonic() + timeoutMs;
  let before: StagedResult = { kind: 'absent' };
  for (;;) {
    const now = unless(except, await readStagedResult(root, turnId));
    if (now.kind === 'refused') return now;
    if (now.kind === 'ready' && before.kind === 'ready' && now.version === before.version) return now;
    const left = until - clock.monotonic();
    if (signal?.aborted) return { kind: 'aborted', last: now };
    if (left <= 0) return { kind: 'timeout', last: now };
    before = now;
    await pause(clock, Math.min(now.kind === 'ready' ? SETTLE_MS : pollIntervalMs, left), signal);
  }
}

function unless(except: string | undefined, staged: StagedResult): StagedResult {
  return staged.kind === 'ready' && staged.version === except ? { kind: 'absent' } : staged;
}

function pause(clock: Pick<Clock, 'after'>, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resume) => {
    const stop = clock.after(ms, done);
    signal?.addEventListener('abort', done, { once: true });

    function done(): void {
      stop();
      signal?.removeEventListener('abort', done);
      resume();
    }
  });
}

/** Files of an attempt: the bundle a driver reads, and the log and failure it leaves behind. */

import { asError } from '../../../core/lib/errors.ts';
import { redactSecrets } from '../../../participants/lib/redact-secrets.ts';
import { asText } from '../../../system/atomic-file.ts';
import { writeRuntimeFile } from '../../dispatch/turn-files.ts';
import { bundleFolder } from '../../engine/dispatch/paths.ts';
import { getTurnStagingResultPath, type Turn } from '../../engine/index.ts';
import { parseRecord, type UnknownRecord } from '../../engine/lib/unknown-record.ts';
import { readRegularFile } from '../../files/read-text.ts';
import { checkTurnId, resolveInside } from '../../files/safe-path.ts';
import { MAX_RESULT_BYTES } from '../../staging/staged-result.ts';
import type { DispatchBundle } from './driver.ts';
import { type DriverFailure, refuse } from './failure.ts';

const MAX_FILE_BYTES = 16 * 1024 * 1024;

export async function readBundle(root: string, turn: Turn): Promise<DispatchBundle> {
  const { turn_id } = turn;
  const dispatch_dir = bundleFolder(turn_id);
  const [json, prompt, context] = await Promise.all(
    ['ASSIGNMENT.json', 'PROMPT.md', 'CONTEXT.md'].map((name) => readPart(root, turn_id, `${dispatch_dir}/${name}`)),
  );
  const assignment = assignmentIn(json ?? '');
  const textOf = (name: string, other: string): string => {
    const value = assignment[name];
    return typeof value === 'string' ? value : other;
  };
  return {
    root,
    run_id: textOf('run_id', turn.run_id ?? ''),
    turn_id,
    role: turn.assigned_role,
    phase: textOf('phase', ''),
    runtime_id: turn.runtime_id,
    attempt: turn.attempt,
    timeout_ms: typeof assignment.timeout_ms === 'number' ? assignment.timeout_ms : DEFAULT_TIMEOUT_MS,
    dispatch_dir,
    staging_path: getTurnStagingResultPath(turn_id),
    assignment,
    prompt: prompt ?? '',
    context: context ?? '',
  };
}

const DEFAULT_TIMEOUT_MS = 1_200_000;

async function readPart(root: string, turnId: string, path: string): Promise<string> {
  try {
    checkTurnId(turnId);
    return await readRegularFile(await resolveInside(root, path), MAX_FILE_BYTES);
  } catch (thrown) {
    return refuse('bundle_unreadable', `${path}: ${asError(thrown).message}`);
  }
}

function assignmentIn(text: string): UnknownRecord {
  return parseRecord(text) ?? refuse('bundle_unreadable', 'ASSIGNMENT.json: expected a JSON object');
}

type Kept = Pick<DispatchBundle, 'root' | 'turn_id' | 'attempt'>;

/** A log that cannot be written changes nothing of what came of the turn. */
export async function saveAttemptLog(
  bundle: Kept,
  name: string,
  text: string,
  secrets: readonly string[] = [],
): Promise<void> {
  const { root, turn_id, attempt } = bundle;
  await writeRuntimeFile(root, turn_id, `attempt-${attempt}/${name}`, withoutSecrets(text, secrets));
}

/** For inspection: the next attempt may write another result in its place. */
export async function saveFailure(bundle: Kept, failure: DriverFailure): Promise<void> {
  await saveAttemptLog(bundle, 'adapter-error.json', asText(failure));
  const { root, turn_id, attempt } = bundle;
  const staged = await stagedText(root, turn_id);
  if (staged !== null) await writeRuntimeFile(root, turn_id, `attempt-${attempt}/staged-result.json`, staged);
}

/** null = nothing that could be kept. */
async function stagedText(root: string, turnId: string): Promise<string | null> {
  try {
    return await readRegularFile(await resolveInside(root, getTurnStagingResultPath(turnId)), MAX_RESULT_BYTES);
  } catch {
    return null;
  }
}

const LEFT_OUT = /\n\[… \d+ bytes left out …\]\n/;
/** Of less nobody could tell that it is a part of a secret. */
const SHORTEST_PART = 4;

/** What is long was cut in its middle, and a secret may have been cut with it. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  const [mark] = LEFT_OUT.exec(text) ?? [];
  if (mark === undefined) return redactSecrets(text, secrets);
  const [head = '', tail = ''] = text.split(mark);
  return [withoutEnd(head, secrets), withoutBeginning(tail, secrets)]
    .map((part) => redactSecrets(part, secrets))
    .join(mark);
}

function withoutEnd(text: string, secrets: readonly string[]): string {
  const chars = secrets.map((secret) => longest(secret, (count) => text.endsWith(secret.slice(0, count))));
  return text.slice(0, text.length - Math.max(0, ...chars));
}

function withoutBeginning(text: string, secrets: readonly string[]): string {
  const chars = secrets.map((secret) => longest(secret, (count) => text.startsWith(secret.slice(-count))));
  return text.slice(Math.max(0, ...chars));
}

function longest(secret: string, isPart: (chars: number) => boolean): number {
  for (let chars = secret.length - 1; chars >= SHORTEST_PART; chars -= 1) if (isPart(chars)) return chars;
  return 0;
}

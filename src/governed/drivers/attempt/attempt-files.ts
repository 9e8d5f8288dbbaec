/** Reads the bundle of an attempt for the driver; writes the attempt's logs and failure. */

import { asError } from '../../../core/lib/errors.ts';
import { redactSecrets } from '../../../participants/lib/redact-secrets.ts';
import { asText } from '../../../system/atomic-file.ts';
import { writeRuntimeFile } from '../../dispatch/turn-files.ts';
import { bundleFolder } from '../../engine/dispatch/paths.ts';
import { getTurnStagingResultPath, type Turn } from '../../engine/index.ts';
import { parseRecord } from '../../engine/lib/unknown-record.ts';
import { readRegularFile } from '../../files/read-text.ts';
import { checkTurnId, resolveInside } from '../../files/safe-path.ts';
import { MAX_RESULT_BYTES } from '../../staging/staged-result.ts';
import type { DispatchBundle } from './driver.ts';
import { type DriverFailure, refuse } from './failure.ts';

const MAX_FILE_BYTES = 16 * 1024 * 1024;
const DEFAULT_TIMEOUT_MS = 1_200_000;

export async function readBundle(root: string, turn: Turn): Promise<DispatchBundle> {
  const { turn_id } = turn;
  const dispatch_dir = bundleFolder(turn_id);
  const [json = '', prompt = '', context = ''] = await Promise.all(
    ['ASSIGNMENT.json', 'PROMPT.md', 'CONTEXT.md'].map((name) => readPart(root, turn_id, `${dispatch_dir}/${name}`)),
  );
  const assignment = parseRecord(json) ?? refuse('bundle_unreadable', 'ASSIGNMENT.json: expected a JSON object');
  const { run_id, phase, timeout_ms } = assignment;
  return {
    root,
    run_id: typeof run_id === 'string' ? run_id : (turn.run_id ?? ''),
    turn_id,
    role: turn.assigned_role,
    phase: typeof phase === 'string' ? phase : '',
    runtime_id: turn.runtime_id,
    attempt: turn.attempt,
    timeout_ms: typeof timeout_ms === 'number' ? timeout_ms : DEFAULT_TIMEOUT_MS,
    dispatch_dir,
    staging_path: getTurnStagingResultPath(turn_id),
    assignment,
    prompt,
    context,
  };
}

async function readPart(root: string, turnId: string, path: string): Promise<string> {
  try {
    checkTurnId(turnId);
    return await readRegularFile(await resolveInside(root, path), MAX_FILE_BYTES);
  } catch (thrown) {
    return refuse('bundle_unreadable', `${path}: ${asError(thrown).message}`);
  }
}

/** A log that cannot be written does not change the outcome of the turn. */
export async function saveAttemptLog(
  { root, turn_id, attempt }: DispatchBundle,
  name: string,
  text: string,
  secrets: readonly string[] = [],
): Promise<void> {
  await writeRuntimeFile(root, turn_id, `attempt-${attempt}/${name}`, withoutSecrets(text, secrets));
}

/** Writes the failure and a copy of the staged result, which the next attempt may overwrite. */
export async function saveFailure(bundle: DispatchBundle, failure: DriverFailure): Promise<void> {
  await saveAttemptLog(bundle, 'adapter-error.json', asText(failure));
  const { root, turn_id, attempt } = bundle;
  const staged = await stagedText(root, turn_id);
  if (staged !== null) await writeRuntimeFile(root, turn_id, `attempt-${attempt}/staged-result.json`, staged);
}

async function stagedText(root: string, turnId: string): Promise<string | null> {
  try {
    return await readRegularFile(await resolveInside(root, getTurnStagingResultPath(turnId)), MAX_RESULT_BYTES);
  } catch {
    return null;
  }
}

const LEFT_OUT = /\n\[… \d+ bytes left out …\]\n/;
/** Shorter fragments cannot be recognised as part of a secret. */
const SHORTEST_PART = 4;

/** Redacts secrets, including one that was split where long output was cut in the middle. */
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

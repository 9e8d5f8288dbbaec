/** Reads the bundle of a turn. It goes out as it is on the disk, or not at all. */

import { asError } from '../../../core/lib/errors.ts';
import { bundleFolder } from '../../../governed/engine/dispatch/paths.ts';
import { getTurnStagingResultPath, type Turn } from '../../../governed/index.ts';
import { isRecord, type Unknowns } from '../../../governed/engine/lib/unknown-record.ts';
import { readPlain } from '../plain-file.ts';
import { checkTurnId, placeIn } from '../safe-place.ts';
import type { DispatchBundle } from '../../../governed/drivers/attempt/driver.ts';
import { refuse } from '../../../governed/drivers/attempt/failure.ts';

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
    return await readPlain(await placeIn(root, path), MAX_FILE_BYTES);
  } catch (thrown) {
    return refuse('bundle_unreadable', `${path}: ${asError(thrown).message}`);
  }
}

function assignmentIn(text: string): Unknowns {
  try {
    const read: unknown = JSON.parse(text);
    if (isRecord(read)) return read;
  } catch {
    // Told below, as what is no object is.
  }
  return refuse('bundle_unreadable', 'ASSIGNMENT.json: expected a JSON object');
}

/** Finds the project of a folder (the nearest agentxchain.json), its config and its hooks. */

import { dirname, join, resolve } from 'node:path';
import { readFileOrNull } from '../../../system/atomic-file.ts';
import { checkConfig } from '../../engine/index.ts';
import type { UnknownRecord } from '../../engine/lib/unknown-record.ts';
import { type HooksRun, runHooks } from '../../hooks/run-hooks.ts';
import type { RunContext } from '../contract/types.ts';
import { type Running, stateOf } from '../log/runner-context.ts';

const CONFIG_FILE = 'agentxchain.json';

/** Searches this folder and its parents; null if the nearest config is invalid or there is none. */
export async function findContext(dir: string): Promise<RunContext | null> {
  for (let folder = resolve(dir); ; folder = dirname(folder)) {
    const found = await readFileOrNull(join(folder, CONFIG_FILE)).catch(() => null);
    if (found !== null) return contextOf(folder, found);
    if (dirname(folder) === folder) return null;
  }
}

/** Reads this folder only. */
export async function readContext(root: string): Promise<RunContext | null> {
  const found = await readFileOrNull(join(root, CONFIG_FILE)).catch(() => null);
  return found === null ? null : contextOf(root, found);
}

function contextOf(root: string, text: string): RunContext | null {
  let rawConfig: unknown;
  try {
    rawConfig = JSON.parse(text);
  } catch {
    return null;
  }
  const checked = checkConfig(rawConfig);
  return checked.ok ? { root, rawConfig, config: checked.config, version: checked.config.schema_version } : null;
}

export async function hooksOf(running: Running, phase: string, payload: UnknownRecord): Promise<HooksRun> {
  const { root, config, means } = running;
  const turn_id = typeof payload.turn_id === 'string' ? payload.turn_id : null;
  return runHooks(root, config.hooks, phase, payload, {
    run_id: stateOf(running).run_id,
    turn_id,
    variables: means.variables,
  });
}

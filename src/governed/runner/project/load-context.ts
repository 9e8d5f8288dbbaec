/** Which project a folder belongs to: the nearest agentxchain.json, and what it says. */

import { dirname, join, resolve } from 'node:path';
import { checkConfig } from '../../index.ts';
import { readWhole } from '../../../node/governed/whole-file.ts';
import type { RunContext } from '../contract/types.ts';

const CONFIG_FILE = 'agentxchain.json';

/** In this folder or one above it; null = there is none, or it says nothing a run can go by. */
export async function findContext(dir: string): Promise<RunContext | null> {
  for (let folder = resolve(dir); ; folder = dirname(folder)) {
    const found = await readWhole(join(folder, CONFIG_FILE)).catch(() => null);
    if (found !== null) return contextOf(folder, found);
    if (dirname(folder) === folder) return null;
  }
}

/** Of this folder alone. */
export async function readContext(root: string): Promise<RunContext | null> {
  const found = await readWhole(join(root, CONFIG_FILE)).catch(() => null);
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

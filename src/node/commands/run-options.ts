/** How `parley join` runs its program: for how long, where, and with what of our environment. */

import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { durationMs, isDuration } from '../../core/time.ts';
import type { Asked } from '../../cli/terminal/command.ts';
import { namesIn } from '../../cli/terminal/parse-values.ts';
import { Trouble, wrongValue } from '../../cli/terminal/command-error.ts';

export interface RunOptions {
  readonly timeoutMs?: number;
  readonly passEnv?: readonly string[];
  readonly cwd?: string;
}

const MOST_MS = 86_400_000;

export async function runOptionsOf({ values, lists }: Asked, env: NodeJS.ProcessEnv): Promise<RunOptions> {
  const { timeout, cwd } = values;
  return {
    ...(timeout === undefined ? {} : { timeoutMs: timeoutIn(timeout) }),
    ...(lists['pass-env'] === undefined
      ? {}
      : { passEnv: namesIn(lists['pass-env']).map((one) => variable(one, env)) }),
    ...(cwd === undefined ? {} : { cwd: await folderIn(cwd) }),
  };
}

export function timeoutIn(given: string): number {
  const ms = isDuration(given) ? durationMs(given, '--timeout') : 0;
  if (ms > 0 && ms <= MOST_MS) return ms;
  throw wrongValue('--timeout', 'a time such as 90s, 10m or 2h, at most 24h', given);
}

/** One that is not set would be missed by the program alone, and only when its turn comes. */
function variable(name: string, env: NodeJS.ProcessEnv): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    throw wrongValue('--pass-env', 'names such as OPENAI_API_KEY,HTTPS_PROXY', name, 'Their values come from here.');
  }
  if (env[name] !== undefined) return name;
  const hint = `Set it ("export ${name}=…"), or leave it out.`;
  throw new Trouble('wrong', 'wrong_value', `--pass-env: ${name} is not set here`, hint);
}

async function folderIn(given: string): Promise<string> {
  const found = await stat(given).catch(() => null);
  if (found?.isDirectory() === true) return resolve(given);
  const why = found === null ? 'is not there' : 'is no folder';
  throw new Trouble('notFound', 'no_folder', `--cwd: ${given} ${why}`, 'Give the folder in which the program runs.');
}

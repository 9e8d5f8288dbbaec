/** Which config file is meant: the one that is named, or the only one that is there. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Trouble } from '../../cli/terminal/command-error.ts';
import { CONFIG_ENDINGS } from './source.ts';

export const CONFIG_NAMES: readonly string[] = CONFIG_ENDINGS.map((ending) => `parley.config.${ending}`);

/** null = there is none. Of two nobody can say which one is meant. */
export function findConfig(folder: string): string | null {
  const [found, ...others] = CONFIG_NAMES.filter((name) => existsSync(join(folder, name)));
  if (found === undefined) return null;
  if (others.length === 0) return join(folder, found);
  const message = `expected one config file here, got ${[found, ...others].join(', ')}`;
  throw new Trouble('wrong', 'wrong_value', message, `Keep one of them, or name it: "--config ${found}".`);
}

/** Text on the disk as configuration is kept: UTF-8, perhaps with a byte order mark before it. */

import { readFile } from 'node:fs/promises';
import { Trouble } from '../../cli/terminal/command-error.ts';

export const MARK = '\ufeff';

/** The mark is still there. */
export async function textOf(path: string): Promise<string> {
  const bytes = await readFile(path);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw unusable(path, 'it is not UTF-8', 'Save it as UTF-8 first.');
  }
}

export function unmarked(text: string): string {
  return text.startsWith(MARK) ? text.slice(MARK.length) : text;
}

export function onlyMissing(thrown: unknown): null {
  if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return null;
  throw thrown;
}

export function unusable(path: string, problem: string, hint: string): Trouble {
  return new Trouble('failed', 'unusable_config', `${path}: ${problem}; nothing was written`, hint);
}

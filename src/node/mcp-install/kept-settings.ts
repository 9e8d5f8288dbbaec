/** What an entry that is there already starts the server with: whoever does not say otherwise keeps it. */

import { access, readFile } from 'node:fs/promises';
import { ownEntry, serversIn } from '../../mcp/install/plan.ts';
import type { Tool } from '../../mcp/install/tools.ts';

/** By option, without the dashes; of one that is there several times, the last. */
export type KeptSettings = Readonly<Record<string, string>>;

export interface Kept {
  readonly settings: KeptSettings;
  readonly capabilities: readonly string[];
}

const NOTHING: Kept = { settings: {}, capabilities: [] };

/** A file that cannot be read says nothing here: whoever is about to change it says what is wrong with it. */
export async function keptSettings(tool: Tool, key: string, file: string): Promise<Kept> {
  try {
    const text = (await readFile(file, 'utf8')).replace(/^\ufeff/, '');
    const entry = ownEntry(tool, text, [...serversIn(tool, text), key]);
    return entry === undefined ? NOTHING : optionsIn(tool.wordsOf(entry).map(String));
  } catch {
    return NOTHING;
  }
}

export async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/** `--name reviewer` and `--name=reviewer`, after `mcp`. */
function optionsIn(words: readonly string[]): Kept {
  const settings: Record<string, string> = {};
  const capabilities: string[] = [];
  const given = words.slice(words.indexOf('mcp') + 1);
  for (const [i, word] of given.entries()) {
    const [, option, joined] = /^--([a-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
    const value = joined ?? given[i + 1];
    if (option === undefined || value === undefined) continue;
    if (option === 'capability') capabilities.push(value);
    else settings[option] = value;
  }
  return { settings, capabilities };
}

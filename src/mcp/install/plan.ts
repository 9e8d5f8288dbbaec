/** Plans the change of a configuration file from its text; reads and writes no files. */

import { CommandError } from '../../cli/terminal/command-error.ts';
import { isObject, type Path } from './config-editor.ts';
import { isParleyCommand } from './server-command.ts';
import type { Tool } from './tools.ts';

export type Plan =
  /** The file needs no change. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'write'; readonly act: 'added' | 'changed' | 'removed' | 'restored'; readonly after: string }
  /** The file was created only for this entry. */
  | { readonly kind: 'delete' };

export interface Before {
  readonly text: string | null;
  /** Text from before the entry was added; null if no backup exists. */
  readonly backup: string | null;
}

export function planInstall(tool: Tool, key: string, words: readonly string[], text: string | null): Plan {
  const servers = serversIn(tool, text ?? '');
  const there = ownEntry(tool, text ?? '', [...servers, key]);
  const { start, usual } = tool.entry(words, servers);
  const members = there === undefined ? { ...start, ...usual } : start;
  const after = tool.format.set(text ?? '', [...servers, key], members);
  if (after === text) return { kind: 'nothing' };
  return { kind: 'write', act: there === undefined ? 'added' : 'changed', after };
}

export function planUndo(tool: Tool, key: string, { text, backup }: Before): Plan {
  if (text === null) return { kind: 'nothing' };
  const servers = serversIn(tool, text);
  const path = [...servers, key];
  const there = ownEntry(tool, text, path);
  if (there === undefined) return { kind: 'nothing' };
  // The file was not edited since the install: restore it byte for byte.
  if (addedTo(tool, backup ?? '', path, there) === text) {
    return backup === null ? { kind: 'delete' } : { kind: 'write', act: 'restored', after: backup };
  }
  const after = taken(tool, text, path, backup);
  // The file was created for our entries, and none is left.
  if (backup === null && isNothing(after)) return { kind: 'delete' };
  return { kind: 'write', act: 'removed', after };
}

/** True if the file was created for the entry and contains nothing else. */
export function isMadeFor(tool: Tool, key: string, { text, backup }: Before): boolean {
  if (text === null || backup !== null) return false;
  const path = [...serversIn(tool, text), key];
  const there = ownEntry(tool, text, path);
  return there !== undefined && addedTo(tool, '', path, there) === text;
}

/** True if the file contains only our entries. */
export function isOnlyOwn(tool: Tool, text: string): boolean {
  const servers = serversIn(tool, text);
  const own = ownNames(tool, text);
  if (own.length === 0) return false;
  return isNothing(own.reduce((left, name) => taken(tool, left, [...servers, name], null), text));
}

function ownNames(tool: Tool, text: string): readonly string[] {
  const all = tool.format.read(text, serversIn(tool, text));
  if (!isObject(all)) return [];
  return Object.keys(all).filter((name) => {
    const entry = all[name];
    return isObject(entry) && isParleyCommand(wordsIn(tool, entry));
  });
}

function isNothing(text: string): boolean {
  return /^\s*(\{\s*\}\s*)?$/.test(text);
}

export function hasOtherOwn(tool: Tool, key: string, text: string): boolean {
  return ownNames(tool, text).some((name) => name !== key);
}

/** The entry at the path; undefined if absent. Throws if the entry is not ours. */
export function ownEntry(tool: Tool, text: string, path: Path): Readonly<Record<string, unknown>> | undefined {
  const there = tool.format.read(text, path);
  if (there === undefined) return undefined;
  if (isObject(there) && isParleyCommand(wordsIn(tool, there))) return there;
  const problem = `"${path.join('.')}" already exists and does not start "parley mcp"; nothing was written`;
  throw new CommandError('inUse', 'entry_in_use', problem, 'Use another name: "--entry parley-hub".');
}

function wordsIn(tool: Tool, entry: Readonly<Record<string, unknown>>): readonly string[] {
  return tool.wordsOf(entry).filter((word) => typeof word === 'string');
}

export function serversIn(tool: Tool, text: string): Path {
  return tool.servers(tool.format.read(text, ['mcp']));
}

/** Adds the entry to `base`; null if `base` already has a value there or cannot be changed. */
function addedTo(tool: Tool, base: string, path: Path, entry: Readonly<Record<string, unknown>>): string | null {
  try {
    if (tool.format.read(base, path) !== undefined) return null;
    // Values read from this format can be written to it.
    return tool.format.set(base, path, entry as Parameters<typeof tool.format.set>[2]);
  } catch {
    return null;
  }
}

function taken(tool: Tool, text: string, path: Path, backup: string | null): string {
  let after = tool.format.remove(text, path);
  for (let outer = path.slice(0, -1); outer.length > 0; outer = outer.slice(0, -1)) {
    const left = tool.format.read(after, outer);
    if (!isObject(left) || Object.keys(left).length > 0 || wasThere(tool, backup, outer)) break;
    after = tool.format.remove(after, outer);
  }
  return after;
}

function wasThere(tool: Tool, backup: string | null, path: Path): boolean {
  try {
    return backup !== null && tool.format.read(backup, path) !== undefined;
  } catch {
    return true;
  }
}

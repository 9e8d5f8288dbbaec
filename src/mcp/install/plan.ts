/** What is to become of a file: decided from texts alone, before anything is written. */

import { CommandError } from '../../cli/terminal/command-error.ts';
import { isObject, type Path } from './config-editor.ts';
import { isParleyCommand } from './server-command.ts';
import type { Tool } from './tools.ts';

export type Plan =
  /** It is as it was to become. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'write'; readonly act: 'added' | 'changed' | 'removed' | 'restored'; readonly after: string }
  /** It was made for this alone. */
  | { readonly kind: 'delete' };

/** A file as it is. */
export interface Before {
  /** null = there is none. */
  readonly text: string | null;
  /** What it was before the entry was put in, where that is kept. */
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
  // Nobody has touched it since: then it becomes what it was, to the byte.
  if (addedTo(tool, backup ?? '', path, there) === text) {
    return backup === null ? { kind: 'delete' } : { kind: 'write', act: 'restored', after: backup };
  }
  const after = taken(tool, text, path, backup);
  // It was made for this entry and another one of ours, which is gone.
  if (backup === null && isNothing(after)) return { kind: 'delete' };
  return { kind: 'write', act: 'removed', after };
}

/** The file was made for the entry, and has nothing else in it. */
export function isMadeFor(tool: Tool, key: string, { text, backup }: Before): boolean {
  if (text === null || backup !== null) return false;
  const path = [...serversIn(tool, text), key];
  const there = ownEntry(tool, text, path);
  return there !== undefined && addedTo(tool, '', path, there) === text;
}

/** There is nothing in it but entries of ours, so that it was made for them. */
export function isOnlyOwn(tool: Tool, text: string): boolean {
  const servers = serversIn(tool, text);
  const all = tool.format.read(text, servers);
  if (!isObject(all)) return false;
  const own = Object.entries(all).filter(([, one]) => isObject(one) && isParleyCommand(wordsIn(tool, one)));
  if (own.length === 0) return false;
  return isNothing(own.reduce((left, [name]) => taken(tool, left, [...servers, name], null), text));
}

function isNothing(text: string): boolean {
  return /^\s*(\{\s*\}\s*)?$/.test(text);
}

/** Beside that entry there is another one of ours in it. */
export function hasOtherOwn(tool: Tool, key: string, text: string): boolean {
  const all = tool.format.read(text, serversIn(tool, text));
  if (!isObject(all)) return false;
  return Object.entries(all).some(
    ([name, one]) => name !== key && isObject(one) && isParleyCommand(wordsIn(tool, one)),
  );
}

/** The entry, where it is one of ours. */
export function ownEntry(tool: Tool, text: string, path: Path): Readonly<Record<string, unknown>> | undefined {
  const there = tool.format.read(text, path);
  if (there === undefined) return undefined;
  if (isObject(there) && isParleyCommand(wordsIn(tool, there))) return there;
  throw new CommandError(
    'inUse',
    'entry_in_use',
    `there is a "${path.join('.')}" already, and it does not start "parley mcp"`,
    'It is left alone. Under another name: "--entry parley-hub".',
  );
}

function wordsIn(tool: Tool, entry: Readonly<Record<string, unknown>>): readonly string[] {
  return tool.wordsOf(entry).filter((word) => typeof word === 'string');
}

export function serversIn(tool: Tool, text: string): Path {
  return tool.servers(tool.format.read(text, ['mcp']));
}

/** null = it cannot have come about that way. */
function addedTo(tool: Tool, base: string, path: Path, entry: Readonly<Record<string, unknown>>): string | null {
  try {
    if (tool.format.read(base, path) !== undefined) return null;
    // What was read from such a file is what can be written to it.
    return tool.format.set(base, path, entry as Parameters<typeof tool.format.set>[2]);
  } catch {
    return null;
  }
}

/** Without the entry, and without what it was in if that came with it. */
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

/** TOML, changed only inside the one table that is ours: every other byte stays. */

import { isDeepStrictEqual } from 'node:util';
import { type AST, getStaticTOMLValue, ParseError, parseTOML } from 'toml-eslint-parser';
import type { Json, JsonObject } from '../../core/lib/json.ts';
import {
  BrokenConfig,
  type ConfigFormat,
  eolOf,
  isObject,
  type Path,
  placeAt,
  valueAt,
  withValue,
} from './config-editor.ts';

export const tomlConfig: ConfigFormat = {
  read: (text, path) => valueAt(parsed(text).value, path),

  set(text, path, members) {
    const { value: root, nodes } = parsed(text);
    const there = valueAt(root, path);
    const expected = withValue(root, path, isObject(there) ? { ...there, ...members } : members);
    const table = nodes.find((node) => isTable(node, path));
    if (there !== undefined && table === undefined) {
      throw new BrokenConfig(`"${path.join('.')}" is not a table of its own, [${path.join('.')}]`, null);
    }
    if (table === undefined) assertOpen(text, nodes, path);
    const after = table === undefined ? appended(text, path, members) : inTable(text, table, there, members);
    return assertOnly(after, expected);
  },

  remove(text, path) {
    const { value: root, nodes } = parsed(text);
    if (valueAt(root, path) === undefined) return text;
    let after = text;
    for (const node of nodes.filter((one) => isWithin(one, path)).reverse()) after = cutLines(after, node.range);
    return assertOnly(after, withoutEmpty(root, path, after));
  },

  alone: (path, members) => tableText(path, members, '\n'),
};

type Node = AST.TOMLKeyValue | AST.TOMLTable;

function parsed(text: string): { readonly value: unknown; readonly nodes: readonly Node[] } {
  try {
    const program = parseTOML(text);
    return { value: getStaticTOMLValue(program), nodes: program.body[0].body };
  } catch (thrown) {
    if (!(thrown instanceof ParseError)) throw thrown;
    const place = { line: thrown.lineNumber, column: thrown.column + 1 };
    throw new BrokenConfig(`it is not TOML: ${thrown.message}`, place);
  }
}

function isTable(node: Node, path: Path): node is AST.TOMLTable {
  return node.type === 'TOMLTable' && node.kind === 'standard' && isDeepStrictEqual(node.resolvedKey, path);
}

/** The table, and those inside it. */
function isWithin(node: Node, path: Path): boolean {
  return node.type === 'TOMLTable' && isDeepStrictEqual(node.resolvedKey.slice(0, path.length), path);
}

/** Nothing can be added to a table that is written as one value. */
function assertOpen(text: string, nodes: readonly Node[], path: Path): void {
  for (const node of nodes) {
    const isInline = node.type === 'TOMLKeyValue' && node.value.type === 'TOMLInlineTable';
    const keys = isInline ? node.key.keys.map((key) => nameOf(key) ?? '') : [];
    if (!isInline || !isDeepStrictEqual(keys, path.slice(0, keys.length))) continue;
    const problem = `"${keys.join('.')}" is an inline table, to which no [${path.join('.')}] can be added; write it as tables of their own`;
    throw new BrokenConfig(problem, placeAt(text, node.range[0]));
  }
}

function appended(text: string, path: Path, members: JsonObject): string {
  const eol = eolOf(text);
  const gap = text === '' ? '' : text.endsWith('\n') ? eol : `${eol}${eol}`;
  return text + gap + tableText(path, members, eol);
}

function inTable(text: string, table: AST.TOMLTable, there: unknown, members: JsonObject): string {
  const eol = eolOf(text);
  const lines: string[] = [];
  const edits: { readonly from: number; readonly to: number; readonly text: string }[] = [];
  for (const [name, value] of Object.entries(members)) {
    if (isObject(there) && isDeepStrictEqual(there[name], value)) continue;
    const member = table.body.find(({ key }) => key.keys.length === 1 && nameOf(key.keys[0]) === name);
    if (member === undefined) lines.push(`${name} = ${tomlOf(value)}`);
    else edits.push({ from: member.value.range[0], to: member.value.range[1], text: tomlOf(value) });
  }
  const end = endOfLine(text, table.body.at(-1)?.range[1] ?? table.range[1]);
  edits.push({ from: end, to: end, text: lines.map((line) => `${eol}${line}`).join('') });
  edits.sort((a, b) => b.from - a.from);
  return edits.reduce((all, { from, to, text: put }) => all.slice(0, from) + put + all.slice(to), text);
}

function nameOf(key: AST.TOMLBare | AST.TOMLQuoted | undefined): string | undefined {
  return key === undefined ? undefined : key.type === 'TOMLBare' ? key.name : key.value;
}

/** What is before the break of the line. */
function endOfLine(text: string, from: number): number {
  const found = /\r?\n/.exec(text.slice(from));
  return found === null ? text.length : from + found.index;
}

/** Whole lines, and the empty one before them. */
function cutLines(text: string, [from, to]: readonly [number, number]): string {
  const rest = text.slice(endOfLine(text, to)).replace(/^\r?\n/, '');
  const before = text.slice(0, from).replace(/(^|\n)\r?\n$/, '$1');
  return before + rest;
}

function tableText(path: Path, members: JsonObject, eol: string): string {
  const lines = Object.entries(members).map(([name, value]) => `${name} = ${tomlOf(value)}`);
  return [`[${path.join('.')}]`, ...lines].map((line) => line + eol).join('');
}

/** The strings, numbers and lists of an entry of ours are the same in TOML, but for two characters of strings. */
function tomlOf(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(tomlOf).join(', ')}]`;
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f');
}

/** A table that was only there for what was in it goes with it. */
function withoutEmpty(root: unknown, path: Path, after: string): unknown {
  const without = withValue(root, path, undefined);
  const outer = path.slice(0, -1);
  const left = valueAt(without, outer);
  const isLeft = valueAt(parsed(after).value, outer) !== undefined;
  return isObject(left) && Object.keys(left).length === 0 && !isLeft ? withValue(without, outer, undefined) : without;
}

function assertOnly(after: string, expected: unknown): string {
  if (isDeepStrictEqual(parsed(after).value, expected)) return after;
  throw new BrokenConfig('it cannot be changed without touching what is not ours', null);
}

/** TOML back end of the editor: changes only our table. */

import { isDeepStrictEqual } from 'node:util';
import { type AST, getStaticTOMLValue, ParseError, parseTOML } from 'toml-eslint-parser';
import type { Json, JsonObject } from '../../core/lib/json.ts';
import { BrokenConfig, ConfigEditor, eolOf, isObject, locationAt, type Path } from './config-editor.ts';

export const tomlConfig: ConfigEditor = new ConfigEditor({
  parse: (text) => parsed(text).value,

  put(text, path, members, there) {
    const { nodes } = parsed(text);
    const table = nodes.find((node) => isTable(node, path));
    if (table !== undefined) return inTable(text, table, there, members);
    if (there !== undefined) {
      throw new BrokenConfig(`"${path.join('.')}": expected a table [${path.join('.')}]`, null);
    }
    assertOpen(text, nodes, path);
    return appended(text, path, members);
  },

  take: (text, path) =>
    parsed(text)
      .nodes.filter((node) => isWithin(node, path))
      .reduceRight((after, node) => cutLines(after, node.range), text),

  alone: (path, members) => tableText(path, members, '\n'),

  suspicion: '',
});

type Node = AST.TOMLKeyValue | AST.TOMLTable;

function parsed(text: string): { readonly value: unknown; readonly nodes: readonly Node[] } {
  try {
    const program = parseTOML(text);
    return { value: getStaticTOMLValue(program), nodes: program.body[0].body };
  } catch (thrown) {
    if (!(thrown instanceof ParseError)) throw thrown;
    const place = { line: thrown.lineNumber, column: thrown.column + 1 };
    throw new BrokenConfig(`invalid TOML: ${thrown.message}`, place);
  }
}

function isTable(node: Node, path: Path): node is AST.TOMLTable {
  return node.type === 'TOMLTable' && node.kind === 'standard' && isDeepStrictEqual(node.resolvedKey, path);
}

function isWithin(node: Node, path: Path): boolean {
  return node.type === 'TOMLTable' && isDeepStrictEqual(node.resolvedKey.slice(0, path.length), path);
}

/** Throws if a parent is an inline table, which cannot be extended. */
function assertOpen(text: string, nodes: readonly Node[], path: Path): void {
  for (const node of nodes) {
    const isInline = node.type === 'TOMLKeyValue' && node.value.type === 'TOMLInlineTable';
    const keys = isInline ? node.key.keys.map((key) => nameOf(key) ?? '') : [];
    if (!isInline || !isDeepStrictEqual(keys, path.slice(0, keys.length))) continue;
    const problem = `"${keys.join('.')}" is an inline table, which [${path.join('.')}] cannot extend; write it as separate tables`;
    throw new BrokenConfig(problem, locationAt(text, node.range[0]));
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

function endOfLine(text: string, from: number): number {
  const found = /\r?\n/.exec(text.slice(from));
  return found === null ? text.length : from + found.index;
}

/** Cuts whole lines and an empty line before them. */
function cutLines(text: string, [from, to]: readonly [number, number]): string {
  const rest = text.slice(endOfLine(text, to)).replace(/^\r?\n/, '');
  const before = text.slice(0, from).replace(/(^|\n)\r?\n$/, '$1');
  return before + rest;
}

function tableText(path: Path, members: JsonObject, eol: string): string {
  const lines = Object.entries(members).map(([name, value]) => `${name} = ${tomlOf(value)}`);
  return [`[${path.join('.')}]`, ...lines].map((line) => line + eol).join('');
}

/** JSON values of our entries are valid TOML, except for DEL in strings. */
function tomlOf(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(tomlOf).join(', ')}]`;
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f');
}

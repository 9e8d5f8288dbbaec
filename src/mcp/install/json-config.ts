/** JSON back end of the editor. Edits the text in place, so that comments, trailing commas and layout stay. */

import { isDeepStrictEqual } from 'node:util';
import {
  createScanner,
  findNodeAtLocation,
  type Node,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import {
  BrokenConfig,
  ConfigEditor,
  eolOf,
  isObject,
  locationAt,
  notAnObjectError,
  type Path,
  withValue,
} from './config-editor.ts';

export const jsonConfig: ConfigEditor = new ConfigEditor({
  parse: parsed,

  put(text, path, members, there) {
    if (there === undefined) return changed(text, path, members);
    if (!isObject(there)) throw notAnObjectError(path, there);
    // Change one member at a time, so that the others keep their position and comments.
    return Object.entries(members)
      .filter(([name, value]) => !isDeepStrictEqual(there[name], value))
      .reduce((after, [name, value]) => changed(after, [...path, name], value), text);
  },

  take: takeValue,

  alone: (path, members) => `${JSON.stringify(withValue({}, path, members), null, 2)}\n`,

  suspicion: '; does it contain a name twice?',
});

/** undefined if the text has only white space and comments. */
function parsed(text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors;
  if (first === undefined) return value;
  const problem = printParseErrorCode(first.error)
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase();
  throw new BrokenConfig(`invalid JSON: ${problem}`, locationAt(text, first.offset));
}

function changed(text: string, path: Path, value: unknown): string {
  if (parsed(text) !== undefined) return putValue(text, path, value);
  // The text is empty or has only comments.
  const eol = eolOf(text);
  const before = text === '' || text.endsWith('\n') ? text : `${text}${eol}`;
  return before + `${JSON.stringify(withValue({}, path, value), null, 2)}\n`.replaceAll('\n', eol);
}

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly put: string;
}

/** Sets the value at the path and creates missing parents. The text must be a JSON object. */
function putValue(text: string, path: Path, value: unknown): string {
  const root = rootOf(text);
  const there = findNodeAtLocation(root, [...path]);
  if (there !== undefined) return edited(text, [replacement(text, there, value)]);
  let depth = path.length - 1;
  while (findNodeAtLocation(root, path.slice(0, depth)) === undefined) depth -= 1;
  const outer = findNodeAtLocation(root, path.slice(0, depth)) ?? root;
  const inner = path.slice(depth + 1).reduceRight<unknown>((all, name) => ({ [name]: all }), value);
  return edited(text, addition(text, outer, path[depth] ?? '', inner));
}

function takeValue(text: string, path: Path): string {
  const property = findNodeAtLocation(rootOf(text), [...path])?.parent;
  const object = property?.parent;
  if (property === undefined || object === undefined) return text;
  const all = object.children ?? [];
  const at = all.indexOf(property);
  const end = property.offset + property.length;
  const nextComma = commaIn(text, end, all[at + 1]?.offset ?? object.offset + object.length - 1);
  const before = all[at - 1];
  const lastComma =
    nextComma === null && before !== undefined ? commaIn(text, before.offset + before.length, property.offset) : null;
  const from = text.slice(0, property.offset).trimEnd().length;
  // Remove the property and the white space before it, and nothing else on its line.
  const own = { from, to: nextComma === null ? end : nextComma + 1, put: '' };
  return edited(
    text,
    lastComma === null || lastComma >= from ? [own] : [own, { from: lastComma, to: lastComma + 1, put: '' }],
  );
}

function rootOf(text: string): Node {
  const root = parseTree(text, [], { allowTrailingComma: true });
  if (root === undefined) throw new Error('expected text with an object in it');
  return root;
}

function edited(text: string, edits: readonly Edit[]): string {
  const backwards = [...edits].sort((a, b) => b.from - a.from);
  return backwards.reduce((all, { from, to, put }) => all.slice(0, from) + put + all.slice(to), text);
}

function replacement(text: string, { offset, length }: Node, value: unknown): Edit {
  const old = text.slice(offset, offset + length);
  const put = old.includes('\n') ? laidOut(text, value, indentAt(text, offset)) : JSON.stringify(value);
  return { from: offset, to: offset + length, put };
}

function addition(text: string, object: Node, name: string, value: unknown): readonly Edit[] {
  const close = object.offset + object.length - 1;
  const last = object.children?.at(-1);
  const eol = eolOf(text);
  const indent = indentAt(text, object.offset);
  const isOneLine = last !== undefined && !text.slice(object.offset, close).includes('\n');
  if (isOneLine) {
    const end = last.offset + last.length;
    return [{ from: end, to: end, put: `, ${JSON.stringify(name)}: ${JSON.stringify(value)}` }];
  }
  const inner = last === undefined ? indent + unitOf(text) : indentAt(text, last.offset);
  const line = `${eol}${inner}${JSON.stringify(name)}: ${laidOut(text, value, inner)}`;
  const from = text.slice(0, close).trimEnd().length;
  if (last === undefined) {
    const isOpen = text.slice(from, close).includes('\n');
    return [{ from, to: from, put: isOpen ? line : `${line}${eol}${indent}` }];
  }
  const end = last.offset + last.length;
  // Keep a trailing comma if the file uses one; keep a comment after the last member on that member's line.
  if (commaIn(text, end, close) !== null) return [{ from, to: from, put: `${line},` }];
  if (from === end) return [{ from, to: from, put: `,${line}` }];
  return [
    { from: end, to: end, put: ',' },
    { from, to: from, put: line },
  ];
}

function laidOut(text: string, value: unknown, indent: string): string {
  return JSON.stringify(value, null, unitOf(text)).replaceAll('\n', `${eolOf(text)}${indent}`);
}

/** Leading white space of the line at `offset`. */
function indentAt(text: string, offset: number): string {
  const [indent = ''] = /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset)) ?? [];
  return indent;
}

/** One step of indentation, from the first indented line. */
function unitOf(text: string): string {
  return /^([ \t]+)["}\]]/m.exec(text)?.[1] ?? '  ';
}

/** Offset of a comma that is the next token after `from`, comments skipped; null if there is none before `to`. */
function commaIn(text: string, from: number, to: number): number | null {
  const scanner = createScanner(text, true);
  scanner.setPosition(from);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return at < to && text[at] === ',' ? at : null;
}

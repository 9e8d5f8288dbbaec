/** Reads a config file in JSON; accepts comments and trailing commas. */

import {
  createScanner,
  findNodeAtLocation,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import {
  type KeyPath,
  lineStarts,
  locationAt,
  MAX_LEVELS,
  type ReadResult,
  type SourceLocation,
  type SyntaxProblem,
} from './location.ts';

export function readJson(text: string): ReadResult {
  const errors: ParseError[] = [];
  const starts = lineStarts(text);
  const deep = tooDeepAt(text);
  if (deep !== null)
    return { slips: [{ location: locationAt(starts, deep), problem: `expected at most ${MAX_LEVELS} levels` }] };
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const slips = errors.map(({ error, offset }) => ({ location: locationAt(starts, offset), problem: describe(error) }));
  if (slips.length > 0) return { slips };
  if (root === undefined) return { slips: [{ location: { line: 1, column: 1 }, problem: 'the file is empty' }] };
  const twice = repeated(root, starts);
  if (twice.length > 0) return { slips: twice };
  return { value: valueIn(root), locationOf: (path, part) => locationOf(root, starts, path, part) };
}

/** Offset where nesting exceeds the limit, which could overflow the parser's stack; null if it never does. */
function tooDeepAt(text: string): number | null {
  const scanner = createScanner(text, true);
  let levels = 0;
  while (scanner.getPosition() < text.length) {
    scanner.scan();
    const at = scanner.getTokenOffset();
    const sign = scanner.getTokenLength() === 1 ? text[at] : '';
    if (sign === '{' || sign === '[') levels += 1;
    if (sign === '}' || sign === ']') levels -= 1;
    if (levels > MAX_LEVELS) return at;
  }
  return null;
}

/** Turns `PropertyNameExpected` into `invalid JSON: property name expected`. Quotes no text, which may hold a secret. */
function describe(error: number): string {
  const words = printParseErrorCode(error).replaceAll(/(?<=.)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `invalid JSON: ${words.toLowerCase()}`;
}

/** Converts a tree to its value; keeps members of any name, including `__proto__`. */
function valueIn({ type, children = [], value }: Node): unknown {
  if (type === 'array') return children.map(valueIn);
  if (type !== 'object') return value;
  return Object.fromEntries(
    children.map(({ children: [key, member] = [] }) => [key?.value, member && valueIn(member)]),
  );
}

/** Finds duplicate keys, of which the last would silently win. */
function repeated({ type, children = [] }: Node, starts: readonly number[]): SyntaxProblem[] {
  const seen = new Set<string>();
  const own = type !== 'object' ? [] : children.flatMap(({ children: [key] = [] }) => (key === undefined ? [] : [key]));
  const twice = own.filter(({ value }) => seen.size === seen.add(value).size);
  const slips = twice.map(({ value, offset }) => {
    return { location: locationAt(starts, offset), problem: `duplicate key "${value}"` };
  });
  return [...slips, ...children.flatMap((child) => repeated(child, starts))];
}

function locationOf(root: Node, starts: readonly number[], path: KeyPath, part: 'key' | 'value'): SourceLocation {
  const names = path.map((key) => (typeof key === 'symbol' ? '' : key));
  const node = findNodeAtLocation(root, names);
  if (node === undefined) return locationOf(root, starts, path.slice(0, -1), part);
  const key = part === 'key' && node.parent?.type === 'property' ? node.parent : node;
  return locationAt(starts, key.offset);
}

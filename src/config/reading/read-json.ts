/** A config file in JSON; comments and a comma behind the last member are taken. */

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
  const slips = errors.map(({ error, offset }) => ({ location: locationAt(starts, offset), problem: said(error) }));
  if (slips.length > 0) return { slips };
  if (root === undefined) return { slips: [{ location: { line: 1, column: 1 }, problem: 'it is empty' }] };
  const twice = repeated(root, starts);
  if (twice.length > 0) return { slips: twice };
  return { value: valueIn(root), locationOf: (path, part) => locationOf(root, starts, path, part) };
}

/** Where the first level begins that is one too many: the parser would go down with them. */
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

/** `PropertyNameExpected` → `it is no JSON: property name expected`. The text is not in it: it may hold a secret. */
function said(error: number): string {
  const words = printParseErrorCode(error).replaceAll(/(?<=.)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `it is no JSON: ${words.toLowerCase()}`;
}

/** Own members, whatever they are called. */
function valueIn({ type, children = [], value }: Node): unknown {
  if (type === 'array') return children.map(valueIn);
  if (type !== 'object') return value;
  return Object.fromEntries(
    children.map(({ children: [key, member] = [] }) => [key?.value, member && valueIn(member)]),
  );
}

/** The last one would count, and nobody would know. */
function repeated({ type, children = [] }: Node, starts: readonly number[]): SyntaxProblem[] {
  const seen = new Set<string>();
  const own = type !== 'object' ? [] : children.flatMap(({ children: [key] = [] }) => (key === undefined ? [] : [key]));
  const twice = own.filter(({ value }) => seen.size === seen.add(value).size);
  return [
    ...twice.map(({ value, offset }) => ({
      location: locationAt(starts, offset),
      problem: `the key "${value}" is there twice`,
    })),
    ...children.flatMap((child) => repeated(child, starts)),
  ];
}

function locationOf(root: Node, starts: readonly number[], path: KeyPath, part: 'key' | 'value'): SourceLocation {
  const node = findNodeAtLocation(
    root,
    path.map((key) => (typeof key === 'symbol' ? '' : key)),
  );
  if (node === undefined) return locationOf(root, starts, path.slice(0, -1), part);
  const key = part === 'key' && node.parent?.type === 'property' ? node.parent : node;
  return locationAt(starts, key.offset);
}

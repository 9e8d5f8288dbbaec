/** Reads a config file in YAML: one document with text keys. */

import { type Document, isMap, isNode, isScalar, LineCounter, type Node, parseAllDocuments, visit } from 'yaml';
import { asError } from '../../core/lib/errors.ts';
import type { KeyPath, ReadResult, SourceLocation, SyntaxProblem } from './location.ts';

/** Maximum aliases: nested ones could exhaust the memory. */
const MAX_ALIASES = 100;

/** Matches an unquoted `${…}` in a flow collection, where YAML reads the braces as its own. */
const UNQUOTED_REFERENCE = /[{[].*[:,[]\s*[^"'\s]*\$\{/;
const QUOTE_HINT = `; within { } and [ ] write "\${NAME}" with quotes`;

export function readYaml(text: string): ReadResult {
  const counter = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: counter, prettyErrors: false, version: '1.2' });
  const [document, second] = [...documents];
  const at = (offset: number): SourceLocation => placeAt(counter, offset);
  if (document === undefined || document.contents === null)
    return { slips: [{ location: null, problem: 'the file is empty' }] };
  const lines = text.split('\n');
  const found = document.errors.map(({ message, pos }) => {
    const place = at(pos[0]);
    const hint = UNQUOTED_REFERENCE.test(lines[place.line - 1] ?? '') ? QUOTE_HINT : '';
    return { location: place, problem: `invalid YAML: ${describe(message)}${hint}` };
  });
  if (found.length > 0) return { slips: found };
  if (second !== undefined) {
    return { slips: [{ location: at(second.range?.[0] ?? 0), problem: 'expected one document, got several' }] };
  }
  const odd = oddNodes(document, at);
  return odd.length > 0 ? { slips: odd } : readDocument(document, at);
}

function readDocument(document: Document, at: (offset: number) => SourceLocation): ReadResult {
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    return { value, locationOf: (path, part) => locationOf(document, at, path, part) };
  } catch (thrown) {
    return { slips: [{ location: null, problem: `invalid YAML: ${describe(asError(thrown).message)}` }] };
  }
}

/** Removes text quoted from the file, which may hold a secret. */
function describe(message: string): string {
  const [first = ''] = message.split('\n');
  return first.replace(/(?:: |:? *["'`]).*$/, '');
}

function placeAt(counter: LineCounter, offset: number): SourceLocation {
  const { line, col } = counter.linePos(offset);
  return { line, column: col };
}

/** Finds keys such as `1:` and `[a]:`, which would silently become text, and aliases without a target. */
function oddNodes(document: Document, at: (offset: number) => SourceLocation): SyntaxProblem[] {
  const slips: SyntaxProblem[] = [];
  visit(document, {
    Alias(_, alias) {
      if (alias.resolve(document) !== undefined) return;
      slips.push({ location: at(alias.range?.[0] ?? 0), problem: 'expected an alias of something defined above' });
    },
    Pair(_, { key }) {
      if (isScalar(key) && typeof key.value === 'string') return;
      slips.push({ location: at(isNode(key) ? (key.range?.[0] ?? 0) : 0), problem: 'expected a key that is text' });
    },
  });
  return slips;
}

function locationOf(
  document: Document,
  at: (offset: number) => SourceLocation,
  path: KeyPath,
  part: 'key' | 'value',
): SourceLocation | null {
  const node = nodeAt(document, path, part);
  const offset = node?.range?.[0];
  if (offset !== undefined) return at(offset);
  return path.length === 0 ? null : locationOf(document, at, path.slice(0, -1), part);
}

function nodeAt(document: Document, path: KeyPath, part: 'key' | 'value'): Node | null {
  const key = path.at(-1);
  const parent: unknown = path.length < 2 ? document.contents : document.getIn(path.slice(0, -1), true);
  if (part === 'value' || !isMap(parent)) {
    const node: unknown = path.length === 0 ? document.contents : document.getIn(path, true);
    return isNode(node) ? node : null;
  }
  const pair = parent.items.find(({ key: one }) => isScalar(one) && one.value === key);
  return isNode(pair?.key) ? pair.key : null;
}

/** Parses the front matter of an untrusted text: plain YAML data only. Bounds are checked first, because composing
 * deeply nested YAML can crash the process. */

import { Composer, type Document, isAlias, isMap, isNode, isScalar, Lexer, LineCounter, Parser, visit } from 'yaml';
import { WireError } from './errors.ts';
import { copyJsonObject, type JsonObject, utf8Bytes } from './json.ts';

/** Size limit: enough for names and a description; composing takes quadratic time. */
const MAX_BYTES = 4 * 1024;
const MAX_DEPTH = 16;

/** Returns the parsed data, or throws an error with the line number in the whole text. */
export function parseFrontMatter(text: string, field: string, maxBytes: number = MAX_BYTES): JsonObject {
  const bytes = utf8Bytes(text);
  if (bytes > maxBytes) {
    const message = `${field}: its front matter may have at most ${maxBytes} bytes, got ${bytes}`;
    throw new WireError('too_large', message, { field });
  }
  const lines = new LineCounter();
  const [doc, second] = [...new Composer(PLAIN_DATA).compose(tokensOf(text, lines, field))];
  if (doc === undefined) return {};
  const fail = (offset: number, problem: string): WireError => badLine(field, lines.linePos(offset).line, problem);
  if (second !== undefined) throw fail(second.range[0], 'front matter is one document');
  const [problem] = [...doc.errors, ...doc.warnings];
  if (problem !== undefined) throw fail(problem.pos[0], problem.message);
  const unwanted = findUnwanted(doc);
  if (unwanted !== null) throw fail(unwanted.offset, unwanted.problem);
  if (doc.contents === null) return {};
  if (!isMap(doc.contents)) throw fail(doc.range[0], 'expected keys with values, such as "name: reviewer"');
  return copyJsonObject(doc.toJS(), `${field}: front matter`, { maxDepth: MAX_DEPTH, maxBytes: 8 * maxBytes });
}

const PLAIN_DATA = {
  version: '1.2',
  schema: 'core',
  resolveKnownTags: false,
  uniqueKeys: true,
  stringKeys: true,
} as const;

/** Limits the nesting depth by the parser's stack, before any recursive code runs. */
function* tokensOf(text: string, lines: LineCounter, field: string): ReturnType<Parser['parse']> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    // The stack holds the document, plus a collection and its item for each level.
    if (parser.stack.length <= 2 * MAX_DEPTH) continue;
    throw badLine(field, lines.linePos(parser.offset).line, `nested deeper than ${MAX_DEPTH} levels`);
  }
  yield* parser.end();
}

interface Unwanted {
  readonly offset: number;
  readonly problem: string;
}

/** Finds the first node that is not plain data or would be rounded; null if there is none. */
function findUnwanted(doc: Document.Parsed): Unwanted | null {
  let found: Unwanted | null = null;
  visit(doc, {
    Node(_key, node) {
      const notPlain = isAlias(node) || ('anchor' in node && node.anchor !== undefined) || node.tag !== undefined;
      if (!notPlain && !isRounded(node)) return undefined;
      const problem = notPlain
        ? 'anchors, aliases and tags are not supported'
        : 'a whole number beyond 2^53 would be rounded; write it as text';
      found = { offset: isNode(node) ? (node.range?.[0] ?? 0) : 0, problem };
      return visit.BREAK;
    },
  });
  return found;
}

/** Whole numbers must be exact. Numbers with a point or an exponent may round. */
function isRounded(node: unknown): boolean {
  if (!isScalar(node) || Number.isSafeInteger(node.value) || typeof node.value !== 'number') return false;
  return /^[-+]?(?:\d+|0x[\da-f]+|0o[0-7]+)$/i.test(node.source ?? '');
}

function badLine(field: string, line: number, problem: string): WireError {
  const at = line + 1; // The opening fence is line 1.
  return new WireError('bad_frame', `${field}: front matter, line ${at}: ${problem}`, { field, line: at });
}

/**
 * The front matter of a text: YAML that anybody may send, so it is read with everything off that is not plain data.
 * The bounds come first: nested deep enough, YAML that is only being composed ends the whole process.
 */

import { Composer, type Document, isAlias, isMap, isNode, isScalar, Lexer, LineCounter, Parser, visit } from 'yaml';
import { WireError } from './errors.ts';
import { copyJsonObject, type JsonObject, utf8Bytes } from './json.ts';

/** Names and a description; what it takes to compose grows with the square of it. */
const MAX_BYTES = 4 * 1024;
const MAX_DEPTH = 16;

/** What it says, or a refusal that names the line of the whole text. */
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

/** The parser keeps a stack of its own, so its depth can be looked at before anything recurses. */
function* tokensOf(text: string, lines: LineCounter, field: string): ReturnType<Parser['parse']> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    // A document, and of each level a collection and what it holds.
    if (parser.stack.length <= 2 * MAX_DEPTH) continue;
    throw badLine(field, lines.linePos(parser.offset).line, `nested deeper than ${MAX_DEPTH} levels`);
  }
  yield* parser.end();
}

interface Unwanted {
  readonly offset: number;
  readonly problem: string;
}

/** What is more than plain data, or would not stay what it is; null = nothing. */
function findUnwanted(doc: Document.Parsed): Unwanted | null {
  let found: Unwanted | null = null;
  visit(doc, {
    Node(_key, node) {
      const more = isAlias(node) || ('anchor' in node && node.anchor !== undefined) || node.tag !== undefined;
      if (!more && !isRounded(node)) return undefined;
      const problem = more
        ? 'anchors, aliases and tags are not taken'
        : 'a whole number beyond 2^53 would be rounded; write it as text';
      found = { offset: isNode(node) ? (node.range?.[0] ?? 0) : 0, problem };
      return visit.BREAK;
    },
  });
  return found;
}

/** A whole number is written to be that number. One with a point or an exponent is as exact as numbers are. */
function isRounded(node: unknown): boolean {
  if (!isScalar(node) || Number.isSafeInteger(node.value) || typeof node.value !== 'number') return false;
  return /^[-+]?(?:\d+|0x[\da-f]+|0o[0-7]+)$/i.test(node.source ?? '');
}

function badLine(field: string, line: number, problem: string): WireError {
  // The fence is the first line of the text.
  const at = line + 1;
  return new WireError('bad_frame', `${field}: front matter, line ${at}: ${problem}`, { field, line: at });
}

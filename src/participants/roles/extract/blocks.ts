/** Finds the parts of an answer that may be its metadata: marked blocks, front matter, JSON. Pure. */

import { asError } from '../../../core/lib/errors.ts';
import { parseFrontMatter } from '../../../core/lib/front-matter.ts';
import { isPlainObject, type JsonObject } from '../../../core/lib/json.ts';
import { readJsonText } from './json-text.ts';

/** In order of trust: explicitly marked first, then by how unlikely a match by chance is. */
const SHAPES = ['marked', 'front_matter', 'whole', 'json', 'bare'] as const;

export interface Block {
  readonly shape: (typeof SHAPES)[number];
  /** Position, for error messages. */
  readonly where: string;
  readonly read: { readonly value: JsonObject } | { readonly problem: string };
}

const MAX_FRONT_MATTER_BYTES = 8_192;

/** The readable blocks of the most trusted shape; if no block is readable, all blocks with their problems. */
export function metaBlocks(answer: string): readonly Block[] {
  const lines = answer.replace(/^\ufeff/, '').split(/\r\n|\r|\n/);
  const blocks = [...frontMatterOf(lines), ...wholeOf(lines), ...fencesOf(lines)];
  const readable = blocks.filter(({ read }) => 'value' in read);
  const clearest = SHAPES.find((shape) => readable.some((block) => block.shape === shape));
  return clearest === undefined ? blocks : readable.filter(({ shape }) => shape === clearest);
}

/** Requires keys with values: text between two horizontal rules is not front matter. */
function frontMatterOf(lines: readonly string[]): readonly Block[] {
  if (lines[0]?.trimEnd() !== '---') return [];
  const end = lines.findIndex((line, index) => index > 0 && /^(?:---|\.\.\.)[ \t]*$/.test(line));
  const text = end === -1 ? '' : lines.slice(1, end).join('\n');
  if (!/^[^\s#][^\n]*:(?:[ \n]|$)/m.test(text)) return [];
  const about = { shape: 'front_matter', where: 'the front matter' } as const;
  try {
    return [{ ...about, read: { value: parseFrontMatter(text, 'answer', MAX_FRONT_MATTER_BYTES) } }];
  } catch (thrown) {
    return [{ ...about, read: { problem: asError(thrown).message } }];
  }
}

function wholeOf(lines: readonly string[]): readonly Block[] {
  const text = lines.join('\n').trim();
  if (!text.startsWith('{') || !text.endsWith('}')) return [];
  return [{ shape: 'whole', where: 'the answer', read: readObject(text) }];
}

function fencesOf(lines: readonly string[]): readonly Block[] {
  return fencedBlocks(lines).flatMap((fenced) => {
    const shape = shapeOf(fenced);
    return shape === null ? [] : [{ shape, where: `the block of line ${fenced.line}`, read: readObject(fenced.text) }];
  });
}

function shapeOf({ info, text }: Fenced): Block['shape'] | null {
  const words = info.split(/[^a-z0-9_+-]+/);
  if (words.includes('meta')) return 'marked';
  if (words[0] === 'json') return 'json';
  return info === '' && text.trimStart().startsWith('{') ? 'bare' : null;
}

/** Rejects obvious non-objects without parsing: a hostile answer may have many. */
function readObject(text: string): Block['read'] {
  const written = text.replace(/^\ufeff/, '').trim();
  if (!written.startsWith('{')) return { problem: 'expected a JSON object' };
  if (!written.endsWith('}')) return { problem: 'not JSON: it does not end with }' };
  const read = readJsonText(written);
  if ('problem' in read) return read;
  return isPlainObject(read.value) ? { value: read.value as JsonObject } : { problem: 'expected a JSON object' };
}

interface Fenced {
  /** The info string after the opening fence, in lower case: `json`, `json meta`. */
  readonly info: string;
  readonly text: string;
  /** The line it begins on, from 1. */
  readonly line: number;
}

interface Open {
  readonly sign: string;
  readonly length: number;
  readonly info: string;
  readonly line: number;
}

/** Opening fence: up to three spaces, three or more backticks or tildes, and no backtick after backticks. */
const OPENING = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})[ \t]*([\s\S]*)$/;
const CLOSING = /^ {0,3}(`{3,}|~{3,})[ \t]*$/;
const MAX_INFO_CHARS = 100;

/** Ignores fences inside a block. An unclosed block extends to the end. */
function fencedBlocks(lines: readonly string[]): readonly Fenced[] {
  const blocks: Fenced[] = [];
  let open: Open | null = null;
  for (const [index, line] of lines.entries()) {
    if (open === null) {
      open = openingOf(line, index + 1);
    } else if (closes(line, open)) {
      blocks.push(blockOf(open, lines.slice(open.line, index)));
      open = null;
    }
  }
  return open === null ? blocks : [...blocks, blockOf(open, lines.slice(open.line))];
}

function openingOf(line: string, number: number): Open | null {
  if (!/^ {0,3}[`~]{3}/.test(line)) return null;
  const [, fence = '', info = ''] = OPENING.exec(line) ?? [];
  if (fence === '') return null;
  return {
    sign: fence[0] ?? '',
    length: fence.length,
    info: info.slice(0, MAX_INFO_CHARS).trim().toLowerCase(),
    line: number,
  };
}

function closes(line: string, { sign, length }: Open): boolean {
  const [, fence = ''] = CLOSING.exec(line) ?? [];
  return fence.startsWith(sign) && fence.length >= length;
}

function blockOf({ info, line }: Open, lines: readonly string[]): Fenced {
  return { info, line, text: lines.join('\n') };
}

/** Case-insensitive plain text search. It uses no patterns, so its cost is linear in the length of the text. */

import type { Json } from './json.ts';

export type TextMatch = 'substring' | 'words';

/** A match in the composed (NFC) text; positions are UTF-16 units. */
export interface FoundText {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

export type Finder = (text: string) => FoundText | null;

/** An excerpt around a match, and the position of the match in it. */
export interface Snippet {
  readonly snippet: string;
  readonly at: number;
  readonly length: number;
}

/** Characters shown on either side of a match. */
const AROUND = 60;
const TOO_MANY_MARKS = /\p{M}{65}/u;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** null if the query contains nothing to search for. */
export function createFinder(query: string, match: TextMatch): Finder | null {
  const wanted = match === 'words' ? [...new Set(wordsOf(folded(composed(query))).map(({ word }) => word))] : [];
  if (match === 'words') return wanted.length === 0 ? null : (text) => findWords(text, wanted);
  const sought = folded(composed(query));
  return sought === '' ? null : (text) => findPart(text, sought);
}

export function snippetOf({ text, from, to }: FoundText): Snippet {
  const start = onBoundary(text, Math.max(0, from - AROUND));
  const end = onBoundary(text, Math.min(text.length, to + AROUND));
  return { snippet: text.slice(start, end), at: from - start, length: to - from };
}

/** Yields every string in a value lazily and in order, except member names. */
export function* textValues(value: Json): Generator<string, void, undefined> {
  const waiting: Json[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string') yield next;
    else if (typeof next === 'object' && next !== null) waiting.push(...Object.values(next).reverse());
  }
}

function findPart(original: string, sought: string): FoundText | null {
  const text = composed(original);
  const plain = folded(text);
  const at = plain.indexOf(sought);
  return at === -1 ? null : inText(text, plain, at, at + sought.length);
}

/** Requires all words, each whole and in any order; returns the earliest match. */
function findWords(original: string, wanted: readonly string[]): FoundText | null {
  const text = composed(original);
  const plain = folded(text);
  if (!wanted.every((word) => plain.includes(word))) return null;
  const matches = wordsOf(plain).filter(({ word }) => wanted.includes(word));
  const [first] = matches;
  if (first === undefined || !wanted.every((word) => matches.some((match) => match.word === word))) return null;
  return inText(text, plain, first.at, first.at + first.word.length);
}

function wordsOf(plain: string): { readonly word: string; readonly at: number }[] {
  return [...plain.matchAll(WORD)].map(({ 0: word, index: at }) => ({ word, at }));
}

/** Skips composing text with an implausible run of combining marks, which would take quadratic time. */
function composed(text: string): string {
  return TOO_MANY_MARKS.test(text) ? text : text.normalize('NFC');
}

/** Approximates case folding: ß becomes ss, and a final sigma becomes a normal one. */
function folded(text: string): string {
  return text.toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

/** Maps a range of the folded text to the original: folding changes the length of a few letters. */
function inText(text: string, plain: string, from: number, to: number): FoundText {
  if (text.length === plain.length) return { text, from, to };
  let [read, start] = [0, -1];
  let at = 0;
  for (const letter of text) {
    if (read >= to) break;
    const next = read + folded(letter).length;
    if (start === -1 && next > from) start = at;
    read = next;
    at += letter.length;
  }
  return { text, from: start === -1 ? at : start, to: at };
}

/** Moves a position back if it would split a surrogate pair. */
function onBoundary(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}

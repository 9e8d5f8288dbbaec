/** Finds what somebody looks for in a text, whatever its case. Plain search, no patterns: the work grows with the text and with nothing else. */

import type { Json } from './json.ts';

export type TextMatch = 'substring' | 'words';

/** Where it is, in UTF-16 units of the text in its composed form (NFC). */
export interface FoundText {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

export type Finder = (text: string) => FoundText | null;

/** A text around what was found, and where in it that is. */
export interface Snippet {
  readonly snippet: string;
  readonly at: number;
  readonly length: number;
}

/** What is shown on either side of what was found. */
const AROUND = 60;
const TOO_MANY_MARKS = /\p{M}{65}/u;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** null = there is nothing to look for. */
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

/** Every text in a value, not the names of its members; in order, each once it is asked for. */
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

/** All of them, each as a whole word, in whatever order; the first that stands there is shown. */
function findWords(original: string, wanted: readonly string[]): FoundText | null {
  const text = composed(original);
  const plain = folded(text);
  if (!wanted.every((word) => plain.includes(word))) return null;
  const there = wordsOf(plain).filter(({ word }) => wanted.includes(word));
  const [first] = there;
  if (first === undefined || !wanted.every((word) => there.some((one) => one.word === word))) return null;
  return inText(text, plain, first.at, first.at + first.word.length);
}

function wordsOf(plain: string): { readonly word: string; readonly at: number }[] {
  return [...plain.matchAll(WORD)].map(({ 0: word, index: at }) => ({ word, at }));
}

/** As it is where more marks stand in a row than any script has: composing those takes the square of their number. */
function composed(text: string): string {
  return TOO_MANY_MARKS.test(text) ? text : text.normalize('NFC');
}

/** As good as case folding: ß is ss, and a sigma is a sigma wherever it stands. */
function folded(text: string): string {
  return text.toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

/** A place in the folded text as one in the text itself: a few letters are longer in the one than in the other. */
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

/** Not between the two halves of a character. */
function onBoundary(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}

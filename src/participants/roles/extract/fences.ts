/** The fenced blocks of a text, as Markdown sees them, in time that grows with the text and no faster. Pure. */

export interface Fenced {
  /** What is written behind the opening fence, in small letters: `json`, `json meta`. */
  readonly info: string;
  readonly text: string;
  /** The line on which it begins, from 1. */
  readonly line: number;
}

interface Open {
  readonly sign: string;
  readonly length: number;
  readonly info: string;
  readonly line: number;
}

/** Up to three blanks, three or more of one sign, and after backticks no further backtick. */
const OPENING = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})[ \t]*([\s\S]*)$/;
const CLOSING = /^ {0,3}(`{3,}|~{3,})[ \t]*$/;
const MOST_INFO_CHARS = 100;

/** A block within a block is its text. One that is never closed goes on to the end. */
export function fencedBlocks(lines: readonly string[]): readonly Fenced[] {
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
    info: info.slice(0, MOST_INFO_CHARS).trim().toLowerCase(),
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

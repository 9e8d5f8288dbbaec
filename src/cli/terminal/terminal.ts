/** Determines the output capabilities of a stream: colour if the terminal supports it, and the line width. */

const CODES = {
  bold: 1,
  dim: 2,
  red: 31,
  green: 32,
  yellow: 33,
  blue: 34,
  magenta: 35,
  cyan: 36,
} as const;

export type Style = keyof typeof CODES;

export interface Terminal {
  /** True if the stream is a terminal. */
  readonly isLive: boolean;
  readonly columns: number;
  paint(text: string, ...styles: readonly Style[]): string;
  /** Writes one or more complete lines. */
  write(text: string): void;
}

interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Longer lines are hard to read in any window. */
const MAX_COLUMNS = 100;
const MIN_COLUMNS = 60;

export function terminalOf(output: Output, env: Readonly<Record<string, string | undefined>>): Terminal {
  const isLive = output.isTTY === true;
  const hasColour = isLive && !env.NO_COLOR && env.TERM !== 'dumb';
  return {
    isLive,
    // A pseudo-terminal without a size reports 0.
    columns: Math.max(MIN_COLUMNS, Math.min(output.columns || MAX_COLUMNS, MAX_COLUMNS)),
    paint: (text, ...styles) => (hasColour ? paint(text, styles) : text),
    write: (text) => void output.write(`${text}\n`),
  };
}

function paint(text: string, styles: readonly Style[]): string {
  if (text === '' || styles.length === 0) return text;
  return `\u001b[${styles.map((style) => CODES[style]).join(';')}m${text}\u001b[0m`;
}

/** Breaks at spaces; a word longer than the line stays in one piece. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** What the place that output goes to can show: colour only on a terminal that wants it, and lines that fit. */

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
  /** Somebody may be reading along. */
  readonly isLive: boolean;
  readonly columns: number;
  paint(text: string, ...styles: readonly Style[]): string;
  /** One or more whole lines. */
  write(text: string): void;
}

/** The part of a stream that is used here. */
interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Longer lines are hard to read, however wide the window is. */
const WIDEST = 100;
const NARROWEST = 60;

export function terminalOf(output: Output, env: Readonly<Record<string, string | undefined>>): Terminal {
  const isLive = output.isTTY === true;
  const hasColour = isLive && !env.NO_COLOR && env.TERM !== 'dumb';
  return {
    isLive,
    // A pseudo-terminal without a size says 0.
    columns: Math.max(NARROWEST, Math.min(output.columns || WIDEST, WIDEST)),
    paint: (text, ...styles) => (hasColour ? paint(text, styles) : text),
    write: (text) => void output.write(`${text}\n`),
  };
}

function paint(text: string, styles: readonly Style[]): string {
  if (text === '' || styles.length === 0) return text;
  return `\u001b[${styles.map((style) => CODES[style]).join(';')}m${text}\u001b[0m`;
}

/** Breaks at spaces; a word that is longer than the line stays whole. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

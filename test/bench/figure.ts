/** A measured ratio or value with its limits, and the setting of a benchmark. */

import { type ParseArgsConfig, parseArgs } from 'node:util';

export interface Figure {
  readonly name: string;
  readonly what: string;
  /** Absolute numbers with units; valid for this machine now. */
  readonly measured: string;
  readonly raw: string;
  readonly value: number;
  /** For values that are no ratio; the limits use it too. */
  readonly unit?: 'ms' | 'bytes';
  /** Required and desired limits; null = informational. */
  readonly must: number | null;
  readonly aim: number | null;
  readonly better: 'more' | 'less';
}

export interface Bench {
  readonly names: readonly string[];
  run(setting: Setting): Promise<readonly Figure[]>;
}

interface Setting {
  readonly quick: boolean;
  /** Its own folder, removed afterwards. */
  readonly folder: string;
  note(text: string): void;
}

function passes({ value, must, better }: Figure): boolean {
  return must === null || (better === 'more' ? value >= must : value <= must);
}

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<Known extends Options> = ReturnType<typeof parseArgs<{ options: Known; allowPositionals: true }>>['values'];

export function askedOptions<const Known extends Options>(
  options: Known,
  args: string[] = process.argv.slice(2),
): { readonly values: Values<Known> } | { readonly problem: string } {
  const help = '"--help" says what there is';
  try {
    const { values, positionals } = parseArgs({ options, args, allowPositionals: true });
    const [first] = positionals;
    if (first === undefined) return { values };
    return { problem: `expected options, got "${first}": one figure is "--only ${first}"; ${help}` };
  } catch (thrown) {
    return { problem: `${thrown instanceof Error ? thrown.message : thrown}; ${help}`.replaceAll('\n', ' ') };
  }
}

/** An argument that names no figure; null = all are known. */
export function unknownFigure(only: readonly string[], names: readonly string[]): string | null {
  const unknown = only.find((asked) => !names.some((name) => name.startsWith(asked)));
  return unknown === undefined
    ? null
    : `--only: expected one of ${names.join(', ')}, or how they begin, got "${unknown}"`;
}

export function refuse(problem: string): void {
  console.error(problem);
  process.exitCode = 2;
}

const HEADINGS = ['', 'name', 'figure', 'must', 'aim', 'measured', 'raw', 'what'];

const HOW =
  'A figure without a unit is a ratio: the median of pairs, measured ÷ raw of one pair after the other; measured and raw are the median of each side alone.';

export function table(figures: readonly Figure[]): string {
  const rows = [HEADINGS, ...figures.map(rowOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [...lines, '', HOW].join('\n');
}

function rowOf(figure: Figure): string[] {
  const { name, value, must, aim, better, measured, raw, what } = figure;
  const unit = figure.unit === undefined ? '' : ` ${figure.unit}`;
  const sign = better === 'more' ? '≥' : '≤';
  const mark = must === null ? ' ' : passes(figure) ? '✓' : '✗';
  return [mark, name, short(value) + unit, bar(sign, must, unit), bar(sign, aim, unit), measured, raw, what];
}

function bar(sign: string, value: number | null, unit: string): string {
  return value === null ? '–' : `${sign} ${value}${unit}`;
}

function short(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(3);
}

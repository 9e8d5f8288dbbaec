/** Defines positions in a config file, and formats the problems found there. */

import { type CommandError, usageError } from '../../cli/terminal/command-error.ts';

export type KeyPath = readonly PropertyKey[];

/** Line and column, counted from 1. */
export interface SourceLocation {
  readonly line: number;
  readonly column: number;
}

export interface Source {
  readonly file: string;
  readonly value: unknown;
  /** Position of a key or its value, or of the nearest enclosing part; null if unknown. */
  locationOf(path: KeyPath, part: 'key' | 'value'): SourceLocation | null;
}

/** A syntax error, which prevents all other checks. */
export interface SyntaxProblem {
  readonly location: SourceLocation | null;
  readonly problem: string;
}

export type ReadResult = Omit<Source, 'file'> | { readonly slips: readonly SyntaxProblem[] };

export interface Problem {
  readonly path: KeyPath;
  /** The key or its value (default: value). */
  readonly part?: 'key' | 'value';
  /** The message that follows `agents.bob.timeout: `. */
  readonly text: string;
}

/** Maximum nesting, deeper than any real config: YAML aliases may contain themselves. */
export const MAX_LEVELS = 64;

/** Formats a path: `agents.bob.passEnv[0]`, or `agents["bob.2"]` if a dot would be ambiguous. */
export function keyText(path: KeyPath): string {
  return path
    .map((key, at) => {
      if (typeof key === 'number') return `[${key}]`;
      const name = String(key);
      return /^[\w*$-]+$/.test(name) ? `${at === 0 ? '' : '.'}${name}` : `[${JSON.stringify(name)}]`;
    })
    .join('');
}

export function lineStarts(text: string): readonly number[] {
  return [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map(({ index, 0: end }) => index + end.length)];
}

export function locationAt(starts: readonly number[], offset: number): SourceLocation {
  const line = starts.findLastIndex((start) => start <= offset);
  return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 };
}

const HINT = 'See docs/reference/config.md for all settings.';

/** Formats a problem as one line: `parley.config.yaml:12:7: agents.bob.timeout: expected …`. */
function problemLine(source: Pick<Source, 'file' | 'locationOf'>, { path, part = 'value', text }: Problem): string {
  const place = source.locationOf(path, part);
  const where = place === null ? source.file : `${source.file}:${place.line}:${place.column}`;
  return path.length === 0 ? `${where}: ${text}` : `${where}: ${keyText(path)}: ${text}`;
}

/** Creates one error with all problems, in the order of the file. */
export function configError(
  source: Pick<Source, 'file' | 'locationOf'>,
  problems: readonly Problem[],
  hide: (text: string) => string = (text) => text,
): CommandError {
  const placed = problems.map((problem) => ({
    line: hide(problemLine(source, problem)),
    place: source.locationOf(problem.path, problem.part ?? 'value') ?? { line: 0, column: 0 },
  }));
  placed.sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column);
  return badConfigError(source.file, [...new Set(placed.map(({ line }) => line))]);
}

export function syntaxError(file: string, slips: readonly SyntaxProblem[]): CommandError {
  const lines = slips.map(({ location: place, problem }) =>
    place === null ? `${file}: ${problem}` : `${file}:${place.line}:${place.column}: ${problem}`,
  );
  return badConfigError(file, lines);
}

function badConfigError(file: string, lines: readonly string[]): CommandError {
  const [only = ''] = lines;
  if (lines.length === 1) return usageError('bad_config', only, HINT);
  return usageError('bad_config', `${file}: ${lines.length} problems`, HINT, lines);
}

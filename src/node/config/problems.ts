/** What is wrong with a config file: each thing with the file, the line and column where they are known, and the key. */

import { Trouble } from '../../cli/terminal/command-error.ts';
import type { KeyPath, Slip, Source } from './source.ts';

export interface Problem {
  readonly path: KeyPath;
  /** What of it is wrong; its value unless told. */
  readonly part?: 'key' | 'value';
  /** As the end of `agents.bob.timeout: …`. */
  readonly text: string;
}

const HINT = 'docs/config.md has all settings.';

/** `agents.bob.passEnv[0]`, and `agents["bob.2"]` where a dot would mislead. */
export function keyText(path: KeyPath): string {
  return path
    .map((key, at) => {
      if (typeof key === 'number') return `[${key}]`;
      const name = String(key);
      return /^[\w*$-]+$/.test(name) ? `${at === 0 ? '' : '.'}${name}` : `[${JSON.stringify(name)}]`;
    })
    .join('');
}

/** One line: `parley.config.yaml:12:7: agents.bob.timeout: expected …`. */
export function problemLine(source: Pick<Source, 'file' | 'placeOf'>, { path, part = 'value', text }: Problem): string {
  const place = source.placeOf(path, part);
  const where = place === null ? source.file : `${source.file}:${place.line}:${place.column}`;
  return path.length === 0 ? `${where}: ${text}` : `${where}: ${keyText(path)}: ${text}`;
}

/** All at once, in the order of the file. */
export function configTrouble(
  source: Pick<Source, 'file' | 'placeOf'>,
  problems: readonly Problem[],
  hide: (text: string) => string = (text) => text,
): Trouble {
  const placed = problems.map((problem) => ({
    line: hide(problemLine(source, problem)),
    place: source.placeOf(problem.path, problem.part ?? 'value') ?? { line: 0, column: 0 },
  }));
  placed.sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column);
  return troubleOf(source.file, [...new Set(placed.map(({ line }) => line))]);
}

/** Of a text that cannot be read at all. */
export function slipTrouble(file: string, slips: readonly Slip[]): Trouble {
  const lines = slips.map(({ place, problem }) =>
    place === null ? `${file}: ${problem}` : `${file}:${place.line}:${place.column}: ${problem}`,
  );
  return troubleOf(file, lines);
}

function troubleOf(file: string, lines: readonly string[]): Trouble {
  const [only = ''] = lines;
  if (lines.length === 1) return new Trouble('wrong', 'bad_config', only, HINT);
  return new Trouble('wrong', 'bad_config', `${file}: ${lines.length} things are wrong`, HINT, lines);
}

/** The options of a bench, and the figures it measures: all, or those whose name starts with an argument. */

import { type ParseArgsConfig, parseArgs } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<Known extends Options> = ReturnType<typeof parseArgs<{ options: Known; allowPositionals: true }>>['values'];

/** The options, or what is wrong with them. */
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

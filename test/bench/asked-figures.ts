/** Which figures are asked for: all, one by its name, or all whose name begins so. */

/** What was asked and names no figure; null = all is known. */
export function unknownFigure(only: readonly string[], names: readonly string[]): string | null {
  const unknown = only.find((asked) => !names.some((name) => name.startsWith(asked)));
  return unknown === undefined
    ? null
    : `--only: expected one of ${names.join(', ')}, or how they begin, got "${unknown}"`;
}

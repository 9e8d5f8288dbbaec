/** Reading the few shapes of Markdown that gates know. */

/** What stands behind the key, trimmed; null if the line is absent or says nothing. */
export function lineValue(text: string, pattern: RegExp): string | null {
  const value = pattern.exec(text.replaceAll('\r', ''))?.[1]?.trim() ?? '';
  return value === '' ? null : value;
}

/** ` ship  it ` → `SHIP IT`. */
export function word(value: string): string {
  return value.trim().replace(/\s+/g, ' ').toUpperCase();
}

/** The lines under `## Title` that are not blank; null if there is no such title. */
export function sectionLines(text: string, title: string): readonly string[] | null {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const begin = lines.findIndex((line) => isHeading(line) && word(line) === word(title));
  if (begin === -1) return null;
  const after = lines.slice(begin + 1);
  const end = after.findIndex(isHeading);
  return (end === -1 ? after : after.slice(0, end)).filter((line) => line !== '');
}

/** Of the first two levels: deeper ones are part of a section. */
function isHeading(line: string): boolean {
  return /^##?\s/.test(line);
}

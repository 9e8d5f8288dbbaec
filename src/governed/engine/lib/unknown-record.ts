/** Reads values that came from outside. Nothing is assumed of them. */

export type UnknownRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member of a record's own: names such as `constructor` come from outside too. */
export function getOwn<T>(record: Readonly<Record<string, T>> | null | undefined, key: string): T | undefined {
  return record !== null && record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** The record without that member. */
export function without<T>(record: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));
}

/** A text with something in it. */
export function isNonEmptyText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

export function isMissing(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

export function isTextOrNothing(value: unknown): value is string | null | undefined {
  return isMissing(value) || typeof value === 'string';
}

export function isOneOf<T extends string>(values: readonly T[], value: unknown): value is T {
  return typeof value === 'string' && (values as readonly string[]).includes(value);
}

/** The values that occur more than once, each named once. */
export function repeatedIn(values: readonly string[]): readonly string[] {
  return [...new Set(values.filter((value, at) => values.indexOf(value) !== at))];
}

/** undefined = the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The JSON object a text holds; null = the text holds none. */
export function parseRecord(text: string): UnknownRecord | null {
  const value = parseJson(text);
  return isRecord(value) ? value : null;
}

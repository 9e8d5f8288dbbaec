/** Reading what others wrote into a log: nothing is assumed of it. */

export type Unknowns = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Unknowns {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Its own members, never what every object inherits. */
export function own(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

export function textOr<T>(value: unknown, otherwise: T): string | T {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}

export function numberOr<T>(value: unknown, otherwise: T): number | T {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}

export function recordsIn(value: unknown): readonly Unknowns[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

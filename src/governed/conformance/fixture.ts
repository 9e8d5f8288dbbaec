/** Defines conformance fixtures and the answers of a conformance adapter. */

export interface Fixture {
  readonly fixture_id: string;
  readonly tier: number;
  readonly surface: string;
  readonly description: string;
  readonly type: string;
  readonly setup: Readonly<Record<string, unknown>>;
  readonly input: { readonly operation: string; readonly args: Readonly<Record<string, unknown>> };
  readonly expected: Readonly<Record<string, unknown>>;
}

export const STATUSES = ['pass', 'fail', 'error', 'not_implemented'] as const;
export type Status = (typeof STATUSES)[number];

/** Exit codes of a conformance adapter. */
export const EXIT_OF: { readonly [S in Status]: number } = { pass: 0, fail: 1, error: 2, not_implemented: 3 };

export interface Answer {
  readonly status: Status;
  readonly message?: string;
  /** Complete even for `pass`, because the verifier does its own comparison. */
  readonly actual: unknown;
}

/** Returns the error as a string if the value is not a fixture. */
export function fixtureOf(value: unknown): Fixture | string {
  if (!isMembers(value)) return 'a fixture is an object';
  for (const name of ['fixture_id', 'surface', 'description', 'type']) {
    if (typeof value[name] !== 'string') return `${name}: expected a text`;
  }
  if (![1, 2, 3].includes(Number(value.tier)) || typeof value.tier !== 'number') return 'tier: expected 1, 2 or 3';
  for (const name of ['setup', 'input', 'expected']) if (!isMembers(value[name])) return `${name}: expected an object`;
  const { operation, args } = value.input as Readonly<Record<string, unknown>>;
  if (typeof operation !== 'string' || operation.trim() === '') return 'input.operation: expected a name';
  if (!isMembers(args)) return 'input.args: expected an object';
  // Every member was checked above.
  return value as unknown as Fixture;
}

export type Members = Readonly<Record<string, unknown>>;

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

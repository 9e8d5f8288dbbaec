/** Assertions of the contract checks. */

import assert from 'node:assert/strict';
import { asError } from '../../core/lib/errors.ts';
import type { Call, Outcome } from './recording.ts';

/** Requires a value that survives JSON: no undefined, Map, Date, class instance or NaN. */
export function assertJson(value: unknown, what: string): void {
  const text = JSON.stringify(value);
  assert.ok(text !== undefined, `${what} is not JSON: ${typeof value}`);
  assert.deepStrictEqual(value, JSON.parse(text), `${what} does not survive JSON unchanged`);
}

export function assertName(value: unknown, what: string): void {
  assert.ok(typeof value === 'string' && value !== '', `${what} must be a name, got ${JSON.stringify(value)}`);
}

export function assertReturned(call: Call): void {
  assert.ok('value' in call.outcome, `${describeCall(call)} threw ${describeOutcome(call.outcome)}`);
}

export function assertSameOutcome(actual: Outcome, expected: Outcome, what: string): void {
  const reason = 'thrown' in actual ? `: threw ${describeOutcome(actual)}` : '';
  assert.deepStrictEqual(comparable(actual), comparable(expected), what + reason);
}

/** Calls `run`; prefixes the message of its error with `what`. */
export function doing<T>(what: string, run: () => T): T {
  try {
    return run();
  } catch (thrown) {
    throw new Error(`${what}: ${describeOutcome({ thrown })}`, { cause: thrown });
  }
}

/** Describes a call by its member and the type of its envelope or draft. */
export function describeCall({ member, args }: Call): string {
  const types = args.map(eventType).filter((type) => type !== undefined);
  return `${member}(${types.join()})`;
}

export function describeOutcome(outcome: Outcome): string {
  if ('value' in outcome) return JSON.stringify(outcome.value);
  const { name, message } = asError(outcome.thrown);
  return `${name}: ${message}`;
}

function comparable(outcome: Outcome): unknown {
  return 'value' in outcome ? outcome : { thrown: describeOutcome(outcome) };
}

function eventType(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'event_type' in value ? value.event_type : undefined;
}

/** A fixture is done with the engine, and what came out is compared with what was expected. */

import { type Answer, type Fixture, fixtureOf } from '../fixture.ts';
import { difference } from '../match.ts';
import type { Members } from '../../../node/conformance/members.ts';
import { inflate, unknownSetup } from './inflate.ts';
import { OPERATIONS } from '../../../node/conformance/adapter/operations.ts';

export function executeFixture(given: unknown): Answer {
  const fixture = fixtureOf(given);
  if (typeof fixture === 'string') return { status: 'error', message: fixture, actual: null };
  const { operation } = fixture.input;
  const perform = Object.hasOwn(OPERATIONS, operation) ? OPERATIONS[operation] : undefined;
  if (perform === undefined) {
    return { status: 'not_implemented', message: `${operation} is not implemented`, actual: null };
  }
  const stranger = unknownSetup(fixture);
  if (stranger !== null) return notUnderstood(stranger);
  return compared(fixture, perform(inflate(fixture), fixture.input.args));
}

export function notUnderstood(stranger: string): Answer {
  return { status: 'error', message: `setup.${stranger} is not understood, so nothing can be said`, actual: null };
}

export function compared(fixture: Fixture, told: Members): Answer {
  // As text and back: what is compared here is what the verifier gets to see.
  const actual: unknown = JSON.parse(JSON.stringify(told));
  const place = difference(fixture.expected, actual, true);
  if (place === null) return { status: 'pass', actual };
  return { status: 'fail', message: `not as expected at ${place}`, actual };
}

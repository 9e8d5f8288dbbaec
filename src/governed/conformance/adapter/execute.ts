/** Executes fixtures and compares expected with actual. Operations missing from the tables are `not_implemented`. */

import { type Answer, type Fixture, fixtureOf, type Members } from '../fixture.ts';
import { difference } from '../match.ts';
import { BOOKS_OPERATIONS } from './books-operations.ts';
import { COORDINATOR_OPERATIONS } from './coordinator-operations.ts';
import { DISK_OPERATIONS, DISK_SETUP } from './disk-operations.ts';
import { inflate, type Operations, unknownSetup } from './inflate.ts';
import { RUN_OPERATIONS } from './run-operations.ts';
import { inWorkspace } from './workspace.ts';

export const OPERATIONS: Operations = { ...RUN_OPERATIONS, ...BOOKS_OPERATIONS, ...COORDINATOR_OPERATIONS };

/** Executes operations that need no disk. */
export function executeFixture(given: unknown): Answer {
  const fixture = fixtureOf(given);
  if (typeof fixture === 'string') return failed(fixture);
  const { operation, args } = fixture.input;
  const perform = Object.hasOwn(OPERATIONS, operation) ? OPERATIONS[operation] : undefined;
  if (perform === undefined) {
    return { status: 'not_implemented', message: `${operation} is not implemented`, actual: null };
  }
  const stranger = unknownSetup(fixture);
  return stranger === null ? compared(fixture, perform(inflate(fixture), args)) : notUnderstood(stranger);
}

/** Also executes disk operations, in a temporary project. Aborting `signal` ends all processes and voids the answer. */
export async function executeAnyFixture(given: unknown, signal?: AbortSignal): Promise<Answer> {
  const fixture = fixtureOf(given);
  if (typeof fixture === 'string') return failed(fixture);
  const { operation, args } = fixture.input;
  const perform = Object.hasOwn(DISK_OPERATIONS, operation) ? DISK_OPERATIONS[operation] : undefined;
  if (perform === undefined) return executeFixture(given);
  const stranger = unknownSetup(fixture, DISK_SETUP);
  if (stranger !== null) return notUnderstood(stranger);
  const world = inflate(fixture);
  const done = await inWorkspace(fixture, world, (workspace) => perform(workspace, world, args), signal);
  return compared(fixture, done);
}

/** Never throws: answers `error` if the fixture cannot be executed. */
export async function answerFixture(given: unknown, signal?: AbortSignal): Promise<Answer> {
  try {
    return await executeAnyFixture(given, signal);
  } catch (thrown) {
    return failed(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

function failed(message: string): Answer {
  return { status: 'error', message, actual: null };
}

function notUnderstood(stranger: string): Answer {
  return failed(`setup.${stranger} is unknown, so the fixture cannot be executed`);
}

function compared(fixture: Fixture, outcome: Members): Answer {
  // Round trip through JSON, because the verifier sees only JSON.
  const actual: unknown = JSON.parse(JSON.stringify(outcome));
  const place = difference(fixture.expected, actual, true);
  if (place === null) return { status: 'pass', actual };
  return { status: 'fail', message: `not as expected at ${place}`, actual };
}

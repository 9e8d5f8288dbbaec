/** Executes a fixture with the engine and compares what came out with what was expected. An operation that is not in the table is not implemented. */

import { type Answer, type Fixture, fixtureOf, type Members } from '../fixture.ts';
import { difference } from '../match.ts';
import { acceptTurnFixture, appendDecision, validateTurnResultFixture } from './books-operations.ts';
import { projectRepoAcceptance, validateCoordinatorConfig } from './coordinator-operations.ts';
import { inflate, unknownSetup, type World } from './inflate.ts';
import {
  approveCompletionFixture,
  approveTransitionFixture,
  assign,
  initialise,
  phaseExit,
  resolve,
  runCompletion,
  transition,
  validateConfig,
  validateEvent,
  validateEventOrdering,
} from './run-operations.ts';

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

export type Operation = (world: World, args: Members) => Members;

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  initialize_run: initialise,
  assign_turn: assign,
  approve_transition: approveTransitionFixture,
  approve_completion: approveCompletionFixture,
  resolve_blocked: resolve,
  transition_state: transition,
  validate_turn_result: validateTurnResultFixture,
  evaluate_phase_exit: phaseExit,
  evaluate_run_completion: runCompletion,
  append_decision: appendDecision,
  accept_turn: acceptTurnFixture,
  validate_config: validateConfig,
  validate_event: validateEvent,
  validate_event_ordering: validateEventOrdering,
  validate_coordinator_config: validateCoordinatorConfig,
  project_repo_acceptance: projectRepoAcceptance,
};

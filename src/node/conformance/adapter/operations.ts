/** The operations a fixture can ask for, by name. What is not here is not implemented, and the answer says so. */

import type { Members } from '../members.ts';
import { acceptTurnFixture, appendDecision, validateTurnResultFixture } from '../../../governed/conformance/adapter/books-operations.ts';
import { validateConfig, validateEvent, validateEventOrdering } from './check-operations.ts';
import { projectRepoAcceptance, validateCoordinatorConfig } from './coordinator-operations.ts';
import { phaseExit, runCompletion } from '../../../governed/conformance/adapter/run-operations.ts';
import type { World } from '../../../governed/conformance/adapter/inflate.ts';
import {
  approveCompletionFixture,
  approveTransitionFixture,
  assign,
  initialise,
  resolve,
  transition,
} from './run-operations.ts';

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

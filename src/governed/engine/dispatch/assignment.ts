/** Builds ASSIGNMENT.json, which describes the turn to programs. It has every member of both known formats. */

import { allowedNextRoles, authorityOf, type GovernedConfig, runtimeType } from '../config/config.ts';
import { getOwn, type UnknownRecord, without } from '../lib/unknown-record.ts';
import type { RunState, Turn } from '../state/state.ts';
import { getTurnStagingResultPath } from '../turns/active.ts';
import { RUN_FOLDER } from './paths.ts';

const DEFAULT_TURN_MINUTES = 120;

export interface DispatchInput {
  readonly state: RunState;
  readonly config: GovernedConfig;
  readonly turn: Turn;
  /** Advice for the agent; does not block anything. */
  readonly warnings: readonly string[];
}

export function createAssignment({ state, config, turn, warnings }: DispatchInput): UnknownRecord {
  const runtime = getOwn(config.runtimes, turn.runtime_id) ?? { type: runtimeType(config, turn.runtime_id) };
  return {
    schema_version: '1.0',
    run_id: state.run_id,
    turn_id: turn.turn_id,
    phase: state.phase,
    role: turn.assigned_role,
    runtime_id: turn.runtime_id,
    adapter: runtime.type,
    adapter_config: without(runtime, 'type'),
    timeout_ms: timeoutOf(config, runtime),
    context_ref: './CONTEXT.md',
    prompt_ref: './PROMPT.md',
    write_authority: authorityOf(config, turn.assigned_role),
    accepted_integration_ref: state.accepted_integration_ref,
    staging_result_path: getTurnStagingResultPath(turn.turn_id),
    reserved_paths: [`${RUN_FOLDER}/`],
    allowed_next_roles: allowedNextRoles(config, state.phase) ?? [...Object.keys(config.roles), 'human'],
    attempt: turn.attempt,
    deadline_at: turn.deadline_at,
    assigned_sequence: turn.assigned_sequence,
    budget_reservation_usd: getOwn(state.budget_reservations, turn.turn_id) ?? null,
    active_siblings: Object.keys(state.active_turns).filter((id) => id !== turn.turn_id),
    ...present('conflict_context', turn.conflict_state),
    ...present('delegation_context', turn.delegation_context),
    ...present('delegation_review', turn.delegation_review),
    ...present('advisory_warnings', warnings.length === 0 ? null : warnings),
  };
}

function timeoutOf({ timeouts }: GovernedConfig, runtime: UnknownRecord): number {
  const { timeout_ms } = runtime;
  if (typeof timeout_ms === 'number') return timeout_ms;
  return (timeouts?.per_turn_minutes ?? DEFAULT_TURN_MINUTES) * 60_000;
}

function present(name: string, value: unknown): UnknownRecord {
  return value === null || value === undefined ? {} : { [name]: value };
}

/** A gate that waits is opened, by the operator: hooks are asked first. */

import { approveCompletion, approveTransition, type RunState } from '../../../../governed/index.ts';
import { own } from '../../../../governed/engine/lib/unknown-record.ts';
import type { GateType } from '../../../../governed/session/index.ts';
import { RunnerRefusal, refusalOf, requireHooksPassed } from '../../../../governed/runner/contract/failure.ts';
import { hooksOf } from '../hooks-of.ts';
import { nowOf, type OpenRun, type Running, stateOf } from '../open-run.ts';
import { requireRun } from '../../../../governed/runner/project/take-over.ts';
import type { ApproveOptions, CompletionApproved, PhaseApproved } from '../../../../governed/runner/contract/types.ts';

export interface ApproveArgs {
  readonly config: unknown;
  readonly options?: ApproveOptions;
}

export async function approvePhaseGate(run: OpenRun, args: ApproveArgs): Promise<PhaseApproved> {
  const running = await requireRun(run, args.config);
  const transition = stateOf(running).pending_phase_transition;
  const state = await approved(running, 'phase_transition', args.options ?? {});
  return { ok: true, state, transition, gateActionRun: null, ...dry(args) };
}

export async function approveCompletionGate(run: OpenRun, args: ApproveArgs): Promise<CompletionApproved> {
  const running = await requireRun(run, args.config);
  const completion = stateOf(running).pending_run_completion;
  const state = await approved(running, 'run_completion', args.options ?? {});
  return { ok: true, state, completion, gateActionRun: null, ...dry(args) };
}

function dry({ options }: ApproveArgs): { readonly dryRun?: true } {
  return options?.dryRun === true ? { dryRun: true } : {};
}

/** The state after it. */
async function approved(running: Running, gate_type: GateType, options: ApproveOptions): Promise<RunState> {
  const state = stateOf(running);
  const approve = gate_type === 'phase_transition' ? approveTransition : approveCompletion;
  const judged = approve(state, { now: nowOf(running) });
  if (!judged.ok) throw refusalOf(judged);
  if (options.dryRun === true) return judged.state;
  const gate = (state.pending_phase_transition ?? state.pending_run_completion)?.gate ?? null;
  await askHooks(running, gate_type, gate);
  const note = options.note ?? null;
  await running.log.post('gate.approved', { gate_type, gate, note }, { as: 'operator', expectedSeq: running.log.seq });
  return stateOf(running);
}

async function askHooks(running: Running, gate_type: GateType, gate: string | null): Promise<void> {
  const { config, log } = running;
  const state = stateOf(running);
  const declared = own(config.hooks ?? {}, 'before_gate');
  if (!Array.isArray(declared) || declared.length === 0) return;
  const hooks = await hooksOf(running, 'before_gate', {
    gate_type,
    current_phase: state.phase,
    target_phase: state.pending_phase_transition?.to ?? null,
    gate_config: gate === null ? null : (own(config.gates, gate) ?? null),
    history_length: log.record.history.length,
  });
  if (hooks.results.length === 0 && !hooks.ok) {
    throw new RunnerRefusal(hooks.error_code ?? 'hook_failed', hooks.error ?? 'hooks before the gate could not be run');
  }
  // Also when they said no: that it was asked is part of the run.
  await log.post('hook.results', { phase: 'before_gate', entries: hooks.results });
  requireHooksPassed(hooks, 'before_gate');
}

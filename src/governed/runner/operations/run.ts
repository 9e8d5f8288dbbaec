/** Operations on the run: init, abandon, reactivate, block, escalate, approve gates, acquire and release its lock. */

import { approveCompletion, approveTransition, EMPTY_STATE, type RunState, repoDecisions } from '../../engine/index.ts';
import { getOwn, isNonEmptyText, isRecord } from '../../engine/lib/unknown-record.ts';
import type { GateType } from '../../session/index.ts';
import { badArgument, RunnerRefusal, refusalOf, requireHooksPassed } from '../contract/failure.ts';
import type {
  ApproveOptions,
  BlockDetails,
  CompletionApproved,
  EscalateDetails,
  Escalated,
  InitOptions,
  LockTaken,
  PhaseApproved,
  ReactivateDetails,
  RunBegun,
  RunChanged,
} from '../contract/types.ts';
import { nowOf, type OpenRun, type Running, stateOf } from '../log/runner-context.ts';
import { isExpiredLease, LEASE_SECONDS } from '../log/session-log.ts';
import { readImportedFiles, saveLooseFiles } from '../project/imported-files.ts';
import { hooksOf } from '../project/load-context.ts';
import { checkedConfig, imported, type OperationArgs, requireRun, runningRun } from '../project/take-over.ts';

export async function initRun(
  run: OpenRun,
  { config: given, options = {} }: OperationArgs<InitOptions>,
): Promise<RunBegun> {
  const config = checkedConfig(given);
  const isTakenOver = run.logs.current === null && (await readImportedFiles(run.root)) !== null;
  if (run.logs.current === null) await saveLooseFiles(run.root);
  const running = (await begun(run, config, options)) ?? { ...run, config, log: await run.logs.begin(config) };
  const run_id = `run_${run.means.ids.hex32().slice(0, 16)}`;
  const { provenance = null, inherited_context = null, intakeContext = null } = options;
  const context = intakeContext === null ? inherited_context : { ...inherited_context, intake: intakeContext };
  await running.log.post('run.initialized', { run_id, provenance, inherited_context: context });
  const notice = 'took over the files of an earlier run; copies are in .agentxchain/imported';
  return { ok: true, state: stateOf(running), migration_notice: isTakenOver ? notice : null, phantom_notice: null };
}

/** Returns the session in which the new run begins; null if a new session must be opened. */
async function begun(run: OpenRun, config: Running['config'], options: InitOptions): Promise<Running | null> {
  const running = await runningRun(run, config);
  if (running === null) return null;
  const { status, run_id, repo_decisions } = stateOf(running);
  if (status === 'idle' && running.log.isOpen) return running;
  const mayFollow = (status === 'completed' || status === 'blocked') && options.allow_terminal_restart === true;
  if (!mayFollow) {
    const hint = status === 'completed' || status === 'blocked' ? '; allow_terminal_restart begins another one' : '';
    const error = `initRun requires an idle run; ${run_id} is ${status}${hint}`;
    const details = { trigger: 'initialize_run', status };
    throw new RunnerRefusal('wrong_status', error, { error_type: 'invalid_state_transition', details });
  }
  if (repo_decisions.length === 0) return null;
  // Repository decisions carry over to the next run.
  const state = { ...EMPTY_STATE, repo_decisions: repoDecisions(repo_decisions) };
  return { ...run, config, log: await imported(run, config, { state, history: [], ledger: [] }) };
}

interface AbandonArgs {
  /** null for the current run. */
  readonly runId: unknown;
}

/** Abandons a run that has no turns, so that no work is lost. Its first envelopes stay in the log. */
export async function abandonRun(run: OpenRun, { runId }: AbandonArgs): Promise<RunChanged> {
  if (runId !== null && typeof runId !== 'string') throw badArgument('runId', 'the id of a run, or null', runId);
  const isEmpty = run.logs.current === null && (await readImportedFiles(run.root)) === null;
  const running = isEmpty ? null : await runningRun(run, undefined);
  if (running === null) return { ok: true, state: EMPTY_STATE };
  const state = stateOf(running);
  if (state.status === 'idle' || (runId !== null && state.run_id !== runId)) return { ok: true, state };
  if (state.turn_sequence > 0 || state.status !== 'active') {
    const error = `cannot abandon ${state.run_id}: it is ${state.status} and had ${state.turn_sequence} turns`;
    throw new RunnerRefusal('run_has_turns', error, { error_type: 'invalid_state_transition' });
  }
  const idle = { ...EMPTY_STATE, repo_decisions: repoDecisions(state.repo_decisions) };
  const log = await imported(run, running.config, { state: idle, history: [], ledger: [] });
  return { ok: true, state: stateOf({ log }) };
}

interface ReactivateArgs {
  readonly details?: ReactivateDetails;
}

export async function reactivateRun(run: OpenRun, { details = {} }: ReactivateArgs): Promise<RunChanged> {
  const running = await requireRun(run);
  const { status, pending_phase_transition: phase, pending_run_completion: completion } = stateOf(running);
  if (status === 'paused') {
    const gate = (phase ?? completion)?.gate ?? 'a gate';
    const error = `the run waits for the approval of ${gate}; approve the gate to continue`;
    throw new RunnerRefusal('gate_pending', error, { error_type: 'invalid_state_transition' });
  }
  const note = [details.via, details.note].filter((word) => typeof word === 'string' && word !== '').join(': ');
  await running.log.post('run.resolved', { action: 'resume', note: note === '' ? null : note });
  return { ok: true, state: stateOf(running) };
}

export async function markRunBlocked(run: OpenRun, { details }: { readonly details: unknown }): Promise<RunChanged> {
  if (!isRecord(details)) throw badArgument('details', 'an object with blockedOn and category', details);
  const { blockedOn, category, turnId = null, recovery } = details as Partial<BlockDetails>;
  if (!isNonEmptyText(blockedOn)) throw badArgument('details.blockedOn', 'the name of the blocker', blockedOn);
  if (!isNonEmptyText(category)) throw badArgument('details.category', 'the kind of blocker', category);
  if (!isRecord(recovery ?? {})) {
    throw badArgument('details.recovery', 'an object with owner, recovery_action and detail', recovery);
  }
  const running = await requireRun(run);
  await running.log.post('run.blocked', {
    blocked_on: blockedOn,
    category,
    turn_id: turnId,
    owner: recovery?.owner ?? null,
    recovery_action: recovery?.recovery_action ?? null,
    detail: recovery?.detail ?? null,
  });
  return { ok: true, state: stateOf(running) };
}

interface EscalateArgs {
  readonly config: unknown;
  readonly details: unknown;
}

export async function escalate(run: OpenRun, { config, details }: EscalateArgs): Promise<Escalated> {
  if (!isRecord(details)) throw badArgument('details', 'an object with a reason', details);
  const { reason, detail = null, action = null, turnId = null } = details as unknown as EscalateDetails;
  if (!isNonEmptyText(reason)) throw badArgument('details.reason', 'a text', reason);
  const running = await requireRun(run, config);
  const words = [detail, action].filter(isNonEmptyText).join('; ');
  await running.log.post('run.escalated', { reason, detail: words === '' ? null : words, turn_id: turnId });
  const state = stateOf(running);
  return { ok: true, state, escalation: state.escalation };
}

export async function approvePhaseGate(run: OpenRun, args: OperationArgs<ApproveOptions>): Promise<PhaseApproved> {
  const running = await requireRun(run, args.config);
  const transition = stateOf(running).pending_phase_transition;
  const state = await approved(running, 'phase_transition', args.options ?? {});
  return { ok: true, state, transition, gateActionRun: null, ...dry(args) };
}

export async function approveCompletionGate(
  run: OpenRun,
  args: OperationArgs<ApproveOptions>,
): Promise<CompletionApproved> {
  const running = await requireRun(run, args.config);
  const completion = stateOf(running).pending_run_completion;
  const state = await approved(running, 'run_completion', args.options ?? {});
  return { ok: true, state, completion, gateActionRun: null, ...dry(args) };
}

function dry({ options }: OperationArgs<ApproveOptions>): { readonly dryRun?: true } {
  return options?.dryRun === true ? { dryRun: true } : {};
}

/** Returns the state after the approval. */
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
  const declared = getOwn(config.hooks ?? {}, 'before_gate');
  if (!Array.isArray(declared) || declared.length === 0) return;
  const hooks = await hooksOf(running, 'before_gate', {
    gate_type,
    current_phase: state.phase,
    target_phase: state.pending_phase_transition?.to ?? null,
    gate_config: gate === null ? null : (getOwn(config.gates, gate) ?? null),
    history_length: log.record.history.length,
  });
  if (hooks.results.length === 0 && !hooks.ok) {
    throw new RunnerRefusal(hooks.error_code ?? 'hook_failed', hooks.error ?? 'the before_gate hooks could not run');
  }
  // Post the results even if they block, because the request is part of the run.
  await log.post('hook.results', { phase: 'before_gate', entries: hooks.results });
  requireHooksPassed(hooks, 'before_gate');
}

/** `owner` is the calling process, which may differ from the process that has the log. */
interface LockArgs {
  readonly owner?: string;
}

export async function acquireLock(run: OpenRun, { owner = run.means.kept.owner }: LockArgs): Promise<LockTaken> {
  const { log } = await requireRun(run);
  const { lease } = log.record.state;
  const isFree = lease === null || lease.owner === owner || isExpiredLease(lease, run.means.clock.now());
  if (!isFree) {
    const error = `the run is held by ${lease.owner} until ${lease.expires_at}`;
    throw new RunnerRefusal('lock_timeout', error, { error_type: 'lease_held', details: { lease } });
  }
  await log.post('lease.taken', { owner, seconds: LEASE_SECONDS, takes_over: lease?.fence ?? null });
  const taken = log.record.state.lease;
  if (taken === null) throw new Error('the posted lease is missing');
  run.means.kept.fences.set(log.sessionId, taken.fence);
  return { ok: true, owner, fence: taken.fence, expires_at: taken.expires_at };
}

/** Releases only the caller's lease. */
export async function releaseLock(run: OpenRun, { owner = run.means.kept.owner }: LockArgs): Promise<{ ok: true }> {
  const { current } = run.logs;
  const lease = current?.record.state.lease ?? null;
  if (current?.isOpen === true && lease?.owner === owner) {
    await current.post('lease.released', { fence: lease.fence });
  }
  if (current !== null) run.means.kept.fences.delete(current.sessionId);
  return { ok: true };
}

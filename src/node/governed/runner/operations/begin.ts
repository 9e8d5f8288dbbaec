/** A run begins, and goes on after a blocker. */

import { EMPTY_STATE, repoDecisions } from '../../../../governed/index.ts';
import { badArgument, RunnerRefusal } from '../../../../governed/runner/contract/failure.ts';
import { filesFound, keepLooseBooks } from '../found-files.ts';
import { type OpenRun, type Running, stateOf } from '../open-run.ts';
import { checkedConfig, imported, requireRun, runningRun } from '../../../../governed/runner/project/take-over.ts';
import type { InitOptions, ReactivateDetails, RunBegun, RunChanged } from '../../../../governed/runner/contract/types.ts';

export interface InitArgs {
  readonly config: unknown;
  readonly options?: InitOptions;
}

export async function initRun(run: OpenRun, { config: given, options = {} }: InitArgs): Promise<RunBegun> {
  const config = checkedConfig(given);
  const isTakenOver = run.logs.current === null && (await filesFound(run.root)) !== null;
  if (run.logs.current === null) await keepLooseBooks(run.root);
  const running = (await begun(run, config, options)) ?? { ...run, config, log: await run.logs.begin(config) };
  const run_id = `run_${run.means.ids.hex32().slice(0, 16)}`;
  const { provenance = null, inherited_context = null, intakeContext = null } = options;
  const context = intakeContext === null ? inherited_context : { ...inherited_context, intake: intakeContext };
  await running.log.post('run.initialized', { run_id, provenance, inherited_context: context });
  const notice = 'the files of an earlier run were taken over; they are kept under .agentxchain/imported';
  return {
    ok: true,
    state: stateOf(running),
    migration_notice: isTakenOver ? notice : null,
    phantom_notice: null,
  };
}

/** Where the new run begins; null = nothing was here before. */
async function begun(run: OpenRun, config: Running['config'], options: InitOptions): Promise<Running | null> {
  const running = await runningRun(run, config);
  if (running === null) return null;
  const { status, run_id, repo_decisions } = stateOf(running);
  if (status === 'idle' && running.log.isOpen) return running;
  const mayFollow = (status === 'completed' || status === 'blocked') && options.allow_terminal_restart === true;
  if (!mayFollow) {
    const hint = status === 'completed' || status === 'blocked' ? '; allow_terminal_restart begins another one' : '';
    const error = `initRun needs a run that is idle; ${run_id} is ${status}${hint}`;
    const details = { trigger: 'initialize_run', status };
    throw new RunnerRefusal('wrong_status', error, { error_type: 'invalid_state_transition', details });
  }
  if (repo_decisions.length === 0) return null;
  // What was decided for good is known to the next run.
  const state = { ...EMPTY_STATE, repo_decisions: repoDecisions(repo_decisions) };
  return { ...run, config, log: await imported(run, config, { state, history: [], ledger: [] }) };
}

export interface AbandonArgs {
  /** null = whichever began last. */
  readonly runId: unknown;
}

/** Only a run in which no turn ever was: there is nothing to lose then. What it began with stays in its log. */
export async function abandonRun(run: OpenRun, { runId }: AbandonArgs): Promise<RunChanged> {
  if (runId !== null && typeof runId !== 'string') throw badArgument('runId', 'the id of a run, or null', runId);
  const isEmpty = run.logs.current === null && (await filesFound(run.root)) === null;
  const running = isEmpty ? null : await runningRun(run, undefined);
  if (running === null) return { ok: true, state: EMPTY_STATE };
  const state = stateOf(running);
  if (state.status === 'idle' || (runId !== null && state.run_id !== runId)) return { ok: true, state };
  if (state.turn_sequence > 0 || state.status !== 'active') {
    const error = `${state.run_id} is ${state.status} and had ${state.turn_sequence} turns: it goes on, and is not taken back`;
    throw new RunnerRefusal('run_has_turns', error, { error_type: 'invalid_state_transition' });
  }
  const idle = { ...EMPTY_STATE, repo_decisions: repoDecisions(state.repo_decisions) };
  const log = await imported(run, running.config, { state: idle, history: [], ledger: [] });
  return { ok: true, state: stateOf({ log }) };
}

export interface ReactivateArgs {
  readonly details?: ReactivateDetails;
}

export async function reactivateRun(run: OpenRun, { details = {} }: ReactivateArgs): Promise<RunChanged> {
  const running = await requireRun(run);
  const { status, pending_phase_transition: phase, pending_run_completion: completion } = stateOf(running);
  if (status === 'paused') {
    const gate = (phase ?? completion)?.gate ?? 'a gate';
    const error = `the run waits for the approval of ${gate}, and goes on by nothing else`;
    throw new RunnerRefusal('gate_pending', error, { error_type: 'invalid_state_transition' });
  }
  const note = [details.via, details.note].filter((word) => typeof word === 'string' && word !== '').join(': ');
  await running.log.post('run.resolved', { action: 'resume', note: note === '' ? null : note });
  return { ok: true, state: stateOf(running) };
}

/** Carries out the next coordinator step: saves the change, then notifies. */

import type { ChangeOutcome } from '../engine/coordinator/change.ts';
import {
  approveCoordinatorGate,
  blockByProjection,
  blockSuperRun,
  type CoordinatorStep,
  type CoordinatorView,
  nextCoordinatorStep,
  type Projected,
  projectAcceptance,
  requestCoordinatorGate,
  resyncRepoRuns,
} from '../engine/index.ts';
import { attempted } from './repo-runs.ts';
import { ownersOnDisk } from './repos.ts';
import { forgetDispatch, sendTurn } from './send-turn.ts';
import {
  type CoordinatorFailure,
  type CoordinatorPorts,
  failure,
  refusal,
  type Session,
  type StateKept,
  saveChange,
} from './session.ts';

export interface StepDone extends StateKept {
  readonly step: CoordinatorStep;
}

export async function applyStep(
  session: Session,
  view: CoordinatorView,
  ports: CoordinatorPorts,
): Promise<StepDone | CoordinatorFailure> {
  const { now, books } = session;
  const step = nextCoordinatorStep(view);
  const keep = async (change: ChangeOutcome): Promise<StepDone | CoordinatorFailure> => {
    const outcome = await saveChange(session, change);
    return outcome.ok ? { ...outcome, step } : outcome;
  };
  switch (step.action) {
    case 'refuse':
      return failure(step.code, `super run ${view.state.super_run_id}: ${step.gate ?? 'it is completed'}`, { ...step });
    case 'wait':
      return { ok: true, step, state: view.state };
    case 'escalate':
      await notify(ports, 'on_escalation', { ...step });
      return { ok: true, step, state: view.state };
    case 'approve_gate':
      return keep(
        approveCoordinatorGate(view, { by: 'policy', now, gate: step.gate, decisionCount: books.decisions.length }),
      );
    case 'block': {
      const [{ code, message }] = step.blockers;
      return keep(blockSuperRun(view, { code, detail: message, now }));
    }
    case 'resync':
      return keep(resyncRepoRuns(view, step.repo_runs, now));
    case 'request_gate':
      return keep(requestCoordinatorGate(view, { gate_type: step.gate.gate_type }, now));
    case 'project': {
      const { repo_id: repoId, workstream_id: workstreamId, turn } = step;
      const projected = await projectTurn(session, view, ports, { repoId, workstreamId, turnId: turn.turn_id });
      if (projected.ok) return { ok: true, step, state: view.state };
      if (!isRefusedForGood(projected)) return projected;
      const { error_code: code, error: detail } = projected;
      return keep(blockByProjection(view, { repo_id: repoId, repo_turn_id: turn.turn_id, code, detail }, now));
    }
    case 'dispatch':
      return dispatched(session, view, ports, step);
  }
}

/** True if the turn can never be projected. It stays in the repo's history, so a person must decide. */
function isRefusedForGood({ params = {} }: CoordinatorFailure): boolean {
  return params.error_type === 'cross_repo_write_violation' || params.error_type === 'projection_failed';
}

async function dispatched(
  session: Session,
  view: CoordinatorView,
  { runs }: CoordinatorPorts,
  step: Extract<CoordinatorStep, { readonly action: 'dispatch' }>,
): Promise<StepDone | CoordinatorFailure> {
  const { folder, roots, now } = session;
  const { workstream_id, repo_id } = step;
  const sent = await sendTurn({ folder, view, roots, runs, now, dispatch: { workstream_id, repo_id } });
  if (!sent.ok) return failure('assignment_failed', sent.error, { workstream_id, repo_id });
  const lost = await session.keep({ history: [sent.entry] });
  if (lost !== null) return lost;
  await forgetDispatch(folder);
  return { ok: true, step, state: view.state };
}

export type ProjectionKept = Pick<
  Projected,
  'ok' | 'projection_ref' | 'is_new' | 'barrier_effects' | 'context_invalidations'
> & { readonly barrier_snapshot: Projected['barriers'] };

export async function projectTurn(
  session: Session,
  view: CoordinatorView,
  ports: CoordinatorPorts,
  { repoId, workstreamId, turnId }: { readonly repoId: string; readonly workstreamId: string; readonly turnId: string },
): Promise<ProjectionKept | CoordinatorFailure> {
  const { config, roots, now } = session;
  const turn = view.repos[repoId]?.accepted.find(({ turn_id }) => turn_id === turnId);
  if (turn === undefined) return failure('turn_not_accepted', `repo "${repoId}" has accepted no turn "${turnId}"`);
  const paths = (turn.files_changed ?? []).map((one) => (typeof one === 'string' ? one : one.path));
  const ownerOf = await ownersOnDisk(config, roots, repoId, paths);
  const outcome = projectAcceptance({ ...view, repoId, workstreamId, turn, now, ownerOf });
  if (!outcome.ok) return refusal(outcome);
  const { ok, projection_ref, is_new, barrier_effects, context_invalidations, barriers } = outcome;
  if (is_new || barrier_effects.length > 0) {
    const lost = await session.keep({ history: outcome.history, barriers, barrier_ledger: outcome.barrier_ledger });
    if (lost !== null) return lost;
  }
  if (is_new)
    await notify(ports, 'after_acceptance', { projection_ref, repoId, workstreamId, turnId, barrier_effects });
  return { ok, projection_ref, is_new, barrier_effects, context_invalidations, barrier_snapshot: barriers };
}

async function notify(
  { hooks }: CoordinatorPorts,
  phase: 'after_acceptance' | 'on_escalation',
  payload: Readonly<Record<string, unknown>>,
): Promise<void> {
  // The step is durable; a failing hook cannot undo it.
  await attempted(async () => hooks?.(phase, payload));
}

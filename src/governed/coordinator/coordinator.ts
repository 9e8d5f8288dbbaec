/**
 * Coordinates the runs of several repos: begins runs, dispatches turns, projects accepted turns, opens gates.
 * The engine decides (`engine/coordinator/`); this folder reads repos, keeps the super run's files and calls runners.
 * It writes only into its own folder, one commit per change. Failures are returned, never thrown.
 * Continue with `session.ts` (lock, view, commit) and `apply-step.ts`.
 */

import type { ChangeOutcome } from '../engine/coordinator/change.ts';
import {
  approveCoordinatorGate,
  beginSuperRun,
  type CoordinatorView,
  resolveSuperRun,
  type SuperRunResolution,
  withdrawCoordinatorGate,
} from '../engine/index.ts';
import { applyStep, type ProjectionKept, projectTurn, type StepDone } from './apply-step.ts';
import { beginRuns, forgetBeginning, undoInterrupted } from './begin-runs.ts';
import { readRepos } from './repos.ts';
import { forgetDispatch, interruptedDispatch } from './send-turn.ts';
import {
  type CoordinatorFailure,
  type CoordinatorPorts,
  failure,
  inSession,
  type Session,
  type StateKept,
  saveChange,
  viewOf,
} from './session.ts';

type Result<T> = Promise<T | CoordinatorFailure>;

export interface Coordinator {
  begin(): Result<StateKept>;
  look(): Result<{ readonly ok: true; readonly view: CoordinatorView }>;
  step(): Result<StepDone>;
  /** Projects a turn from the repo's history. */
  project(repoId: string, workstreamId: string, turnId: string): Result<ProjectionKept>;
  approve(approval: { readonly by: string; readonly gate?: string }): Result<StateKept>;
  withdraw(given: { readonly by: string; readonly reason: string; readonly gate?: string }): Result<StateKept>;
  resolve(given: Omit<SuperRunResolution, 'now'>): Result<StateKept>;
}

export function openCoordinator(root: string, ports: CoordinatorPorts): Coordinator {
  const inView = <T extends { readonly ok: boolean }>(
    use: (session: Session, view: CoordinatorView) => Promise<T | CoordinatorFailure>,
  ): Result<T> =>
    inSession(root, ports, async (session): Promise<T | CoordinatorFailure> => {
      const view = viewOf(session);
      if (view === null) return failure('not_begun', `no super run was begun in ${root}`);
      const sent = await interruptedDispatch(session.folder, view, session.now);
      const lost = sent === null ? null : await session.keep({ history: [sent] });
      if (lost !== null) return lost;
      await forgetDispatch(session.folder);
      return use(session, sent === null ? view : { ...view, history: [...view.history, sent] });
    });
  const change = (of: (view: CoordinatorView, session: Session) => ChangeOutcome): Result<StateKept> =>
    inView(async (session, view) => saveChange(session, of(view, session)));
  return {
    begin: () => inSession(root, ports, (session) => begin(session, ports)),
    look: () => inView(async (_, view) => ({ ok: true as const, view })),
    step: () => inView((session, view) => applyStep(session, view, ports)),
    project: (repoId, workstreamId, turnId) =>
      inView((session, view) => projectTurn(session, view, ports, { repoId, workstreamId, turnId })),
    approve: (approval) =>
      change((view, { now, books }) =>
        approveCoordinatorGate(view, { ...approval, now, decisionCount: books.decisions.length }),
      ),
    withdraw: (given) => change((view, { now }) => withdrawCoordinatorGate(view, { ...given, now })),
    resolve: (given) => change((view, { now }) => resolveSuperRun(view, { ...given, now })),
  };
}

async function begin(
  session: Session,
  { runs, clock, ids }: CoordinatorPorts,
): Promise<StateKept | CoordinatorFailure> {
  const { folder, config, roots, books, now } = session;
  const before = books.state;
  const { undone, left } = await undoInterrupted(folder, before?.super_run_id ?? null, roots, runs);
  if (left.length > 0) {
    const error = `an earlier beginning could not be undone in ${left.join(', ')}`;
    return failure('init_not_undone', error, { left });
  }
  if (before !== null && before.status !== 'completed') {
    return failure('already_begun', `super run ${before.super_run_id} is ${before.status}`);
  }
  // Undoing changed the repos, so read them again.
  const facts = undone.length > 0 ? await readRepos(roots) : session.facts;
  const superRunId = `srun_${clock.now()}_${ids.hex32().slice(0, 8)}`;
  const begun = await beginRuns({ folder, superRunId, roots, facts, runs });
  if (!begun.ok) return failure(begun.error_code, begun.error, { undone: begun.undone, left: begun.left });
  const started = beginSuperRun(config, { superRunId, repoRuns: begun.repoRuns, now });
  const lost = await session.keep(started);
  if (lost !== null) return lost;
  await forgetBeginning(folder);
  return { ok: true, state: started.state };
}

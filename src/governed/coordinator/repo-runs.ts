/** What the coordinator asks of a repo: to begin a run and to assign turns. By default the runner of that repo does it, in its own log. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asError } from '../../core/lib/errors.ts';
import type { CoordinatorContext } from '../engine/index.ts';
import { nextRole } from '../loop/choose.ts';
import type { RunContext, Runner } from '../runner/contract/types.ts';
import { createRunner } from '../runner/runner.ts';

export interface RepoPlace {
  readonly id: string;
  readonly root: string;
}

export interface RunnerFailure {
  readonly ok: false;
  readonly error: string;
}

export interface RepoRuns {
  begin(
    repo: RepoPlace,
  ): Promise<{ readonly ok: true; readonly run_id: string; readonly phase: string | null } | RunnerFailure>;
  /** Takes back what `begin` has done. `runId` null: nobody saw how it ended; there may be nothing to take back. */
  undo(repo: RepoPlace, runId: string | null): Promise<{ readonly ok: true } | RunnerFailure>;
  /** Gives the repo a turn; the context is at `contextFolder` by then. */
  assign(
    repo: RepoPlace,
    context: CoordinatorContext,
    contextFolder: string,
  ): Promise<{ readonly ok: true; readonly turn_id: string } | RunnerFailure>;
}

/** What others do may throw, at once or later: that is a failure like any other. */
export async function attempted<T>(run: () => Promise<T>): Promise<T | RunnerFailure> {
  try {
    return await run();
  } catch (thrown) {
    return { ok: false, error: asError(thrown).message };
  }
}

const CONTEXT_FILES = ['COORDINATOR_CONTEXT.json', 'COORDINATOR_CONTEXT.md'];

export function createRepoRuns(runner: Runner = createRunner()): RepoRuns {
  return {
    async begin(repo) {
      const context = await contextOf(runner, repo);
      const begun = await runner.initRun(repo.root, context.config, { provenance: { trigger: 'coordinator' } });
      if (!begun.ok) return begun;
      const { run_id, phase } = begun.state;
      // A run that has begun has an id.
      return { ok: true, run_id: String(run_id), phase };
    },
    undo: ({ root }, runId) => runner.abandonRun(root, runId),
    async assign(repo, _context, contextFolder) {
      const { config } = await contextOf(runner, repo);
      const state = await runner.loadState(repo.root, config);
      const role = state === null ? null : nextRole(state, config);
      if (role === null) return failure('none of its roles is free to take a turn');
      const assigned = await runner.assignTurn(repo.root, config, role);
      if (!assigned.ok) return assigned;
      const { turn_id } = assigned.turn;
      const beside = Object.fromEntries(
        await Promise.all(CONTEXT_FILES.map(async (name) => [name, await readFile(join(contextFolder, name), 'utf8')])),
      );
      const out = await runner.writeDispatchBundle(repo.root, assigned.state, config, { turnId: turn_id, beside });
      return out.ok ? { ok: true, turn_id } : out;
    },
  };
}

async function contextOf(runner: Runner, { root }: RepoPlace): Promise<RunContext> {
  const context = await runner.loadContext(root);
  // Not one of a folder above it: that would be another project's.
  if (context?.root === root) return context;
  throw new Error(`expected agentxchain.json in ${root}`);
}

function failure(error: string): RunnerFailure {
  return { ok: false, error };
}

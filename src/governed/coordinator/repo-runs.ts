/** Begins runs and assigns turns in a repo. By default, calls the repo's runner, which uses the repo's own log. */

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
  /** Undoes `begin`. If `runId` is null, the outcome is unknown and there may be nothing to undo. */
  undo(repo: RepoPlace, runId: string | null): Promise<{ readonly ok: true } | RunnerFailure>;
  /** The context files are already in `contextFolder`. */
  assign(
    repo: RepoPlace,
    context: CoordinatorContext,
    contextFolder: string,
  ): Promise<{ readonly ok: true; readonly turn_id: string } | RunnerFailure>;
}

/** Turns a throw into a failure. */
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
      // A started run has an id.
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
  // A config found in a parent folder belongs to a different project.
  if (context?.root === root) return context;
  throw new Error(`expected agentxchain.json in ${root}`);
}

function failure(error: string): RunnerFailure {
  return { ok: false, error };
}

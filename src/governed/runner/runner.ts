/**
 * Implements the runner interface; calls never throw. An operation takes the lock, opens the log (or asks the hub that
 * serves the project), repairs projections, does its work, and carries out the follow-ups.
 * Implementations are loaded on first use. Continue with `run-operation.ts` and `operations/operations.ts`.
 */

import { once } from '../../system/once.ts';
import type { Runner, RunnerFailure } from './contract/types.ts';
import type { RunnerPorts } from './log/runner-context.ts';
import type { Args, OperationName } from './operations/operations.ts';

export const RUNNER_INTERFACE_VERSION = '0.2';

/** The runner of this machine; custom ports are for tests. */
export function createRunner(ports: Partial<RunnerPorts> = {}): Runner {
  const working = once(async () => {
    const [{ runnerContext }, { runOperation }, { orFailure }] = await Promise.all([
      import('./log/runner-context.ts'),
      import('./run-operation.ts'),
      import('./contract/failure.ts'),
    ]);
    return { means: runnerContext(ports), runOperation, orFailure };
  });

  // The interface defines the types of each method.
  async function asked<T>(name: OperationName, root: string, args: object): Promise<T | RunnerFailure> {
    const { means, runOperation, orFailure } = await working();
    // Treat null options as absent.
    const entries = Object.entries(args).map(([key, value]) => [key, isOptional(key) ? (value ?? {}) : value]);
    const given = Object.fromEntries(entries) as Args<typeof name>;
    return orFailure(async () => (await runOperation(root, means, name, given)) as T);
  }

  return {
    async loadContext(dir = process.cwd()) {
      if (typeof dir !== 'string') return null;
      const { findContext } = await import('./project/load-context.ts');
      return findContext(dir);
    },
    async loadState(root) {
      const { means } = await working();
      const { loadState } = await import('./load-state.ts');
      return loadState(root, means).catch(() => null);
    },
    initRun: (root, config, options = {}) => asked('initRun', root, { config, options }),
    abandonRun: (root, runId) => asked('abandonRun', root, { runId }),
    reactivateRun: (root, _state, details = {}) => asked('reactivateRun', root, { details }),
    assignTurn: (root, config, roleId, options = {}) => asked('assignTurn', root, { config, roleId, options }),
    acceptTurn: (root, config, options = {}) => asked('acceptTurn', root, { config, options }),
    rejectTurn: (root, config, result, reason, options = {}) =>
      asked('rejectTurn', root, { config, result, reason, options }),
    approvePhaseGate: (root, config, options = {}) => asked('approvePhaseGate', root, { config, options }),
    approveCompletionGate: (root, config, options = {}) => asked('approveCompletionGate', root, { config, options }),
    markRunBlocked: (root, details) => asked('markRunBlocked', root, { details }),
    escalate: (root, config, details) => asked('escalate', root, { config, details }),
    writeDispatchBundle: (root, _state, config, options = {}) =>
      asked('writeDispatchBundle', root, { config, options }),
    refreshTurnBaselineSnapshot: (root, turnId) => asked('refreshTurnBaselineSnapshot', root, { turnId }),
    reissueTurn: (root, config, options = {}) => asked('reissueTurn', root, { config, options }),
    transitionActiveTurnLifecycle: (root, turnId, step, details = {}) =>
      asked('transitionActiveTurnLifecycle', root, { turnId, step, details }),
    acquireLock: (root) => asked('acquireLock', root, {}),
    async releaseLock(root) {
      await asked('releaseLock', root, {});
    },
    async emitNotifications(root, config, state, event, payload, turn) {
      const { means, orFailure } = await working();
      const { emitNotifications } = await import('./notifications/notify.ts');
      return orFailure(() => emitNotifications(root, means, { config, state, event, payload, turn }));
    },
  };
}

function isOptional(key: string): boolean {
  return key === 'options' || key === 'details';
}

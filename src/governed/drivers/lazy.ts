/**
 * Loads the drivers when a turn is dispatched: model and service clients are large, and most callers need none.
 * Continue with `attempt/driver.ts` (the contract), `run-driver.ts` and `create-driver.ts`.
 */

import type { createRuntimeDriver as Create } from './create-driver.ts';
import type { runTurnWithDriver as Run } from './run-driver.ts';

export const createRuntimeDriver: typeof Create = async (...given) =>
  (await import('./create-driver.ts')).createRuntimeDriver(...given);

export const runTurnWithDriver: typeof Run = async (...given) =>
  (await import('./run-driver.ts')).runTurnWithDriver(...given);

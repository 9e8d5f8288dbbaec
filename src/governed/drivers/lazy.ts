/**
 * The door to the drivers, which bring a turn to a person, program, model, MCP server or service, and its result back.
 * Clients of models and services are large and most callers need none, so drivers are loaded when a turn goes out.
 * Continue with `attempt/driver.ts` (the contract of a driver), `run-driver.ts` and `create-driver.ts`.
 */

import type { createRuntimeDriver as Create } from './create-driver.ts';
import type { runTurnWithDriver as Run } from './run-driver.ts';

export const createRuntimeDriver: typeof Create = async (...given) =>
  (await import('./create-driver.ts')).createRuntimeDriver(...given);

export const runTurnWithDriver: typeof Run = async (...given) =>
  (await import('./run-driver.ts')).runTurnWithDriver(...given);

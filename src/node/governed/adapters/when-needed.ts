/** The adapters, loaded when a turn goes out: clients of models and services are large, and most callers need none. */

import type { createAdapter as Create } from './create-adapter.ts';
import type { runAdapter as Run } from './run-adapter.ts';

export const createAdapter: typeof Create = async (...given) =>
  (await import('./create-adapter.ts')).createAdapter(...given);

export const runAdapter: typeof Run = async (...given) => (await import('./run-adapter.ts')).runAdapter(...given);

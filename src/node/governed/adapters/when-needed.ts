/** The adapters, loaded when a turn goes out: clients of models and services are large, and most callers need none. */

import type { createAdapter as Create } from '../../../governed/drivers/create-driver.ts';
import type { runAdapter as Run } from '../../../governed/drivers/run-driver.ts';

export const createAdapter: typeof Create = async (...given) =>
  (await import('../../../governed/drivers/create-driver.ts')).createAdapter(...given);

export const runAdapter: typeof Run = async (...given) => (await import('../../../governed/drivers/run-driver.ts')).runAdapter(...given);

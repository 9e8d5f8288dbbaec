/** Adapters, loaded when a turn goes out: clients of models and services are large. */

import type { GovernedConfig, Turn } from '../../../governed/index.ts';
import type { AdapterCreated, CreateAdapterOptions } from './create-adapter.ts';
import type { AdapterOutcome, RunAdapterOptions } from './run-adapter.ts';

export async function createAdapter(
  root: string,
  config: GovernedConfig,
  roleOrTurn: string | Pick<Turn, 'runtime_id'>,
  options: CreateAdapterOptions = {},
): Promise<AdapterCreated> {
  const adapters = await import('./create-adapter.ts');
  return adapters.createAdapter(root, config, roleOrTurn, options);
}

export async function runAdapter(
  root: string,
  config: GovernedConfig,
  turn: Turn,
  options: RunAdapterOptions = {},
): Promise<AdapterOutcome> {
  const adapters = await import('./run-adapter.ts');
  return adapters.runAdapter(root, config, turn, options);
}

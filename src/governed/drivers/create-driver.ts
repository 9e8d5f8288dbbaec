/** Creates the runtime driver of a role or a turn. */

import type { Clock } from '../../core/ports/platform.ts';
import type { ModelFetch } from '../../participants/models/index.ts';
import { systemClock } from '../../system/clock.ts';
import { type GovernedConfig, runtimeOf, runtimeType, type Turn } from '../engine/index.ts';
import { getOwn, without } from '../engine/lib/unknown-record.ts';
import type { Variables } from '../hooks/variables.ts';
import { apiProxyDriver } from './api-proxy.ts';
import type { DriverContext, RuntimeDriver } from './attempt/driver.ts';
import { DriverError, type DriverFailure, refuse } from './attempt/failure.ts';
import { unknownType } from './check-settings.ts';
import { customDriver } from './custom.ts';
import { localCliDriver } from './local-cli.ts';
import { manualDriver } from './manual.ts';
import { mcpDriver } from './mcp.ts';
import { remoteAgentDriver } from './remote-agent.ts';

export interface CreateAdapterOptions {
  readonly clock?: Clock | undefined;
  /** Variables for `${NAME}` and keys (default: the environment of this process). */
  readonly variables?: Variables | undefined;
  /** Receives instructions and retry notices (default: ignored). */
  readonly write?: ((text: string) => void) | undefined;
  readonly fetch?: ModelFetch | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type AdapterCreated =
  | { readonly ok: true; readonly adapter: RuntimeDriver }
  | ({ readonly ok: false } & DriverFailure);

export async function createRuntimeDriver(
  root: string,
  config: GovernedConfig,
  roleOrTurn: string | Pick<Turn, 'runtime_id'>,
  options: CreateAdapterOptions = {},
): Promise<AdapterCreated> {
  const runtimeId = typeof roleOrTurn === 'string' ? runtimeOf(config, roleOrTurn) : roleOrTurn.runtime_id;
  const context: DriverContext = {
    root,
    config,
    runtimeId,
    settings: without(getOwn(config.runtimes, runtimeId) ?? {}, 'type'),
    clock: options.clock ?? systemClock,
    variables: options.variables ?? process.env,
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    signal: options.signal,
    write: options.write ?? (() => {}),
  };
  try {
    return { ok: true, adapter: await adapterOf(runtimeType(config, runtimeId), context) };
  } catch (thrown) {
    if (thrown instanceof DriverError) return { ok: false, ...thrown.failure };
    throw thrown;
  }
}

const BUILT_IN: ReadonlyMap<string, (context: DriverContext) => RuntimeDriver> = new Map([
  ['manual', manualDriver],
  ['local_cli', localCliDriver],
  ['api_proxy', apiProxyDriver],
  ['mcp', mcpDriver],
  ['remote_agent', remoteAgentDriver],
]);

async function adapterOf(type: string, context: DriverContext): Promise<RuntimeDriver> {
  const make = BUILT_IN.get(type);
  if (make !== undefined) return make(context);
  if (getOwn(context.config.adapters, type) !== undefined) return customDriver(type, context);
  return refuse('unknown_adapter', unknownType(context.config, context.runtimeId, type));
}

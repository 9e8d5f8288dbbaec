/** The adapter of a role or a turn, by the runtime it has. */

import type { Clock } from '../../core/ports/platform.ts';
import { type GovernedConfig, runtimeOf, runtimeType, type Turn } from '../index.ts';
import { own, without } from '../engine/lib/unknown-record.ts';
import type { ModelFetch } from '../../participants/models/index.ts';
import { systemClock } from '../../system/clock.ts';
import type { Variables } from '../../node/governed/hooks/ended.ts';
import type { Adapter, AdapterContext } from './attempt/driver.ts';
import { apiProxyAdapter } from './api-proxy.ts';
import { unknownType } from './check-settings.ts';
import { customAdapter } from './custom.ts';
import { type AdapterFailure, AdapterRefusal, refuse } from './attempt/failure.ts';
import { localCliAdapter } from '../../node/governed/adapters/local-cli.ts';
import { manualAdapter } from './manual.ts';
import { mcpAdapter } from './mcp.ts';
import { remoteAgentAdapter } from './remote-agent.ts';

export interface CreateAdapterOptions {
  readonly clock?: Clock | undefined;
  /** Where `${NAME}` and keys come from; the environment of this process unless told. */
  readonly variables?: Variables | undefined;
  /** Hears what people are told: instructions, retries. Nobody, unless told. */
  readonly write?: ((text: string) => void) | undefined;
  readonly fetch?: ModelFetch | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type AdapterCreated =
  | { readonly ok: true; readonly adapter: Adapter }
  | ({ readonly ok: false } & AdapterFailure);

export async function createAdapter(
  root: string,
  config: GovernedConfig,
  roleOrTurn: string | Pick<Turn, 'runtime_id'>,
  options: CreateAdapterOptions = {},
): Promise<AdapterCreated> {
  const runtimeId = typeof roleOrTurn === 'string' ? runtimeOf(config, roleOrTurn) : roleOrTurn.runtime_id;
  const context: AdapterContext = {
    root,
    config,
    runtimeId,
    settings: without(own(config.runtimes, runtimeId) ?? {}, 'type'),
    clock: options.clock ?? systemClock,
    variables: options.variables ?? process.env,
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    signal: options.signal,
    write: options.write ?? (() => {}),
  };
  try {
    return { ok: true, adapter: await adapterOf(runtimeType(config, runtimeId), context) };
  } catch (thrown) {
    if (thrown instanceof AdapterRefusal) return { ok: false, ...thrown.failure };
    throw thrown;
  }
}

const BUILT_IN: ReadonlyMap<string, (context: AdapterContext) => Adapter> = new Map([
  ['manual', manualAdapter],
  ['local_cli', localCliAdapter],
  ['api_proxy', apiProxyAdapter],
  ['mcp', mcpAdapter],
  ['remote_agent', remoteAgentAdapter],
]);

async function adapterOf(type: string, context: AdapterContext): Promise<Adapter> {
  const make = BUILT_IN.get(type);
  if (make !== undefined) return make(context);
  if (own(context.config.adapters, type) !== undefined) return customAdapter(type, context);
  return refuse('unknown_adapter', unknownType(context.config, context.runtimeId, type));
}

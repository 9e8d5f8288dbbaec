/** Puts the box together: the hub, its store, the machine's clock, and the session types that come with it. */

import { consulting } from 'parley-hub/adapters/consulting';
import { conversation } from 'parley-hub/adapters/conversation';
import { AgentClient, type AgentOptions, HumanClient, type HumanOptions } from '../client/index.ts';
import type { SessionAdapter } from '../core/adapter.ts';
import { HubError } from '../core/errors.ts';
import type { Limits } from '../core/limits.ts';
import type { Link } from '../core/link.ts';
import type { Health } from '../core/operations.ts';
import type { Log } from '../core/ports.ts';
import type { NumberedAudit, Store } from '../core/store.ts';
import type { HubEventName, HubListener } from '../hub/events.ts';
import { Hub } from '../hub/hub.ts';
import { MemoryStore } from '../hub/memory-store.ts';
import { systemClock } from './system-clock.ts';
import { systemIds } from './system-ids.ts';
import { everySecond } from './tick.ts';

export interface CreateHubOptions {
  /** Where logs are kept; in memory unless given. */
  readonly store?: Store;
  /** Session types beside the built-in ones. */
  // biome-ignore lint/suspicious/noExplicitAny: an adapter's state is known to the adapter alone
  readonly adapters?: readonly SessionAdapter<any>[];
  readonly limits?: Partial<Limits>;
  readonly log?: Log;
}

/** What a participant in this process may say about itself; the link and the ids are the hub's to give. */
export type LocalAgentOptions = Omit<AgentOptions, 'link' | 'ids' | 'name'>;
export type LocalHumanOptions = Omit<HumanOptions, 'link' | 'ids' | 'name'>;

/** A hub in this process. */
export interface LocalHub {
  /** Joins as an agent; a name that is not known yet is registered. */
  agent(name: string, options?: LocalAgentOptions): Promise<AgentClient>;
  /** Joins as a person. */
  human(name: string, options?: LocalHumanOptions): Promise<HumanClient>;
  /** A bare link, for a client of your own. */
  connect(): Link;
  /** A new session type. */
  register<State>(adapter: SessionAdapter<State>): void;
  on<Name extends HubEventName>(name: Name, listener: HubListener<Name>): () => void;
  health(): Health;
  audit(range?: { readonly after?: number; readonly limit?: number }): Promise<readonly NumberedAudit[]>;
  /** Says goodbye to everyone and closes the store. Idempotent. */
  stop(): Promise<void>;
}

export async function createHub(options: CreateHubOptions = {}): Promise<LocalHub> {
  const { store = new MemoryStore(), adapters = [], limits, log } = options;
  if (!Array.isArray(adapters)) throw new HubError('bad_options', 'adapters: expected a list of adapters');
  if (typeof store.append !== 'function' || typeof store.read !== 'function') {
    throw new HubError('bad_options', 'store: expected a store (append, read, position, …)');
  }
  const hub = await Hub.start({
    store,
    clock: systemClock,
    ids: systemIds,
    adapters: [consulting, conversation, ...adapters],
    ...(limits === undefined ? {} : { limits }),
    ...(log === undefined ? {} : { log }),
  });
  const stopTicking = everySecond(() => hub.sweep());
  const link = () => hub.connect();
  return {
    agent: (name, more = {}) => AgentClient.connect({ ...more, name, link, ids: systemIds }),
    human: (name, more = {}) => HumanClient.connect({ ...more, name, link, ids: systemIds }),
    connect: link,
    register: (adapter) => hub.register(adapter),
    on: (name, listener) => hub.on(name, listener),
    health: () => hub.health(),
    audit: (range) => hub.audit(range),
    async stop() {
      stopTicking();
      await hub.stop();
    },
  };
}

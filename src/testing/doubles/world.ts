/** A whole hub in a test's hand: its clock moves when told, its disk syncs when told, its peers speak frames. */

import { HubError } from '../../core/lib/errors.ts';
import { describeValue } from '../../core/lib/json.ts';
import type { Ids } from '../../core/ports/platform.ts';
import { Hub, type HubOptions } from '../../hub/hub.ts';
import { seededRandom } from '../lib/random.ts';
import { FaultyStore } from './faulty-store.ts';
import { Peer } from './peer.ts';
import { SimClock } from './sim-clock.ts';

/** The hub's own, but for what a world has in its hand. */
export interface WorldOptions extends Omit<HubOptions, 'store' | 'clock' | 'ids'> {
  readonly store?: FaultyStore;
  readonly clock?: SimClock;
  readonly seed?: number;
}

/** Ids in a repeatable order. */
export function seededIds(seed: number): Ids {
  const random = seededRandom(seed);
  const word = () =>
    random
      .below(2 ** 32)
      .toString(16)
      .padStart(8, '0');
  return { hex32: () => word() + word() + word() + word() };
}

/** Everything that can happen without time or disk has happened. */
export async function quiet(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

export class World {
  readonly clock: SimClock;
  readonly ids: Ids;
  store: FaultyStore;
  hub: Hub;
  /** While true nothing becomes durable except by `store.sync()`. */
  hold = false;
  private readonly options: WorldOptions;

  private constructor(options: WorldOptions, clock: SimClock, ids: Ids, store: FaultyStore, hub: Hub) {
    this.options = options;
    this.clock = clock;
    this.ids = ids;
    this.store = store;
    this.hub = hub;
  }

  static async start(options: WorldOptions): Promise<World> {
    checkOptions(options);
    const { clock = new SimClock(), store = new FaultyStore() } = options;
    const ids = seededIds(options.seed ?? 1);
    return new World(options, clock, ids, store, await openHub(options, clock, ids, store));
  }

  /** A connection that has said nothing yet. */
  stranger(): Peer {
    return new Peer(this.hub.connect());
  }

  /** A connected, registered (or bound) peer that acks what it gets. */
  async peer(name: string): Promise<Peer> {
    const peer = this.stranger();
    peer.acks = true;
    peer.hello(name);
    await this.settle();
    if (peer.agentId === '') void peer.ask('register', { name });
    await this.settle();
    return peer;
  }

  /** Lets everything happen that can, syncing as often as needed unless the disk is held. */
  async settle(): Promise<void> {
    await quiet();
    while (!this.hold && this.store.stagedUnits() > 0) {
      this.store.sync();
      await quiet();
    }
  }

  /** Time passes in steps of at most a second, with a sweep at each. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 1000) {
      this.clock.advance(Math.min(left, 1000));
      this.hub.sweep();
      await this.settle();
    }
  }

  /** The result of a call, settled. */
  async answer<T>(call: Promise<T>): Promise<T> {
    // A refusal is the caller's to see when it awaits; until then it must not count as unhandled.
    call.catch(() => {});
    await this.settle();
    return call;
  }

  /** Stops cleanly and starts again on the same disk. */
  async restart(): Promise<void> {
    await this.hub.stop();
    this.store = this.store.crash(
      () => true,
      () => true,
      () => true,
    );
    await this.reopen();
  }

  /** Dies without a word; of what was not synced, what `keep` says is left. */
  async crash(...keep: Parameters<FaultyStore['crash']>): Promise<void> {
    this.store = this.store.crash(...keep);
    await this.reopen();
  }

  private async reopen(): Promise<void> {
    this.hub = await openHub(this.options, this.clock, this.ids, this.store);
    await this.settle();
  }
}

/** What tests in JavaScript may leave out: a world begins with nothing, also not with the built-in session types. */
function checkOptions(options: Partial<WorldOptions> | undefined): void {
  if (Array.isArray(options?.adapters)) return;
  const expected = 'a list of session types, such as {adapters: [consulting]}';
  throw new HubError('bad_options', `adapters: expected ${expected}, got ${describeValue(options?.adapters)}`);
}

function openHub(options: WorldOptions, clock: SimClock, ids: Ids, store: FaultyStore): Promise<Hub> {
  const { adapters, conditions = [], targets = [], views = [], evaluators = [], handlers = [] } = options;
  const { arbiter, limits, log, tracing = null } = options;
  return Hub.start({
    store,
    clock,
    ids,
    adapters,
    conditions,
    targets,
    views,
    ...(arbiter === undefined ? {} : { arbiter }),
    evaluators,
    handlers,
    tracing,
    ...(limits === undefined ? {} : { limits }),
    ...(log === undefined ? {} : { log }),
  });
}

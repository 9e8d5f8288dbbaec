/** A whole hub under a test's control: clock, disk and peers. */

import { HubError } from '../../core/lib/errors.ts';
import { describeValue } from '../../core/lib/json.ts';
import type { Ids } from '../../core/ports/platform.ts';
import { Hub, type HubOptions } from '../../hub/hub.ts';
import { seededRandom } from '../lib/random.ts';
import { FaultyStore } from './faulty-store.ts';
import { Peer } from './peer.ts';
import { SimClock } from './sim-clock.ts';

/** Options of the hub, except those the world provides. */
export interface WorldOptions extends Omit<HubOptions, 'store' | 'clock' | 'ids'> {
  readonly store?: FaultyStore;
  readonly clock?: SimClock;
  readonly seed?: number;
}

/** Repeatable ids. */
export function seededIds(seed: number): Ids {
  const random = seededRandom(seed);
  const word = () =>
    random
      .below(2 ** 32)
      .toString(16)
      .padStart(8, '0');
  return { hex32: () => word() + word() + word() + word() };
}

/** Resolves after all pending work that needs neither time nor disk. */
export async function quiet(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

export class World {
  readonly clock: SimClock;
  readonly ids: Ids;
  store: FaultyStore;
  hub: Hub;
  /** While true, only `store.sync()` makes anything durable. */
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

  /** A connection before its hello. */
  stranger(): Peer {
    return new Peer(this.hub.connect());
  }

  /** A connected and registered (or bound) peer that acks deliveries. */
  async peer(name: string): Promise<Peer> {
    const peer = this.stranger();
    peer.acks = true;
    peer.hello(name);
    await this.settle();
    if (peer.agentId === '') void peer.ask('register', { name });
    await this.settle();
    return peer;
  }

  /** Runs all pending work, and syncs as often as needed unless `hold` is set. */
  async settle(): Promise<void> {
    await quiet();
    while (!this.hold && this.store.stagedUnits() > 0) {
      this.store.sync();
      await quiet();
    }
  }

  /** Advances the clock in steps of at most a second, with a sweep after each. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 1000) {
      this.clock.advance(Math.min(left, 1000));
      this.hub.sweep();
      await this.settle();
    }
  }

  /** Settles the world, then returns the result of the call. */
  async answer<T>(call: Promise<T>): Promise<T> {
    // The caller handles a rejection when it awaits; until then it must not count as unhandled.
    call.catch(() => {});
    await this.settle();
    return call;
  }

  /** Stops cleanly and restarts on the same disk. */
  async restart(): Promise<void> {
    await this.hub.stop();
    this.store = this.store.crash(
      () => true,
      () => true,
      () => true,
    );
    await this.reopen();
  }

  /** Crashes; `keep` selects the unsynced data that survives. */
  async crash(...keep: Parameters<FaultyStore['crash']>): Promise<void> {
    this.store = this.store.crash(...keep);
    await this.reopen();
  }

  private async reopen(): Promise<void> {
    this.hub = await openHub(this.options, this.clock, this.ids, this.store);
    await this.settle();
  }
}

/** Rejects missing session types, which tests in JavaScript may omit: a world has no built-in ones. */
function checkOptions(options: Partial<WorldOptions> | undefined): void {
  if (Array.isArray(options?.adapters)) return;
  const expected = 'a list of session types, such as {adapters: [consulting]}';
  throw new HubError('bad_options', `adapters: expected ${expected}, got ${describeValue(options?.adapters)}`);
}

function openHub(options: WorldOptions, clock: SimClock, ids: Ids, store: FaultyStore): Promise<Hub> {
  const { seed: _, ...hubOptions } = options;
  return Hub.start({ ...hubOptions, store, clock, ids });
}

import fc from 'fast-check';
import type { SessionAdapter } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../../src/core/ports/store.ts';
import { loadSession } from '../../../src/hub/sessions/load-session.ts';
import { survivesJson } from '../../../src/hub/sessions/snapshots.ts';
import type { Rooms } from '../../../src/hub/wiring.ts';
import { FaultyStore } from '../../../src/testing/doubles/faulty-store.ts';
import { World } from '../../../src/testing/doubles/world.ts';
import { itDeep } from '../../support/size.ts';
import { panelOf } from '../panel.ts';
import { roomsOf } from '../rooms-of.ts';
import {
  ADAPTERS,
  aConversation,
  aPanel,
  aWorld,
  EXPECTATIONS,
  foreignUnit,
  opened,
  refused,
  say,
  text,
} from '../scene.ts';
import { CountingStore } from '../watched-stores.ts';

/** What loading returns, from the newest snapshot of at least this length. */
async function loaded(parts: Rooms, sessionId: string, snapshotLength: number) {
  const log = await loadSession({ ...parts, limits: { ...parts.limits, snapshotLength } }, sessionId);
  if (log instanceof Error) throw log;
  const pairs = log.keys.flat(Number.POSITIVE_INFINITY);
  const keys = pairs.flatMap((hash, i) => (i % 2 === 0 ? [[pairs[i + 1] ?? 0, hash]] : []));
  const { state, tally, snapshotSeq } = log;
  return { state, keys: keys.sort(([a = 0], [b = 0]) => a - b), tally: tally.toJson(), snapshotSeq };
}

const fromStart = (parts: Rooms, sessionId: string) => loaded(parts, sessionId, Number.POSITIVE_INFINITY);

/** Replaces what is stored as a session's snapshot. */
async function tamper(world: World, sessionId: string, change: (snapshot: Snapshot) => Snapshot): Promise<void> {
  const snapshot = await world.store.loadSnapshot(sessionId);
  if (snapshot === null) throw new Error('there is no snapshot');
  world.store.saveSnapshot(change(snapshot));
}

/** An evicted conversation of `count` texts. */
async function evicted(count: number, store: FaultyStore = new CountingStore()) {
  const { world, alice, bob, id } = await aConversation({ maxOpenRequests: 1000 }, { store });
  for (let i = 0; i < count; i++) {
    void alice.call('post', text(id, `m${i}`, { idempotency_key: `k${i}` }));
    if (i % 50 === 49) await world.settle();
  }
  await world.settle();
  await world.pass(2000);
  world.hub.evictIdle();
  return { world, alice, bob, id, parts: roomsOf(world.hub) };
}

type Step =
  | { readonly kind: 'say'; readonly who: number; readonly key: number | null; readonly whisper: boolean }
  | { readonly kind: 'close'; readonly who: number }
  | { readonly kind: 'evict' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('say' as const),
      who: fc.nat(2),
      key: fc.option(fc.nat(40)),
      whisper: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('close' as const), who: fc.nat(2) }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'evict' as const }) },
);

describe('a snapshot', () => {
  itDeep(
    '[L3, RC3] loads the same session as a fold from the start, in 1000 random histories',
    async () => {
      const world = await aWorld({ snapshotLength: 2, tailLength: 2, tallyLength: 3, maxParticipants: 4 });
      const peers = [await world.peer('alice'), await world.peer('bob'), await world.peer('carol')] as const;
      const parts = roomsOf(world.hub);
      const used = { snapshots: 0, runs: 0 };
      const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const id = await opened(world, peers[0], [peers[1], peers[2]], { type: 'panel' });
        for (const one of steps) await take(world, peers, id, one);
        await world.settle();
        world.hub.evictIdle();
        const [quick, slow] = [await loaded(parts, id, 1), await fromStart(parts, id)];
        expect(quick.state).toEqual(slow.state);
        expect(quick.keys).toEqual(slow.keys);
        expect(quick.tally).toEqual(slow.tally);
        used.runs += 1;
        if (quick.snapshotSeq > 0) used.snapshots += 1;
      });
      await fc.assert(property, { numRuns: 1000 });
      expect(used.snapshots).toBeGreaterThan(used.runs / 2);
    },
    120_000,
  );

  it('[RC4] lets a session of 5,000 envelopes load with a few of them', async () => {
    const { world, alice, id } = await evicted(5000);
    const { asked } = world.store as CountingStore;
    asked.entries = 0;
    expect((await world.answer(alice.call('get_session', { session_id: id }))).session.head_seq).toBe(5004);
    expect(asked.entries).toBeLessThanOrEqual(64);
  });

  it('[RC4] lets a session load after a crash with at most half of its envelopes and 64', async () => {
    const { world, id } = await evicted(3000);
    const alice = await world.peer('alice');
    for (let i = 0; i < 400; i++) void alice.call('post', text(id, `n${i}`, { idempotency_key: `n${i}` }));
    await world.settle();
    for (let i = 0; i < 400; i++) void alice.call('post', text(id, `o${i}`)).catch(() => {});
    const kept = () => true;
    await world.crash(kept, kept);
    const { asked } = world.store as CountingStore;
    asked.entries = 0;
    const head = (await world.store.head(id))?.head.seq ?? 0;
    expect((await loaded(roomsOf(world.hub), id, 64)).state?.head.seq).toBe(head);
    expect(asked.entries).toBeLessThanOrEqual(head / 2 + 64);
  });

  it('[RC4] is not made of a short session', async () => {
    const { world, id } = await evicted(50);
    expect(await world.store.loadSnapshot(id)).toBeNull();
  });

  it('[RC5, AM3] keeps old keys: a repeat gets the first answer, other content is rejected', async () => {
    const { world, alice, id } = await evicted(300);
    const { asked } = world.store as CountingStore;
    asked.entries = 0;
    expect(await say(world, alice, id, 'm7', { idempotency_key: 'k7' })).toMatchObject({ seq: 12, duplicate: true });
    const other = alice.call('post', text(id, 'something else', { idempotency_key: 'k7' }));
    await refused(world, other, 'duplicate', { seq: 12 });
    expect(asked.entries).toBeLessThan(64);
  });

  const wrongs: readonly [string, (snapshot: Snapshot) => Snapshot][] = [
    ['another fingerprint', (snapshot) => ({ ...snapshot, fingerprint: `${snapshot.fingerprint}x` })],
    ['another epoch', (snapshot) => ({ ...snapshot, epoch: 2 })],
    ['a seq beyond the log', (snapshot) => ({ ...snapshot, seq: 999 })],
    ['a seq that differs from its state', (snapshot) => ({ ...snapshot, seq: snapshot.seq - 1 })],
    ['no state', (snapshot) => ({ ...snapshot, body: { keys: [] } })],
    ['no keys', (snapshot) => ({ ...snapshot, body: { ...(snapshot.body as object), keys: 'none' } })],
    ['no tally', (snapshot) => withTally(snapshot, () => null)],
    ['a tally of other intervals', (snapshot) => withTally(snapshot, (tally) => ({ ...tally, length: 512 }))],
    ['a tally without a session', (snapshot) => withTally(snapshot, (tally) => ({ ...tally, changes: [] }))],
    ['a tally without lines', (snapshot) => withTally(snapshot, (tally) => ({ ...tally, everyone: {} }))],
    ['more senders than lines', (snapshot) => withTally(snapshot, (tally) => ({ ...tally, everyone: tooFew }))],
    ['half a whisper', (snapshot) => withTally(snapshot, (tally) => ({ ...tally, listed: { a: { lines: 1 } } }))],
    ['an empty body', (snapshot) => ({ ...snapshot, body: null })],
    ['a state of another session', (snapshot) => ({ ...snapshot, body: elsewhere(snapshot) })],
  ];

  it.each(wrongs)('[RC3, VW12] with %s is ignored', async (_, change) => {
    const { world, id, parts } = await evicted(100);
    expect((await loaded(parts, id, 64)).snapshotSeq).toBe(104);
    await tamper(world, id, change);
    expect(await loaded(parts, id, 64)).toEqual(await fromStart(parts, id));
    expect((await loaded(parts, id, 64)).snapshotSeq).toBe(0);
  });

  it('[RC3, VW12] can be compared with its log, and a wrong one is reported', async () => {
    const { world, id } = await evicted(100);
    expect(await world.hub.checkSnapshot(id)).toBeNull();
    expect(await world.hub.checkSnapshot('hub')).toBeNull();
    const one = { lines: 1, before: [], firsts: {} };
    await tamper(world, id, (snapshot) => withTally(snapshot, (tally) => ({ ...tally, everyone: one })));
    expect(await world.hub.checkSnapshot(id)).toBe('its snapshot at seq 104 is not what its log folds to');
    await tamper(world, id, (snapshot) => ({ ...snapshot, body: { ...(snapshot.body as object), keys: [1, 2] } }));
    expect(await world.hub.checkSnapshot(id)).toBe('its snapshot at seq 104 is not what its log folds to');
  });

  it('[RC3] that cannot be read loses nothing', async () => {
    class Broken extends FaultyStore {
      override loadSnapshot(): Promise<Snapshot | null> {
        return Promise.reject(new Error('bad sector'));
      }
    }
    const { world, alice, id } = await evicted(100, new Broken());
    expect((await say(world, alice, id, 'again')).seq).toBe(105);
  });

  it('[RC3] that its adapter cannot continue loses nothing', async () => {
    const picky: SessionAdapter<{ readonly said: number }> = {
      ...panelOf('picky', 1),
      initialState: () => ({ said: 0 }),
      fold: (_, { said }) => {
        if (said < 0) throw new Error('negative count');
        return { said: said + 1 };
      },
    };
    const world = await World.start({ adapters: [...ADAPTERS, picky], ...EXPECTATIONS, limits: { snapshotLength: 4 } });
    const alice = await world.peer('alice');
    const id = await opened(world, alice, [], { type: 'picky', participants: ['alice'] });
    for (let i = 0; i < 8; i++) await say(world, alice, id, 'x');
    world.hub.evictIdle();
    await say(world, alice, id, 'one more');
    await tamper(world, id, (snapshot) => {
      const body = snapshot.body as { readonly state: object };
      return { ...snapshot, body: { ...body, state: { ...body.state, adapter_state: { said: -1 } } } } as Snapshot;
    });
    const parts = roomsOf(world.hub);
    expect(await loaded(parts, id, 4)).toEqual(await fromStart(parts, id));
  });

  it('[RC3] is not made of a state that JSON would change', async () => {
    const strange: SessionAdapter<object> = {
      ...panelOf('strange', 1),
      initialState: () => new Map(),
      fold: (_, s) => s,
    };
    const world = await World.start({
      adapters: [...ADAPTERS, strange],
      ...EXPECTATIONS,
      limits: { snapshotLength: 4 },
    });
    const alice = await world.peer('alice');
    const id = await opened(world, alice, [], { type: 'strange', participants: ['alice'] });
    for (let i = 0; i < 30; i++) await say(world, alice, id, 'x');
    world.hub.evictIdle();
    expect(await world.store.loadSnapshot(id)).toBeNull();
    expect((await say(world, alice, id, 'y')).seq).toBe(33);
  });

  it('[RC4] is made when the log has grown by half', async () => {
    const store = new Saving();
    const { world, alice, id } = await aConversation({ snapshotLength: 2 }, { store });
    for (let i = 0; i < 200; i++) await say(world, alice, id, 'x');
    expect(store.saved[0]).toBe(8);
    for (const [i, seq] of store.saved.entries()) {
      if (i > 0) expect(seq - (store.saved[i - 1] ?? 0)).toBe(Math.max(8, Math.ceil(seq / 2)));
    }
    expect(store.saved.at(-1)).toBeGreaterThan(100);
  });

  it('[AM9, RC3, RC4] is made after a conflict too, and never of a half-read log', async () => {
    const store = new Saving();
    const { world, alice, id } = await aConversation({ snapshotLength: 2, tailLength: 2 }, { store });
    for (let i = 0; i < 40; i++) await say(world, alice, id, 'x');
    world.hub.evictIdle();
    await tamper(world, id, (snapshot) => ({ ...snapshot, fingerprint: 'another' }));
    // Now it is loaded and has no snapshot.
    await world.answer(alice.call('get_session', { session_id: id }));
    const theirs = { sender_id: alice.agentId };
    world.store.foreignAppend(id, foreignUnit(world, id, theirs, theirs));
    await say(world, alice, id, 'mine');
    expect(store.saved.slice(-2)).toEqual([44, 47]);
    expect(await world.hub.checkSnapshot(id)).toBeNull();
    for (let i = 0; i < 60; i++) await say(world, alice, id, 'x');
    expect((await world.store.loadSnapshot(id))?.seq).toBeGreaterThan(90);
    expect(await world.hub.checkSnapshot(id)).toBeNull();
  });

  it('[L1, RC3] contains only durable entries', async () => {
    const { world, alice, id } = await aPanel({ snapshotLength: 4 });
    world.hold = true;
    for (let i = 0; i < 40; i++) void alice.call('post', text(id, 'x')).catch(() => {});
    await world.settle();
    world.hub.evictIdle();
    expect(await world.store.loadSnapshot(id)).toBeNull();
  });
});

const cycle: Record<string, unknown> = {};
cycle.self = cycle;
const hidden = Object.defineProperty({ a: 1 }, 'b', { value: 2, enumerable: false });

describe('survivesJson', () => {
  it('[RC3] accepts values that JSON returns unchanged', () => {
    const values: unknown[] = [null, true, 0, -1.5, 'ü\ud800', [], [1, [null]], {}, { a: { b: [{}] }, constructor: 1 }];
    for (const value of values) {
      expect(survivesJson(value)).toBe(true);
      expect(JSON.parse(JSON.stringify(value))).toEqual(value);
    }
  });

  it.each([
    ['undefined', undefined],
    ['undefined in an object', { a: undefined }],
    ['a hole', new Array(2)],
    ['a list with a name', Object.assign([1], { name: 'x' })],
    ['NaN', [Number.NaN]],
    ['minus zero', { a: -0 }],
    ['a bigint', 1n],
    ['a function', { toJSON: () => 1 }],
    ['a map', new Map()],
    ['a date', new Date(0)],
    ['a symbol', { [Symbol('s')]: 1 }],
    ['a hidden member', hidden],
    ['a key that JSON.parse takes for the prototype', JSON.parse('{"__proto__": 1}')],
    ['a cycle', cycle],
  ])('[RC3] rejects %s', (_, value) => expect(survivesJson(value)).toBe(false));
});

/** Records the seqs of its snapshots. */
class Saving extends FaultyStore {
  readonly saved: number[] = [];

  override saveSnapshot(snapshot: Snapshot): void {
    this.saved.push(snapshot.seq);
    super.saveSnapshot(snapshot);
  }
}

const tooFew = { lines: 1, before: [], firsts: { a: 4, b: 5 } };

function withTally(snapshot: Snapshot, change: (tally: object) => object | null): Snapshot {
  const body = snapshot.body as { readonly tally: object };
  return { ...snapshot, body: { ...body, tally: change(body.tally) } as Snapshot['body'] };
}

function elsewhere({ body }: Snapshot): Snapshot['body'] {
  const { state, ...rest } = body as unknown as { readonly state: { readonly metadata: object } };
  return { ...rest, state: { ...state, metadata: { ...state.metadata, session_id: 'f'.repeat(32) } } };
}

type Peers = readonly [Awaited<ReturnType<World['peer']>>, ...Awaited<ReturnType<World['peer']>>[]];

async function take(world: World, peers: Peers, id: string, one: Step): Promise<void> {
  if (one.kind === 'evict') {
    await world.settle();
    return world.hub.evictIdle();
  }
  const peer = peers[one.who] ?? peers[0];
  if (one.kind === 'close') return void peer.call('close_session', { session_id: id }).catch(() => {});
  const more = {
    ...(one.key === null ? {} : { idempotency_key: `k${one.key}` }),
    ...(one.whisper ? { audience: [peers[0].agentId, peers[1]?.agentId ?? ''] } : {}),
  };
  void peer.call('post', text(id, `t${one.key}`, more)).catch(() => {});
}

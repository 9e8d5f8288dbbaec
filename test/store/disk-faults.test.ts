// A disk that fails at each operation of a run: the store stops accepting, loses nothing it confirmed, and doubles
// nothing.

import { describe, expect, it } from 'vitest';
import type { HeadToken, Store } from '../../src/core/ports/store.ts';
import type { Entry, Unit } from '../../src/core/records/session/unit.ts';
import { Hub } from '../../src/hub/hub.ts';
import { MemoryIndex } from '../../src/store/index/memory-index.ts';
import { SPARE_NAME } from '../../src/store/journal/files.ts';
import { Peer } from '../../src/testing/doubles/peer.ts';
import { SimClock } from '../../src/testing/doubles/sim-clock.ts';
import { seededIds } from '../../src/testing/doubles/world.ts';
import { type Random, seededRandom } from '../../src/testing/lib/random.ts';
import { ADAPTERS, EXPECTATIONS, text, watch } from '../hub/scene.ts';
import { createdUnit, hubUnit, textUnit } from '../support/sample-records.ts';
import { SimDisk } from '../support/sim-disk.ts';
import type { DiskEvent, DiskFault } from '../support/sim-file.ts';
import { itDeep } from '../support/size.ts';
import { ALPHA, BETA, HUB, RememberingIndex } from './recorded-store.ts';
import { openSimStore } from './sim-store.ts';

const LOGS = [HUB, ALPHA, BETA, 'c'.repeat(32)];
const SEGMENT_BYTES = 3_000;

type Fault = Pick<DiskFault, 'operation' | 'code' | 'keeps'>;

const FAULTS: readonly Fault[] = [
  { operation: 'write', code: 'ENOSPC' },
  { operation: 'write', code: 'ENOSPC', keeps: 300 },
  { operation: 'write', code: 'EIO', keeps: 100_000 },
  { operation: 'sync', code: 'EIO' },
  { operation: 'sync', code: 'ENOSPC', keeps: 1 },
  { operation: 'syncFolder', code: 'EIO' },
  { operation: 'syncFolder', code: 'ENOSPC' },
];

describe.each(FAULTS)('$code on each $operation, keeping $keeps', (fault) => {
  itDeep(
    '[DS3] fails everything from there on, keeps reading, and neither loses nor doubles durable entries',
    async () => {
      const clean = await aRun({ operation: 'write', code: 'EIO' }, Number.POSITIVE_INFINITY);
      expect(clean.written.every(({ kind }) => kind === 'durable')).toBe(true);
      const operations = clean.disk.counts[fault.operation] - clean.before[fault.operation];
      expect(operations).toBeGreaterThan(fault.operation === 'syncFolder' ? 3 : 15);
      let poisoned = 0;
      for (let nth = 1; nth <= operations; nth++) {
        const run = await aRun(fault, nth);
        if (await checkFailure(run, `${fault.operation} ${nth}`)) poisoned += 1;
        await checkAfterCrash(run, seededRandom(nth), `${fault.operation} ${nth}`);
      }
      // Preparing the next segment may fail without harm.
      expect(poisoned).toBeGreaterThan(operations / 3);
    },
  );
});

interface Written {
  readonly logId: string;
  readonly unit: Unit;
  kind: string;
}

interface Run {
  readonly disk: SimDisk;
  readonly before: SimDisk['counts'];
  readonly index: RememberingIndex;
  readonly store: Store;
  readonly written: readonly Written[];
}

/** Units of several logs in bursts, each on top of the previous, with small records beside them. */
async function aRun(fault: Fault, nth: number): Promise<Run> {
  const disk = new SimDisk();
  const index = new RememberingIndex();
  const { store } = await openSimStore(disk, { index, segmentBytes: SEGMENT_BYTES });
  const before = { ...disk.counts };
  if (Number.isFinite(nth)) disk.fail({ ...fault, nth });
  const written: Written[] = [];
  const heads = new Map<string, HeadToken>();
  const ends: Promise<unknown>[] = [];
  for (let burst = 0; burst < 12; burst++) {
    for (const logId of LOGS.slice(0, 1 + (burst % LOGS.length))) {
      const one: Written = { logId, unit: nextUnit(written, logId), kind: 'pending' };
      const { token, outcome } = store.append(logId, heads.get(logId) ?? null, one.unit);
      heads.set(logId, token);
      written.push(one);
      ends.push(outcome.then(({ kind }) => Object.assign(one, { kind })));
    }
    await store.saveCursors([{ agent_id: 'bob', session_id: ALPHA, epoch: 1, seq: burst, beyond: [] }]);
    if (burst % 3 !== 2) await Promise.all(ends);
  }
  await Promise.all(ends);
  return { disk, before, index, store, written };
}

function nextUnit(written: readonly Written[], logId: string): Unit {
  const seq = written.filter((one) => one.logId === logId).flatMap(({ unit }) => unit.entries).length + 1;
  if (logId === HUB) return hubUnit(HUB, seq, 'identity.registered', { name: `agent-${seq}` });
  return seq === 1 ? createdUnit(logId) : textUnit(logId, seq, 1 + (seq % 2));
}

/** Returns whether the store was poisoned: only preparing the next segment may fail without that. */
async function checkFailure({ disk, store, written }: Run, where: string): Promise<boolean> {
  const failures = disk.events.filter(
    (event): event is DiskEvent => typeof event !== 'string' && event.phase === 'failed',
  );
  expect(failures.length, `${where}: the fault came`).toBe(1);
  const isPoisoned = failures[0]?.name !== SPARE_NAME;
  const kinds = written.map(({ kind }) => kind);
  const firstFailed = isPoisoned ? kinds.indexOf('failed') : kinds.length;
  // If a lazy record met the fault, everything before was answered.
  const durable = firstFailed === -1 ? kinds.length : firstFailed;
  expect(kinds, where).toEqual(kinds.map((_, i) => (i < durable ? 'durable' : 'failed')));
  for (const logId of LOGS) {
    expect(await all(store, logId), `${where}: ${logId} reads on`).toEqual(entriesOf(written.slice(0, durable), logId));
  }
  if (!isPoisoned) return false;
  const position = await store.position(HUB);
  const late = store.append(HUB, position?.token ?? null, hubUnit(HUB, (position?.seq ?? 0) + 1, 'late'));
  expect(await late.outcome, where).toMatchObject({ kind: 'failed' });
  await expect(store.setMeta('late', true), where).rejects.toThrow();
  return true;
}

/** A power cut; the index may be lost or old; unanswered appends are repeated. */
async function checkAfterCrash({ disk, index, written }: Run, random: Random, where: string): Promise<void> {
  disk.crash(random);
  const kept = random.pick([undefined, ...index.kept.map(({ values }) => values)]);
  const { store, recovery } = await openSimStore(disk, { index: new MemoryIndex(kept), segmentBytes: SEGMENT_BYTES });
  expect([recovery.damages, recovery.damagedLogs], where).toEqual([[], []]);
  for (const logId of LOGS) {
    const units = written.filter((one) => one.logId === logId);
    const found = await all(store, logId);
    const whole = units.findIndex((_, i) => entriesOf(units.slice(0, i), logId).length === found.length);
    const count = whole === -1 ? units.length : whole;
    expect(found, `${where}: ${logId} is a leading part`).toEqual(entriesOf(units.slice(0, count), logId));
    const answered = units.filter(({ kind }) => kind === 'durable').length;
    expect(count, `${where}: units of ${logId}`).toBeGreaterThanOrEqual(answered);
    let token = (await store.position(logId))?.token ?? null;
    for (const { unit } of units.slice(count)) {
      const append = store.append(logId, token, unit);
      expect(await append.outcome, `${where}: a repeat`).toEqual({ kind: 'durable' });
      token = append.token;
    }
  }
  disk.crash(random);
  const again = await openSimStore(disk, { segmentBytes: SEGMENT_BYTES });
  for (const logId of LOGS) expect(await all(again.store, logId), where).toEqual(entriesOf(written, logId));
}

function entriesOf(written: readonly Written[], logId: string): readonly Entry[] {
  return written.filter((one) => one.logId === logId).flatMap(({ unit }) => unit.entries);
}

function all(store: Store, logId: string): Promise<readonly Entry[]> {
  return store.read(logId, { from_seq: 1, limit: 1_000 });
}

describe.each(FAULTS)('a hub whose disk fails with $code on $operation, keeping $keeps', (fault) => {
  it('[DS4] answers waiting posts as unknown and later ones as refused, reports it once, and still reads', async () => {
    const { disk, hub, alice, bob, id } = await aHub();
    const other = await opened(alice, bob);
    const failures: Error[] = [];
    hub.on('storeFailed', ({ error }) => failures.push(error));
    const said = await alice.call('post', text(id, 'before', { idempotency_key: 'before' }));
    disk.fail({ ...fault, nth: 1 });
    // Enough for the next segment, whose name is synced with the folder.
    const words = 'x'.repeat(fault.operation === 'syncFolder' ? SEGMENT_BYTES : 10);
    // Several logs: each learns of the failure.
    const inFlight = [id, other, id, other].map((session) => watch(alice.call('post', text(session, words))));
    await settled(inFlight);
    expect(inFlight.map(({ value }) => value)).toEqual(inFlight.map(() => unavailable('unknown')));
    const late = watch(alice.call('post', text(id, 'late')));
    await settled([late]);
    expect(late.value).toEqual(unavailable('refused'));
    expect(hub.health()).toMatchObject({ ready: false, reason: expect.stringContaining(fault.code) });
    expect(failures.map(({ message }) => message)).toEqual([expect.stringContaining(fault.code)]);
    const { envelopes } = await alice.call('read_log', { session_id: id });
    expect(envelopes.at(-1)).toMatchObject({ seq: said.seq, envelope_id: said.envelope_id });
    expect((await alice.call('get_session', { session_id: id })).session.state).toBe('ACTIVE');
    await hub.stop();
    expect(failures.length).toBe(1);
  });

  it('[DS4, L5, L10] after a power cut accepts every repeat under its key once and keeps everything answered', async () => {
    for (let seed = 1; seed <= 8; seed++) {
      const { disk, alice, id } = await aHub();
      const before = await alice.call('post', text(id, 'before', { idempotency_key: 'before' }));
      disk.fail({ ...fault, nth: 1 });
      const words = 'x'.repeat(fault.operation === 'syncFolder' ? SEGMENT_BYTES : 10);
      const keys = ['a', 'b', 'c'];
      const inFlight = keys.map((key) => watch(alice.call('post', text(id, words, { idempotency_key: key }))));
      await settled(inFlight);
      disk.crash(seededRandom(seed));
      const again = await aHub(disk);
      const repeats = [{ words: 'before', key: 'before' }, ...keys.map((key) => ({ words, key }))];
      const answers = await Promise.all(
        repeats.map((repeat) => again.alice.call('post', text(id, repeat.words, { idempotency_key: repeat.key }))),
      );
      expect(answers[0]).toMatchObject({ ...before, duplicate: true });
      const { envelopes } = await again.alice.call('read_log', { session_id: id });
      const said = envelopes.filter(({ event_type }) => event_type === 'msg.text');
      expect(said.map(({ idempotency_key }) => idempotency_key)).toEqual(['before', ...keys]);
      expect(said.map(({ seq }) => seq)).toEqual(answers.map(({ seq }) => seq));
      await again.hub.stop();
    }
  });
});

interface Scene {
  readonly disk: SimDisk;
  readonly hub: Hub;
  readonly alice: Peer;
  readonly bob: Peer;
  readonly id: string;
}

/** Alice in a conversation with bob, opened if there is none yet. */
async function aHub(disk: SimDisk = new SimDisk()): Promise<Scene> {
  const { store } = await openSimStore(disk, { segmentBytes: SEGMENT_BYTES });
  const hub = await Hub.start({ store, clock: new SimClock(), ids: seededIds(7), adapters: ADAPTERS, ...EXPECTATIONS });
  const [alice, bob] = [await joined(hub, 'alice'), await joined(hub, 'bob')];
  const { sessions } = await alice.call('list_sessions', {});
  return { disk, hub, alice, bob, id: sessions[0]?.session_id ?? (await opened(alice, bob)) };
}

async function opened(creator: Peer, other: Peer): Promise<string> {
  const params = { type: 'conversation', participants: [other.agentId], wait: 'created' } as const;
  const { session } = await creator.call('create_session', params);
  await other.call('ack_invite', { session_id: session.session_id });
  return session.session_id;
}

async function joined(hub: Hub, name: string): Promise<Peer> {
  const peer = new Peer(hub.connect());
  peer.acks = true;
  peer.hello(name);
  await until(() => peer.frames.length > 0);
  if (peer.agentId === '') await peer.call('register', { name });
  await until(() => peer.agentId !== '');
  return peer;
}

function unavailable(outcome: string) {
  return { code: 'unavailable', details: { outcome } };
}

function settled(calls: readonly { readonly state: string }[]): Promise<void> {
  return until(() => calls.every(({ state }) => state !== 'open'));
}

/** The simulated disk needs ticks, not time. */
async function until(holds: () => boolean): Promise<void> {
  for (let turns = 0; turns < 5_000; turns++) {
    if (holds()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('it never came');
}

import { describe, expect, it } from 'vitest';
import type { Append, AppendOutcome, HeadToken, Store } from '../../src/core/ports/store.ts';
import type { Unit } from '../../src/core/records/session/unit.ts';
import { FaultyStore } from '../../src/testing/doubles/faulty-store.ts';
import { createdUnit, hubUnit, textUnit, unit } from '../support/sample-records.ts';
import { storeMutants } from '../support/store-mutants.ts';
import { describeStore } from './contract/describe-store.ts';

/** Syncs by itself, as a disk does. */
class SelfSyncing extends FaultyStore {
  override append(logId: string, expected: HeadToken | null, what: Unit): Append {
    void Promise.resolve().then(() => this.sync());
    return super.append(logId, expected, what);
  }
}

describeStore('FaultyStore', () => ({
  open: async () => new SelfSyncing(),
  reopen: async (store: Store) => {
    await store.close();
    return (store as SelfSyncing).crash();
  },
  openHeld: async () => {
    const store = new FaultyStore();
    return { store, sync: () => store.sync(), failSync: (error) => store.failSync(error) };
  },
  cleanup: async () => {},
}));

describe('FaultyStore', () => {
  it('[L1] holds staged units until sync', async () => {
    const store = new FaultyStore();
    const [created, said] = appendAll(store, 's1', createdUnit('s1'), textUnit('s1', 2));
    expect(store.stagedUnits()).toBe(2);
    expect(await states(created, said)).toEqual(['pending', 'pending']);
    store.sync(1);
    expect(await states(created, said)).toEqual(['durable', 'pending']);
    expect(seqs(store, 's1')).toEqual([1]);
    store.sync();
    expect(await states(created, said)).toEqual(['durable', 'durable']);
    expect([store.stagedUnits(), seqs(store, 's1')]).toEqual([0, [1, 2]]);
  });

  it('[L1] a crash loses unsynced units; nothing pending settles', async () => {
    const store = new FaultyStore();
    const [created, said] = appendAll(store, 's1', createdUnit('s1'), textUnit('s1', 2));
    store.sync(1);
    const after = store.crash();
    expect(await states(created, said)).toEqual(['durable', 'pending']);
    expect(seqs(after, 's1')).toEqual([1]);
  });

  it('[L1] a crash keeps whole units, for each log the prefix requested', () => {
    const store = new FaultyStore();
    appendAll(store, 's1', createdUnit('s1'), textUnit('s1', 2, 2), textUnit('s1', 4), textUnit('s1', 5));
    appendAll(store, 's2', createdUnit('s2'), textUnit('s2', 2));
    appendAll(store, 's3', createdUnit('s3'));
    const kept = store.crash((logId, { entries }) => logId !== 's3' && entries[0]?.envelope.seq !== 4);
    expect(kept.logIds()).toEqual(['s1', 's2']);
    expect([seqs(kept, 's1'), seqs(kept, 's2')]).toEqual([
      [1, 2, 3],
      [1, 2],
    ]);
  });

  it('[L1] a crash keeps no unit that would have conflicted', async () => {
    const store = new FaultyStore();
    const [created] = appendAll(store, 's1', createdUnit('s1'));
    store.append('s1', created.token, textUnit('s1', 2));
    store.append('s1', created.token, textUnit('s1', 2, 2));
    expect(
      seqs(
        store.crash(() => true),
        's1',
      ),
    ).toEqual([1, 2]);
  });

  it('[L1] the store after a crash continues from its position', async () => {
    const store = new FaultyStore();
    appendAll(store, 's1', createdUnit('s1'), textUnit('s1', 2));
    const after = store.crash(() => true);
    const position = await after.position('s1');
    const said = after.append('s1', position?.token ?? null, textUnit('s1', 3));
    after.sync();
    expect(await states(said)).toEqual(['durable']);
    expect(seqs(after, 's1')).toEqual([1, 2, 3]);
  });

  it('[L1] a crashed store does nothing more', async () => {
    const store = new FaultyStore();
    const [created] = appendAll(store, 's1', createdUnit('s1'));
    const after = store.crash(() => true);
    const late = store.append('s1', created.token, textUnit('s1', 2));
    store.sync();
    store.audit({ at: '', kind: 'k', actor: null, session_id: null, detail: {} });
    const calls = [late.outcome, store.read('s1', { from_seq: 1, limit: 1 }), store.setMeta('k', 1), next(store)];
    expect(await Promise.all(calls.map(isPending))).toEqual([true, true, true, true]);
    await store.close();
    expect(seqs(after, 's1')).toEqual([1]);
    expect([await after.getMeta('k'), await after.readAudit({ after: 0, limit: 1 })]).toEqual([null, []]);
  });

  it('[L10] a failed sync poisons the store, but not the next process', async () => {
    const store = new FaultyStore();
    const [created, said] = appendAll(store, 's1', createdUnit('s1'), textUnit('s1', 2));
    store.failSync(new Error('EIO'));
    const later = store.append('s2', null, createdUnit('s2'));
    store.sync();
    expect(await states(created, said, later)).toEqual(['failed EIO', 'failed EIO', 'failed EIO']);
    const after = store.crash(() => true);
    expect(after.logIds()).toEqual([]);
    const again = appendAll(after, 's1', createdUnit('s1'));
    after.sync();
    expect(await states(...again)).toEqual(['durable']);
  });

  it('[L1, L10] writes of a failed sync become visible only after reopening', async () => {
    const store = new FaultyStore();
    appendAll(store, 's1', createdUnit('s1'), textUnit('s1', 2), textUnit('s1', 3));
    store.failSync(new Error('EIO'), (_, { entries }) => (entries[0]?.envelope.seq ?? 0) < 3);
    expect(await store.read('s1', { from_seq: 1, limit: 10 })).toEqual([]);
    expect(seqs(store.crash(), 's1')).toEqual([1, 2]);
  });

  it('[ST2] a planned conflict also fails everything staged behind it, once', async () => {
    const store = new FaultyStore();
    const [created] = appendAll(store, 's1', createdUnit('s1'));
    store.conflict('s1');
    const refused = store.append('s1', created.token, textUnit('s1', 2));
    const behind = store.append('s1', refused.token, textUnit('s1', 3));
    const other = store.append('s2', null, createdUnit('s2'));
    store.sync();
    expect(await states(created, refused, behind, other)).toEqual(['durable', 'conflict', 'conflict', 'durable']);
    const again = store.append('s1', created.token, textUnit('s1', 2));
    store.sync();
    expect(await states(again)).toEqual(['durable']);
  });

  it('[ST2] a planned conflict also rejects the first unit of a log', async () => {
    const store = new FaultyStore();
    store.conflict('s1');
    const [created] = appendAll(store, 's1', createdUnit('s1'));
    store.sync();
    expect([await states(created), store.logIds()]).toEqual([['conflict'], []]);
  });

  it('[ST1, ST2] units staged after another writer, or on an old head, conflict', async () => {
    const store = new FaultyStore();
    const [created] = appendAll(store, 's1', createdUnit('s1'));
    store.sync();
    const staged = store.append('s1', created.token, textUnit('s1', 2));
    store.foreignAppend('s1', hubUnit('s1', 2, 'session.closed', { reason: 'elsewhere' }));
    const stale = store.append('s1', created.token, textUnit('s1', 2));
    const behind = store.append('s1', staged.token, textUnit('s1', 3));
    store.sync();
    expect(await states(staged, stale, behind)).toEqual(['conflict', 'conflict', 'conflict']);
    expect((await store.head('s1'))?.head).toMatchObject({ seq: 2, state: 'CLOSED', close_reason: 'elsewhere' });
  });

  it('[ST15] a crash keeps flushed cursors, and of others those requested', async () => {
    const store = new FaultyStore();
    const cursor = (session_id: string, seq: number) => ({ agent_id: 'bob', session_id, epoch: 1, seq, beyond: [] });
    await store.saveCursors([cursor('s1', 1), cursor('s2', 1), cursor('s3', 1)]);
    store.flushCursors();
    await store.saveCursors([cursor('s1', 2), cursor('s2', 2)]);
    await store.dropCursors([cursor('s3', 1)]);
    expect(await store.loadCursors('bob')).toEqual([cursor('s1', 2), cursor('s2', 2)]);
    const after = store.crash(undefined, ({ session_id }) => session_id === 's2');
    expect(await after.loadCursors('bob')).toEqual([cursor('s1', 1), cursor('s2', 2), cursor('s3', 1)]);
  });

  it('[ST21] a crash keeps synced snapshots, and of others those requested', async () => {
    const store = new FaultyStore();
    const snapshot = (session_id: string, seq: number) =>
      ({ session_id, epoch: 1, seq, fingerprint: 'f', body: null }) as const;
    store.saveSnapshot(snapshot('s1', 1));
    store.saveSnapshot(snapshot('s2', 1));
    store.sync();
    store.saveSnapshot(snapshot('s1', 2));
    store.saveSnapshot(snapshot('s2', 2));
    expect(await store.loadSnapshot('s1')).toEqual(snapshot('s1', 2));
    const after = store.crash(undefined, undefined, (sessionId) => sessionId === 's2');
    expect([await after.loadSnapshot('s1'), await after.loadSnapshot('s2')]).toEqual([
      snapshot('s1', 1),
      snapshot('s2', 2),
    ]);
  });

  it('[ST9] counts appends and reads', async () => {
    const store = new FaultyStore();
    appendAll(store, 's1', createdUnit('s1'), textUnit('s1', 2));
    await store.read('s1', { from_seq: 1, limit: 1 });
    await store.head('s1');
    expect(store.counts).toEqual({ append: 2, read: 1, snapshot: 0 });
  });
});

describe('store mutants', () => {
  it('[L3] forgetStatus returns a snapshot that differs from the saved one', async () => {
    const store = storeMutants.forgetStatus();
    const state = { status_seq: { bob: 2 }, head: 1 };
    store.saveSnapshot({ session_id: 's1', epoch: 1, seq: 1, fingerprint: 'f', body: { state, keys: [] } });
    expect((await store.loadSnapshot('s1'))?.body).toEqual({ state: { status_seq: {}, head: 1 }, keys: [] });
    expect(await store.loadSnapshot('s2')).toBeNull();
  });

  it('[L1] ackBeforeDurable confirms what a crash then loses', async () => {
    const store = storeMutants.ackBeforeDurable();
    expect(await states(...appendAll(store, 's1', createdUnit('s1')))).toEqual(['durable']);
    const after = store.crash();
    expect(after.logIds()).toEqual([]);
    expect(await states(...appendAll(after, 's1', createdUnit('s1')))).toEqual(['durable']);
    expect(await states(...appendAll(store, 's2', createdUnit('s2')))).toEqual(['pending']);
  });

  it('[L6] acceptAfterClose lets a stale writer append after a close', async () => {
    const store = storeMutants.acceptAfterClose();
    const [created] = appendAll(store, 's1', createdUnit('s1'));
    store.sync();
    const stale = store.append('s1', created.token, textUnit('s1', 2));
    store.foreignAppend('s1', hubUnit('s1', 2, 'session.closed', { reason: 'done' }));
    store.sync();
    expect(await states(stale)).toEqual(['durable']);
    expect(types(store, 's1')).toEqual(['session.created', 'session.closed', 'text']);
  });

  it('[L5] forgetKey omits keys the log has', async () => {
    const store = storeMutants.forgetKey();
    store.append('s1', null, unit({ idempotency_key: 'k1' }));
    store.sync();
    const [read] = await store.read('s1', { from_seq: 1, limit: 512 });
    expect([read?.envelope.idempotency_key, store.durableEntries('s1')[0]?.envelope.idempotency_key]).toEqual([
      null,
      'k1',
    ]);
  });

  it('[ST15] loseCursor loads nothing', async () => {
    const store = storeMutants.loseCursor();
    await store.saveCursors([{ agent_id: 'bob', session_id: 's1', epoch: 1, seq: 1, beyond: [] }]);
    store.sync();
    expect(await store.loadCursors('bob')).toEqual([]);
  });

  it('[L3] skipClosing stores a log without the close, even after a crash', async () => {
    const store = storeMutants.skipClosing();
    const closing = { event_type: 'session.closing', event_data: { reason: 'done' } };
    const [, said] = appendAll(store, 's1', createdUnit('s1'), unit({ seq: 2 }, { seq: 3, ...closing }));
    store.sync();
    const after = store.crash();
    const closed = after.append(
      's1',
      (await after.position('s1'))?.token ?? null,
      unit({ seq: 4 }, { seq: 5, ...closing }),
    );
    after.sync();
    expect(await states(said, closed)).toEqual(['durable', 'durable']);
    expect(types(after, 's1')).toEqual(['session.created', 'text', 'text']);
    expect((await after.read('s1', { from_seq: 3, limit: 9 })).map(({ envelope }) => envelope.seq)).toEqual([4]);
  });
});

/** Appends the units in a row, each on the head of the previous. */
function appendAll(store: Store, logId: string, first: Unit, ...more: readonly Unit[]): [Append, ...Append[]] {
  const appends: [Append, ...Append[]] = [store.append(logId, null, first)];
  for (const what of more) appends.push(store.append(logId, appends.at(-1)?.token ?? null, what));
  return appends;
}

/** The state of each append by now. */
function states(...appends: readonly (Append | undefined)[]): Promise<string[]> {
  const pending = { kind: 'pending' as const };
  const show = (outcome: AppendOutcome | typeof pending) =>
    outcome.kind === 'failed' ? `failed ${outcome.error.message}` : outcome.kind;
  return Promise.all(appends.map(async (append) => show(await Promise.race([append?.outcome ?? pending, pending]))));
}

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pending = {};
  await new Promise(setImmediate);
  return (await Promise.race([promise, pending])) === pending;
}

function next(store: Store): Promise<unknown> {
  return store.liveRows()[Symbol.asyncIterator]().next();
}

function seqs(store: FaultyStore, logId: string): readonly number[] {
  return store.durableEntries(logId).map(({ envelope }) => envelope.seq);
}

function types(store: FaultyStore, logId: string): readonly string[] {
  return store.durableEntries(logId).map(({ envelope }) => envelope.event_type);
}

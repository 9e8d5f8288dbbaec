// Redaction on a real disk: hidden immediately, removed by the archive, with the same state throughout.

import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CONDITIONS, sequence, TARGETS } from 'parley-hub/adapters/transition-graph';
import { workflow } from 'parley-hub/adapters/workflow';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Hub } from '../../../src/hub/hub.ts';
import type { DurableStore } from '../../../src/store/durable-store.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { restoreBackup } from '../../../src/store/restore.ts';
import { systemClock } from '../../../src/system/clock.ts';
import { systemIds } from '../../../src/system/ids.ts';
import { Peer } from '../../../src/testing/doubles/peer.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { ADAPTERS, EXPECTATIONS, VIEWS } from '../scene.ts';

const SECRET = 'sk-live-0123456789abcdef';
const LATER = '2999-01-01T00:00:00.000Z';

let root: string;
let data: string;
let hub: Hub;
let store: DurableStore;
/** The adapters of the next start. */
let adapters: typeof ADAPTERS;

beforeEach(async () => {
  root = tempFolder('redact');
  data = join(root, 'data');
  adapters = [...ADAPTERS, workflow];
  await start();
});

afterEach(() => hub.stop());

async function start(folder = data): Promise<void> {
  store = (await openStore(folder, { segmentBytes: 64 * 1024 })).store;
  const parts = { adapters, conditions: CONDITIONS, targets: TARGETS, views: VIEWS, ...EXPECTATIONS };
  hub = await Hub.start({ store, clock: systemClock, ids: systemIds, ...parts, limits: { snapshotLength: 2 } });
}

async function restart({ index = 'kept' } = {}, folder = data): Promise<void> {
  await hub.stop();
  if (index === 'lost') await rm(join(folder, 'index'), { recursive: true });
  await start(folder);
}

async function peer(name: string): Promise<Peer> {
  const one = new Peer(hub.connect());
  one.acks = true;
  one.hello(name);
  await one.call('health', {});
  if (one.agentId === '') await one.call('register', { name });
  return one;
}

const say = (who: Peer, session_id: string, text: string, key: string | null = null) =>
  who.call('post', { session_id, event_type: 'msg.text', event_data: { text }, idempotency_key: key });

/** Files of the folder that contain the text. */
async function holders(text: string, folder = data): Promise<string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((name) => name.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const found = await Promise.all(files.map(async (file) => ((await readFile(file)).includes(text) ? [file] : [])));
  return found.flat().map((file) => file.slice(folder.length + 1));
}

async function opened(alice: Peer, bob: Peer, more: object = {}): Promise<string> {
  const params = { type: 'conversation', participants: ['bob'], wait: 'created', ...more } as const;
  const { session } = await alice.call('create_session', params);
  await bob.call('ack_invite', { session_id: session.session_id });
  return session.session_id;
}

async function stateOf(who: Peer, session_id: string) {
  const { session, turn, unavailable, public_state } = await who.call('get_session', { session_id });
  return { session, turn, unavailable, public_state };
}

describe('after the archive', () => {
  it('[RD9, RD6] the bytes are nowhere in the folder, and everything else is unchanged', async () => {
    const [alice, bob] = [await peer('alice'), await peer('bob')];
    const id = await opened(alice, bob);
    const { seq } = await say(alice, id, `the key is ${SECRET}`, 'k1');
    for (let i = 0; i < 20; i++) await say(i % 2 === 0 ? bob : alice, id, `line ${i}`);
    await hub.redact(id, seq, 'leak');
    const neighbour = await opened(alice, bob);
    await say(alice, neighbour, 'hello');
    await alice.call('close_session', { session_id: id, wait: 'closed' });
    const before = { state: await stateOf(alice, id), log: await alice.call('read_log', { session_id: id }) };
    expect(await holders(SECRET)).not.toEqual([]);
    expect(await store.archive({ endedBefore: LATER })).toMatchObject({ sessions: 1 });
    // The last start rebuilds the index.
    for (const index of ['kept', 'kept', 'lost']) {
      await restart({ index });
      expect(await holders(SECRET)).toEqual([]);
      // Archives are compressed: read them through the store.
      for (const log of [id, 'redactions'])
        expect(JSON.stringify(await store.read(log, { from_seq: 1, limit: 99 }))).not.toContain(SECRET);
      const again = await peer('alice');
      expect({ state: await stateOf(again, id), log: await again.call('read_log', { session_id: id }) }).toEqual(
        before,
      );
      const view = { name: 'full_transcript' };
      expect(JSON.stringify(await again.call('read_view', { session_id: id, view }))).toContain('[redacted]');
      expect((await again.call('search_sessions', { query: 'line 7' })).matches).toHaveLength(1);
      expect(await say(again, id, `the key is ${SECRET}`, 'k1')).toMatchObject({ seq, duplicate: true });
      await expect(say(again, id, 'another', 'k1')).rejects.toMatchObject({ code: 'duplicate' });
      expect(await hub.redact(id, seq)).toMatchObject({ duplicate: true, redacted: { reason: 'leak' } });
      const verified = await store.verify({ checkSession: (sessionId) => hub.checkSnapshot(sessionId) });
      expect(verified).toMatchObject({ problems: [], damages: [] });
      expect((await again.call('get_session', { session_id: neighbour })).session.state).toBe('ACTIVE');
    }
  });

  it('[RD9] an envelope redacted in an archive is removed by the next one', async () => {
    const [alice, bob] = [await peer('alice'), await peer('bob')];
    const ids = [await opened(alice, bob), await opened(alice, bob)];
    const seqs = [];
    for (const id of ids) seqs.push((await say(alice, id, SECRET)).seq);
    for (const session_id of ids) await alice.call('close_session', { session_id, wait: 'closed' });
    expect(await store.archive({ endedBefore: LATER })).toMatchObject({ sessions: 2 });
    const logs = async (who: Peer) => Promise.all(ids.map((session_id) => who.call('read_log', { session_id })));
    for (const [i, id] of ids.entries()) await hub.redact(id, seqs[i] ?? 0);
    const before = await logs(alice);
    // Compressed, so the text is found only by reading.
    expect(JSON.stringify(await store.read(ids[0] ?? '', { from_seq: 1, limit: 99 }))).toContain(SECRET);
    await store.archive({ endedBefore: LATER });
    expect(await logs(alice)).toEqual(before);
    for (const index of ['kept', 'lost']) {
      await restart({ index });
      expect(await logs(await peer('alice'))).toEqual(before);
      for (const id of ids)
        expect(JSON.stringify(await store.read(id, { from_seq: 1, limit: 99 }))).not.toContain(SECRET);
      expect((await store.verify()).problems).toEqual([]);
    }
    // Nothing is left to do.
    expect(await store.archive({ endedBefore: LATER })).toEqual({ sessions: 0, freedBytes: 0 });
  });

  it('[RD9] an envelope of a running session stays on disk, hidden, until the session has ended', async () => {
    const [alice, bob] = [await peer('alice'), await peer('bob')];
    const [id, other] = [await opened(alice, bob), await opened(alice, bob)];
    const { seq } = await say(alice, id, SECRET);
    await hub.redact(id, seq);
    await alice.call('close_session', { session_id: other, wait: 'closed' });
    await store.archive({ endedBefore: LATER });
    expect(await holders(SECRET)).not.toEqual([]);
    await restart();
    const again = await peer('alice');
    await peer('bob');
    expect(JSON.stringify(await again.call('read_log', { session_id: id }))).not.toContain(SECRET);
    await say(again, id, 'on we go');
    await again.call('close_session', { session_id: id, wait: 'closed' });
    await store.archive({ endedBefore: LATER });
    await restart();
    expect(await holders(SECRET)).toEqual([]);
    expect(await stateOf(await peer('alice'), id)).toMatchObject({ unavailable: null });
  });

  it('[RD9, RD5] values the state once held are removed from snapshots and older pins', async () => {
    const [alice, bob] = [await peer('alice'), await peer('bob')];
    const id = await opened(alice, bob, { type: 'workflow', knobs: { graph: sequence(['alice', 'bob']) } });
    const set = (value: string) =>
      alice.call('post', { session_id: id, event_type: 'context.set', event_data: { set: { token: value } } });
    const first = await say(alice, id, 'first secret of all');
    const { seq } = await set(SECRET);
    // A snapshot and a pin contain the secret.
    hub.evictIdle();
    await alice.call('get_session', { session_id: id });
    await hub.redact(id, first.seq);
    await expect(hub.redact(id, seq)).rejects.toMatchObject({ code: 'conflict' });
    await set('none');
    await hub.redact(id, seq);
    await alice.call('close_session', { session_id: id, wait: 'closed' });
    const before = await stateOf(alice, id);
    await store.archive({ endedBefore: LATER });
    for (const index of ['kept', 'lost']) {
      await restart({ index });
      expect(await holders(SECRET)).toEqual([]);
      expect(await holders('first secret of all')).toEqual([]);
      expect(await stateOf(await peer('alice'), id)).toEqual(before);
    }
  });

  it('[RD9, DS20] a backup and its restored copy contain the redaction, with the same state in a new epoch', async () => {
    const [alice, bob] = [await peer('alice'), await peer('bob')];
    const id = await opened(alice, bob);
    const { seq } = await say(alice, id, SECRET);
    await hub.redact(id, seq);
    await store.backup(join(root, 'early'));
    await alice.call('close_session', { session_id: id, wait: 'closed' });
    await store.archive({ endedBefore: LATER });
    await store.backup(join(root, 'late'));
    const { session, public_state } = await stateOf(alice, id);
    const { envelopes } = await alice.call('read_log', { session_id: id });
    await hub.stop();
    for (const copy of ['early', 'late']) {
      const folder = join(root, `restored-${copy}`);
      await restoreBackup(join(root, copy), folder);
      await start(folder);
      const again = await peer('alice');
      const log = JSON.stringify(await again.call('read_log', { session_id: id }));
      expect(log).toContain('[redacted]');
      expect(log).not.toContain(SECRET);
      if (copy === 'late') {
        const restored = await stateOf(again, id);
        expect(restored.unavailable).toBe(null);
        expect(restored).toMatchObject({ public_state, session: { ...session, epoch: restored.session.epoch } });
        expect((await again.call('read_log', { session_id: id })).envelopes).toEqual(envelopes);
        expect(await holders(SECRET, folder)).toEqual([]);
      }
      await hub.stop();
    }
    await start();
  });

  it('[RD10] a session with a changed session type stays readable and reports why it is unavailable', async () => {
    const [alice, bob] = [await peer('alice'), await peer('bob')];
    const id = await opened(alice, bob);
    const { seq } = await say(alice, id, SECRET);
    await hub.redact(id, seq);
    await alice.call('close_session', { session_id: id, wait: 'closed' });
    await store.archive({ endedBefore: LATER });
    adapters = adapters.map((adapter) =>
      adapter.manifest.type === 'conversation'
        ? { ...adapter, manifest: { ...adapter.manifest, default_view: { name: 'full_transcript', params: {} } } }
        : adapter,
    );
    await restart();
    const again = await peer('alice');
    expect((await stateOf(again, id)).unavailable).toContain(`seq ${seq} was redacted`);
    expect((await again.call('read_log', { session_id: id })).envelopes.length).toBeGreaterThan(3);
  });

  it('[RD10] without its session type an envelope is hidden, and removed once its state can be pinned', async () => {
    const [alice, bob] = [await peer('alice'), await peer('bob')];
    const id = await opened(alice, bob);
    const { seq } = await say(alice, id, SECRET);
    const all = adapters;
    adapters = adapters.filter(({ manifest }) => manifest.type !== 'conversation');
    await restart();
    expect(await hub.redact(id, seq, 'first')).toMatchObject({ pinned: false });
    let again = await peer('alice');
    expect(JSON.stringify(await again.call('read_log', { session_id: id }))).not.toContain(SECRET);
    await peer('bob');
    await again.call('close_session', { session_id: id, wait: 'closed' });
    await store.archive({ endedBefore: LATER });
    expect(JSON.stringify(await store.read(id, { from_seq: seq, limit: 1 }))).toContain(SECRET);
    adapters = all;
    await restart();
    expect(await hub.redact(id, seq, 'second')).toMatchObject({ pinned: true, redacted: { reason: 'first' } });
    await store.archive({ endedBefore: LATER });
    expect(JSON.stringify(await store.read(id, { from_seq: seq, limit: 1 }))).not.toContain(SECRET);
    again = await peer('alice');
    expect((await stateOf(again, id)).unavailable).toBe(null);
  });
});

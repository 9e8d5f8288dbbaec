// A hub on a data folder, as a user runs it: after a restart everything is there.

import { open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHub, type LocalHub, openStore, restoreBackup } from 'parley-hub/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Session } from '../../src/client/session/session.ts';
import type { CreateHubOptions } from '../../src/server/create-hub.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { panel } from './panel.ts';

let root: string;
let data: string;
const hubs: LocalHub[] = [];

beforeEach(() => {
  root = tempFolder('data');
  data = join(root, 'data');
});

afterEach(async () => {
  for (const hub of hubs.splice(0)) await hub.stop();
});

async function start(options: CreateHubOptions = {}): Promise<LocalHub> {
  const hub = await createHub({ data, ...options });
  hubs.push(hub);
  return hub;
}

const texts = async (session: Session): Promise<unknown[]> => {
  const found: unknown[] = [];
  for await (const { event_type, event_data } of session.log())
    if (event_type === 'msg.text') found.push(event_data.text);
  return found;
};

/** alice and bob talk; `said` messages by alice. */
async function talk(hub: LocalHub, said: number): Promise<Session> {
  const alice = await hub.agent('alice');
  await hub.agent('bob', { onMessage: () => {} });
  const session = await alice.open('conversation', ['bob']);
  for (let i = 1; i <= said; i++) await session.send(`message ${i}`, { key: `key ${i}` });
  return session;
}

describe('a hub on a data folder', () => {
  it('[L1, L3, L5, DS30] keeps sessions, identities, keys and cursors over a restart', async () => {
    const first = await start();
    const { id } = await talk(first, 3);
    const { hub_id } = first.health();
    await first.stop();

    const second = await start();
    expect(second.health()).toMatchObject({ hub_id, ready: true, sessions: { live: 1, loaded: 0 } });
    const heard: unknown[] = [];
    await second.agent('bob', { onMessage: ({ envelope }) => void heard.push(envelope.event_data.text) });
    const session = (await second.agent('alice')).session(id);
    expect(await session.send('message 2', { key: 'key 2' })).toMatchObject({ duplicate: true });
    await session.send('message 4');
    expect(await texts(session)).toEqual(['message 1', 'message 2', 'message 3', 'message 4']);
    await session.close('done', { wait: 'closed' });
    expect(heard).toEqual(['message 4']);
    expect((await second.audit()).filter(({ kind }) => kind === 'session_created')).toHaveLength(1);
  });

  it('[ID6, MB3, DS30] keeps profiles and skills, and repeats an unanswered invite', async () => {
    const first = await start({ adapters: [panel] });
    const ann = await first.agent('ann');
    await first.agent('bob', { onMessage: () => {} });
    const dave = await first.agent('dave', { onInvite: () => new Promise(() => {}) });
    await ann.setResume({ claimedCapabilities: ['review'], summary: 'one' });
    await ann.setResume({ summary: 'two', expectedVersion: 1 });
    await ann.setSkill('---\ndescription: Reads.\n---\nAsk.');
    const before = [await dave.resume('ann'), await dave.skill('ann')];
    const session = await ann.open('panel', ['bob']);
    await session.send('before');
    await session.add('dave');
    await first.stop();

    const second = await start({ adapters: [panel] });
    const heard: unknown[] = [];
    const again = await second.agent('dave', { onMessage: ({ text }) => void heard.push(text) });
    expect([await again.resume('ann'), await again.skill('ann')]).toEqual(before);
    await again.session(session.id).waitFor('session.participant.joined');
    const theirs = (await second.agent('ann')).session(session.id);
    await theirs.send('after');
    await theirs.close('done', { wait: 'closed' });
    expect(heard).toEqual(['before', 'after']);
    expect((await second.verify()).problems).toEqual([]);
  });

  it('[DS30] makes sessions without their type unavailable until it is registered', async () => {
    const first = await start({ adapters: [panel] });
    const ann = await first.agent('ann');
    await first.agent('bob');
    const { id } = await ann.open('panel', ['bob']);
    await first.stop();

    const second = await start();
    const session = (await second.agent('ann')).session(id);
    await expect(session.send('anyone?')).rejects.toMatchObject({ code: 'unavailable' });
    expect((await session.info()).unavailable).toContain('adapter panel version 1 is not registered');
    second.register(panel);
    expect((await session.info()).unavailable).toBeNull();
  });

  it('[DS31] truncates a torn last write, and reports it in the log and the audit', async () => {
    const { id } = await talk(await start(), 2);
    await hubs.pop()?.stop();
    const path = join(data, 'journal', '00000001.journal');
    const bytes = await readFile(path);
    const end = bytes.findLastIndex((byte) => byte !== 0) + 1;
    const file = await open(path, 'r+');
    // A mark with half a record behind it, as a power failure leaves them.
    await file.write(bytes.subarray(0, 20 + 40), 0, 60, end);
    await file.close();

    const warnings: string[] = [];
    const hub = await start({ log: { info() {}, warn: (message) => void warnings.push(message), error() {} } });
    expect(warnings).toEqual(['cut off a torn last write; nothing in it had been acknowledged']);
    expect((await hub.audit()).map(({ kind }) => kind)).toContain('store.torn');
    expect(await texts((await hub.agent('alice')).session(id))).toEqual(['message 1', 'message 2']);
  });

  it('[DS32] reads a damaged session up to the damage; others run; repair restores it in a new epoch', async () => {
    const first = await start();
    const { id } = await talk(first, 3);
    const other = await (await first.agent('cid')).open('conversation', ['bob']);
    await first.stop();
    await damage('message 2');

    const second = await start();
    const session = (await second.agent('alice')).session(id);
    await expect(session.send('more')).rejects.toMatchObject({ code: 'unavailable' });
    const { unavailable, session: metadata } = await session.info();
    expect(unavailable).toMatch(/^corrupt: its log is damaged from seq \d+ on/);
    expect(metadata.epoch).toBe(1);
    expect(await texts(session)).toEqual(['message 1']);
    expect(second.health().sessions.unavailable).toBe(1);
    await (await second.agent('cid')).session(other.id).send('we go on');
    await second.stop();

    const { store } = await openStore(data);
    const repaired = await store.repair();
    await store.close();
    expect(repaired).toEqual([{ log_id: id, kept_seq: expect.any(Number), epoch: expect.any(Number) }]);
    const third = (await (await start()).agent('alice')).session(id);
    await third.send('message 2 again');
    expect(await texts(third)).toEqual(['message 1', 'message 2 again']);
    expect((await third.info()).session.epoch).toBeGreaterThan(1);
  });

  it('[DS32] reads a damaged registry up to the damage, and registers nobody until it is repaired', async () => {
    const first = await start();
    const { id } = await talk(first, 1);
    await first.agent('zoe');
    await first.stop();
    await damage('zoe');

    const second = await start();
    await expect(second.agent('yan')).rejects.toMatchObject({ code: 'unavailable' });
    await second.agent('bob');
    await (await second.agent('alice')).session(id).send('we go on');
    await second.stop();

    const { store } = await openStore(data);
    expect(await store.repair()).toMatchObject([{ log_id: 'hub' }]);
    await store.close();
    const third = await start();
    await third.agent('zoe');
    expect(await texts((await third.agent('alice')).session(id))).toEqual(['message 1', 'we go on']);
  });

  it('[DS33] backs up, archives and verifies while running; a restored session has a new epoch', async () => {
    const hub = await start();
    const session = await talk(hub, 3);
    await session.close('done', { wait: 'closed' });
    await hub.backup(join(root, 'copy'));
    const future = '2999-01-01T00:00:00.000Z';
    expect(await hub.archive({ endedBefore: future })).toMatchObject({ sessions: 1 });
    expect(await texts(session)).toEqual(['message 1', 'message 2', 'message 3']);
    expect(await hub.verify()).toMatchObject({ problems: [], damages: [] });
    await restoreBackup(join(root, 'copy'), join(root, 'restored'));
    const restored = (await (await start({ data: join(root, 'restored') })).agent('alice')).session(session.id);
    expect((await restored.info()).session).toMatchObject({
      epoch: expect.toSatisfy((epoch: number) => epoch > 1),
      state: 'CLOSED',
    });
    expect(await texts(restored)).toEqual(['message 1', 'message 2', 'message 3']);
  });

  it('[DS33] rejects maintenance without a data folder', async () => {
    const hub = await createHub();
    hubs.push(hub);
    for (const care of [
      hub.backup(join(root, 'x')),
      hub.archive({ endedBefore: '2026-01-01T00:00:00.000Z' }),
      hub.verify(),
    ]) {
      await expect(care).rejects.toMatchObject({ code: 'no_data_folder' });
    }
    const folder = await start();
    await expect(folder.backup(join(data, 'copy'))).rejects.toMatchObject({ code: 'bad_options' });
    await expect(folder.archive({ endedBefore: 'yesterday' })).rejects.toMatchObject({ code: 'bad_options' });
  });

  it('[DS30] rejects invalid options by name', async () => {
    await expect(createHub({ data: '' })).rejects.toMatchObject({ code: 'bad_options' });
    const misspelt: object = { dtaa: data };
    await expect(createHub(misspelt)).rejects.toMatchObject({
      code: 'bad_options',
      message: /^dtaa: there is no such/,
    });
    await expect(createHub({ data: 7 as unknown as string })).rejects.toMatchObject({ code: 'bad_options' });
    const { store } = await openStore(join(root, 'mine'));
    await expect(createHub({ data, store })).rejects.toMatchObject({ code: 'bad_options' });
    await store.close();
    await start();
    await expect(createHub({ data })).rejects.toMatchObject({ code: 'data_in_use' });
    await writeFile(join(root, 'file'), '');
    await expect(createHub({ data: join(root, 'file') })).rejects.toMatchObject({ code: 'bad_data_folder' });
  });
});

/** Flips a bit in this message and deletes the index, so that the damage is found when the journal is read. */
async function damage(text: string): Promise<void> {
  const folder = join(data, 'journal');
  for (const name of await readdir(folder)) {
    const bytes = await readFile(join(folder, name));
    const at = bytes.indexOf(`"${text}"`);
    if (at === -1) continue;
    bytes[at + 1] = (bytes[at + 1] ?? 0) ^ 1;
    await writeFile(join(folder, name), bytes);
  }
  await rm(join(data, 'index'), { recursive: true });
}

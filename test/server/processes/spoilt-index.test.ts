// A damaged index: a hub always starts again, with everything in the journal.

import { cp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/testing/lib/random.ts';
import { text } from '../../hub/scene.ts';
import { sharedScript } from '../../support/shared-script.ts';
import { some } from '../../support/size.ts';
import { sharedFolder } from '../../support/temp-folder.ts';
import { HubProcess } from './hub-process.ts';

const PAGE = 4096;

/** The kinds of damage: `spoil` gets the path of the file. */
const FATES: readonly [string, (path: string) => Promise<void>][] = [
  ['is gone', (path) => rm(path)],
  ['is empty', (path) => truncate(path, 0)],
  ['has only its first page', (path) => truncate(path, PAGE)],
  ['has lost all but its first two pages', (path) => truncate(path, 2 * PAGE)],
  ['has lost its second half', async (path) => truncate(path, Math.floor((await readFile(path)).length / 2))],
  ['is all zeros', (path) => filled(path, 0, () => 0)],
  ['is blank behind its first two pages', (path) => filled(path, 2 * PAGE, () => 0)],
  ['is random', (path) => filled(path, 0, randomByte)],
  ['is random behind its first two pages', (path) => filled(path, 2 * PAGE, randomByte)],
];

const random = seededRandom(1);
const randomByte = () => random.below(256);

const built = sharedScript('test/server/processes/hub-child.ts');
const root = sharedFolder();
let sessionId: string;
let newest: number;

beforeAll(async () => {
  const hub = new HubProcess(built.path);
  await hub.open(join(root.path, 'sound'));
  const [alice, bob] = [await hub.peer('alice'), await hub.peer('bob')];
  const params = { type: 'conversation', participants: [bob.agentId], wait: 'created' } as const;
  sessionId = (await alice.call('create_session', params)).session.session_id;
  await bob.call('ack_invite', { session_id: sessionId });
  const posts = Array.from({ length: 50 }, (_, i) => alice.call('post', text(sessionId, `number ${i}`)));
  newest = Math.max(...(await Promise.all(posts)).map(({ seq }) => seq));
  await hub.stop();
});

afterAll(() => HubProcess.endAll());

describe('an index that', () => {
  it.each(FATES)(
    '[DS9] %s: rebuilds the index and starts, at the second try if the first one crashed',
    async (fate, spoil) => {
      const folder = join(root.path, fate);
      await cp(join(root.path, 'sound'), folder, { recursive: true });
      await spoil(join(folder, 'index', 'data.mdb'));
      const hub = await started(folder);
      const alice = await hub.peer('alice');
      const { envelopes } = await alice.call('read_log', { session_id: sessionId, reverse: true, limit: 100 });
      expect(envelopes.filter(({ event_type }) => event_type === 'msg.text').length).toBe(50);
      expect((await alice.call('post', text(sessionId, 'more'))).seq).toBe(newest + 1);
      await hub.stop();
    },
  );
});

/** Damage that the first look may miss. */
const SCARS: readonly [string, (path: string, seed: number) => Promise<void>][] = [
  ['forty bits of which are flipped', (path, seed) => scarred(path, seed, flipBits)],
  ['a page of which is blank', (path, seed) => scarred(path, seed, blankPage)],
];
const SEEDS = some([1, 2, 3, 4, 5, 6], 2);
/** The first that meets damage, and those that may end before the index is given up. */
const MOST_STARTS = 6;

describe('an index', () => {
  it.each(SCARS)(
    '[DS9] %s never makes a log look shorter or damaged, and is rebuilt within a few starts',
    async (scar, spoil) => {
      const needed: number[] = [];
      for (const seed of SEEDS) {
        const folder = join(root.path, `${scar} ${seed}`);
        await cp(join(root.path, 'sound'), folder, { recursive: true });
        await spoil(join(folder, 'index', 'data.mdb'), seed);
        let starts = 1;
        while (!(await isWholeIn(folder))) starts += 1;
        needed.push(starts);
      }
      console.log(`${scar}: healthy after ${needed.join(', ')} starts`);
      expect(Math.max(...needed)).toBeLessThanOrEqual(MOST_STARTS);
    },
    120_000,
  );
});

/** False if the process ended or refused; every answer must be correct. */
async function isWholeIn(folder: string): Promise<boolean> {
  const hub = new HubProcess(built.path);
  const dead = hub.exited.then(() => 'dead' as const);
  const looked = look(hub, folder).catch((thrown: Error) => {
    if (thrown.name === 'AssertionError') throw thrown;
    return 'refused' as const;
  });
  const result = await Promise.race([looked, dead]);
  if (result === 'refused') await hub.kill();
  if (result === 'whole') await hub.stop();
  return result === 'whole';
}

async function look(hub: HubProcess, folder: string): Promise<'whole' | 'refused'> {
  if ((await hub.tryOpen(folder)).kind !== 'opened') return 'refused';
  const alice = await hub.peer('alice');
  const { envelopes } = await alice.call('read_log', { session_id: sessionId, reverse: true, limit: 100 });
  expect(envelopes.filter(({ event_type }) => event_type === 'msg.text').length).toBe(50);
  expect((await alice.call('get_session', { session_id: sessionId })).unavailable).toBeNull();
  expect((await alice.call('post', text(sessionId, 'more'))).seq).toBe(newest + 1);
  return 'whole';
}

type Scar = (bytes: Buffer, below: (limit: number) => number) => void;

async function scarred(path: string, seed: number, scar: Scar): Promise<void> {
  const bytes = await readFile(path);
  const { below } = seededRandom(seed);
  scar(bytes, below);
  await writeFile(path, bytes);
}

function flipBits(bytes: Buffer, below: (limit: number) => number): void {
  for (let i = 0; i < 40; i++) {
    const at = below(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << below(8));
  }
}

function blankPage(bytes: Buffer, below: (limit: number) => number): void {
  const page = 2 + below(bytes.length / PAGE - 2);
  bytes.fill(0, page * PAGE, (page + 1) * PAGE);
}

/** lmdb maps the file, so damage may end a process; whoever watches it starts another. */
async function started(folder: string): Promise<HubProcess> {
  const first = new HubProcess(built.path);
  const opened = await Promise.race([first.tryOpen(folder), first.exited]);
  if ('kind' in opened) {
    expect(opened).toEqual({ kind: 'opened' });
    return first;
  }
  const second = new HubProcess(built.path);
  expect(await Promise.race([second.tryOpen(folder), second.exited])).toEqual({ kind: 'opened' });
  return second;
}

async function filled(path: string, from: number, byte: () => number): Promise<void> {
  const bytes = await readFile(path);
  for (let at = from; at < bytes.length; at++) bytes[at] = byte();
  await writeFile(path, bytes);
}

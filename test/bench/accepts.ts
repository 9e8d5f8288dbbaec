/** Durable accepts per second, relative to a raw group commit of the same bytes. */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { serializeUnit } from '../../src/core/state/serialize.ts';
import { SPARE_NAME } from '../../src/store/journal/files.ts';
import { SEGMENT_BYTES } from '../../src/store/journal/journal.ts';
import { recordRoom, writeRecord } from '../../src/store/journal/record.ts';
import { Arena } from './arena.ts';
import { closedLoop } from './closed-loop.ts';
import type { Bench, Figure } from './figure.ts';
import { postByLink } from './link-posts.ts';
import { inPairs } from './pairs.ts';
import { RawCommit } from './raw.ts';

const SESSIONS = 64;
const BARS = [
  { outstanding: 1, must: 0.75, aim: 0.9 },
  { outstanding: 64, must: 0.25, aim: 0.4 },
  { outstanding: 1024, must: 0.1, aim: 0.2 },
];

export const accepts: Bench = {
  names: [...BARS.map(({ outstanding }) => `accepts_${outstanding}`), 'accepts_link_64'],

  async run(setting) {
    const { quick, folder } = setting;
    const arena = await Arena.open(join(folder, 'data'));
    const raw = await RawCommit.open(join(folder, 'raw'));
    const [alice, bob] = [await arena.join('alice'), await arena.join('bob')];
    const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => arena.converse(alice, bob)));
    arena.leave(bob);
    const post = (slot: number) => arena.post(alice, sessions[slot % SESSIONS]);
    const record = await recordOf(arena, sessions[0] ?? '', (await post(0)).seq);
    setting.note(`accepts: records of ${record.length} bytes; warming up`);
    await closedLoop(1024, quick ? 1500 : 5000, post);
    const ms = quick ? 250 : 1000;
    const rawRate = (outstanding: number) => async () => {
      await journalAtRest(join(folder, 'data'));
      return closedLoop(outstanding, ms, () => raw.append(record));
    };
    const figures: Figure[] = [];
    for (const { outstanding, must, aim } of BARS) {
      const pairs = await inPairs(quick ? 9 : 15, rawRate(outstanding), () => closedLoop(outstanding, ms, post));
      const what = `durable accepts/s ÷ raw group commit, ${outstanding} outstanding`;
      figures.push({ name: `accepts_${outstanding}`, what, ...rates(pairs), must, aim, better: 'more' });
    }
    const byLink = await postByLink(arena.hub, SESSIONS);
    const pairs = await inPairs(quick ? 5 : 9, rawRate(64), () => closedLoop(64, ms, byLink.post));
    const what = 'the same, 64 outstanding, as frames over links in the process';
    figures.push({ name: 'accepts_link_64', what, ...rates(pairs), must: null, aim: null, better: 'more' });
    byLink.close();
    await arena.stop();
    await raw.close();
    return figures;
  },
};

async function recordOf(arena: Arena, sessionId: string, seq: number): Promise<Buffer> {
  const entries = await arena.store.read(sessionId, { from_seq: seq, to_seq: seq, limit: 1 });
  const text = serializeUnit({ entries });
  const bytes = Buffer.alloc(recordRoom(text));
  return bytes.subarray(0, writeRecord(bytes, 0, 'unit', sessionId, text));
}

function rates({
  ours,
  raw,
  ratio,
}: {
  ours: number;
  raw: number;
  ratio: number;
}): Pick<Figure, 'measured' | 'raw' | 'value'> {
  return { measured: perSecond(ours), raw: perSecond(raw), value: ratio };
}

function perSecond(rate: number): string {
  return `${Math.round(rate).toLocaleString('en')}/s`;
}

const MOST_MS = 3000;

async function journalAtRest(folder: string): Promise<void> {
  const spare = join(folder, 'journal', SPARE_NAME);
  for (let waited = 0; waited < MOST_MS && isBeingMade(spare); waited += 20) await setTimeout(20);
}

function isBeingMade(path: string): boolean {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? SEGMENT_BYTES;
  return bytes < SEGMENT_BYTES;
}

// Tests of the checkers: each finds a journal in which one law is broken, for that law alone.

import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { check, isHeld, LAWS, type Verdict } from './check.ts';
import { Journal, type Line, readJournal } from './journal.ts';
import type { StormReport } from './storm.ts';
import { stormBroken } from './storm-report.ts';

const session = 's1';
const posting = (key: string): Line => ({ at: 'posting', session, key });
const acked = (key: string, seq: number): Line => ({ at: 'acked', session, key, seq });
const received = (key: string, seq: number): Line => ({ at: 'received', session, key, seq });
const CLOSED: Line = { at: 'closed', session };

const ANN: readonly Line[] = [
  { at: 'opening', key: 'o1', type: 'discussion', names: ['ben', 'cat'] },
  { at: 'opened', key: 'o1', session },
  posting('a1'),
  posting('a2'),
  acked('a1', 5),
  acked('a2', 6),
  received('b1', 7),
  { at: 'closing', session },
  CLOSED,
];
const BEN: readonly Line[] = [received('a1', 5), received('a2', 6), posting('b1'), acked('b1', 7), CLOSED];
const CAT: readonly Line[] = [received('a1', 5), received('a2', 6), received('b1', 7), CLOSED];

function judged(ann: readonly Line[], ben: readonly Line[], cat: readonly Line[]): Partial<Verdict> {
  const verdict = check(
    new Map([
      ['ann', ann],
      ['ben', ben],
      ['cat', cat],
    ]),
  );
  return Object.fromEntries(LAWS.flatMap((law) => (verdict[law].length === 0 ? [] : [[law, verdict[law]]])));
}

it('[BP5] accepts journals in which every law holds', () => {
  expect(judged(ANN, BEN, CAT)).toEqual({});
});

it('[BP5] finds a hub that answers before a post is durable, and a link that loses it for good', () => {
  const without = CAT.filter((line) => line.at !== 'received' || line.key !== 'a2');
  expect(judged(ANN, BEN, without)).toEqual({ lost: ['a2 (seq 6 of s1) was answered, and cat never got it'] });
  const later = [...CAT.slice(0, 1), received('a2', 8), CLOSED];
  expect(Object.keys(judged(ANN.slice(0, -3), BEN.slice(0, 2), later))).toEqual(
    expect.arrayContaining(['lost', 'doubled']),
  );
});

it('[BP5] finds a client without de-duplication, and a post accepted twice', () => {
  expect(judged(ANN, BEN, [...CAT.slice(0, 3), received('b1', 7), CLOSED])).toEqual({
    doubled: ['cat got b1 (seq 7 of s1) twice'],
  });
  expect(judged(ANN, BEN, [...CAT.slice(0, 3), received('b1', 9), CLOSED])).toEqual({
    doubled: ['b1 is in s1 as 7 and as 9'],
  });
});

it('[BP5] finds a wrong order, of deliveries and of one sender', () => {
  const swapped = [received('a2', 6), received('a1', 5), received('b1', 7), CLOSED];
  expect(Object.keys(judged(ANN, BEN, swapped))).toEqual(['outOfOrder']);
  const saidLater = ANN.toSpliced(2, 2, posting('a2'), posting('a1'));
  expect(judged(saidLater, BEN, CAT)).toEqual({
    outOfOrder: ['ben got a2 after what ann said later in s1', 'cat got a2 after what ann said later in s1'],
  });
});

it('[BP5] finds a close that one member, or every member, did not receive', () => {
  expect(judged(ANN, BEN, CAT.slice(0, -1))).toEqual({ closesUnheard: ['s1 closed, and cat was not told'] });
  const [ann, ben, cat] = [ANN, BEN, CAT].map((lines) => lines.filter(({ at }) => at !== 'closed'));
  expect(judged(ann ?? [], ben ?? [], cat ?? []).closesUnheard).toHaveLength(3);
});

it('[BP5] finds a post that was never answered, never sent, or stored though rejected', () => {
  expect(judged([...ANN, posting('a3')], BEN, CAT)).toEqual({ unanswered: ['a3 was never answered'] });
  expect(judged(ANN, BEN, [...CAT, received('x', 9)])).toEqual({ strange: ['x was never sent'] });
  const refused: Line = { at: 'refused', session, key: 'a3', code: 'session_closed' };
  expect(judged([...ANN, posting('a3'), refused], BEN, [...CAT, received('a3', 9)])).toEqual({
    strange: ['a3 was refused, and is there'],
  });
});

it('[BP5] skips a line torn by a kill, and reads the next', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-journal-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'ann.journal');
  const write = (line: Line): void => {
    const journal = new Journal(path);
    journal.write(line);
    journal.close();
  };
  expect(readJournal(path)).toEqual([]);
  write(posting('a1'));
  await appendFile(path, '{"at":"acked","sess');
  write(posting('a2'));
  expect(readJournal(path)).toEqual([posting('a1'), posting('a2')]);
});

it('[BP4] finds a storm with a loss, a client that stays away, or too much memory', () => {
  const memory = { rss: 100e6, heap: 1, peakRss: 160e6, peakHeap: 1, maxRss: 160e6 };
  const count = { away: 0, closed: 0, asked: 6, posted: 6, heard: 6, incomplete: 0, wrong: 0 };
  const sound: StormReport = { clients: 300, cut: 300, count, steady: memory, afterCut: memory, afterKill: memory };
  expect(stormBroken(sound)).toEqual([]);
  expect(stormBroken({ ...sound, count: { ...count, incomplete: 1 } })).toHaveLength(1);
  expect(stormBroken({ ...sound, count: { ...count, away: 1 } })).toHaveLength(1);
  expect(stormBroken({ ...sound, count: { ...count, posted: 5 } })).toHaveLength(1);
  expect(stormBroken({ ...sound, clients: 10 })).toHaveLength(2);
  expect(stormBroken({ ...sound, afterCut: { ...memory, peakRss: 200e6 } })).toHaveLength(1);
  expect(stormBroken({ ...sound, afterKill: { ...memory, maxRss: 200e6 } })).toHaveLength(1);
});

it('[BP5] reports no fault if every law holds', () => {
  expect(isHeld(check(new Map([['ann', ANN]])))).toBe(false);
  expect(isHeld(check(new Map([['ann', []]])))).toBe(true);
});

/** A random run of a journal on a disk that loses power at any moment, and the rule that must hold after each loss. */

import type { Files } from '../../../src/store/journal/files.ts';
import type { Journal } from '../../../src/store/journal/journal.ts';
import type { AppendResult } from '../../../src/store/journal/journal-types.ts';
import { type Random, seededRandom } from '../../../src/testing/lib/random.ts';
import { SimDisk } from '../../support/sim-disk.ts';
import { logOf, openJournal, turn } from './open-journal.ts';

export interface HistoryResult {
  readonly fault: string | null;
  readonly confirmed: number;
  readonly torn: number;
}

interface Staged {
  readonly text: string;
  isConfirmed: boolean;
}

/** `wrap` puts a port between the journal and the disk. */
export async function crashHistory(
  seed: number,
  wrap: (disk: SimDisk) => Files = (disk) => disk.mount(),
): Promise<HistoryResult> {
  const random = seededRandom(seed);
  const disk = new SimDisk();
  const segmentBytes = random.pick([300, 1500, 20_000, 20_000]);
  let known: readonly string[] = [];
  let staged: Staged[] = [];
  const result = { confirmed: 0, torn: 0 };
  for (let life = 0; life < 6; life++) {
    const died = disk.dieAfter(1 + random.below(30));
    const open = await Promise.race([openJournal(wrap(disk), { segmentBytes }), died]);
    if (open) {
      const fault =
        check(known, staged, open.texts) ??
        (open.recovery.damages.length > 0 ? `damage ${JSON.stringify(open.recovery.damages)}` : null);
      if (fault !== null) return { ...result, fault: `seed ${seed}, life ${life}: ${fault}` };
      result.torn += open.recovery.torn === null ? 0 : 1;
      known = open.texts;
      staged = await live(open.journal, disk, random, `${life}`, died);
      result.confirmed += staged.filter(({ isConfirmed }) => isConfirmed).length;
    }
    if (random.chance(0.15)) disk.kill();
    else disk.crash(random);
  }
  const last = await openJournal(wrap(disk), { segmentBytes });
  disk.crash(random);
  const again = await openJournal(wrap(disk), { segmentBytes });
  const fault = check(known, staged, last.texts) ?? check(last.texts, [], again.texts);
  return { ...result, fault: fault === null ? null : `seed ${seed}, at the end: ${fault}` };
}

/** Appends in bursts until the power fails or the run ends; its result is confirmed only before the loss. */
async function live(
  journal: Journal,
  disk: SimDisk,
  random: Random,
  life: string,
  died: Promise<void>,
): Promise<Staged[]> {
  const staged: Staged[] = [];
  const bursts = random.pick([1, 4, 30, 30]);
  for (let burst = 0; burst < bursts && !disk.isDead; burst++) {
    let last: AppendResult | null = null;
    const size = random.below(random.pick([8, 8, 8, 60]));
    for (let i = 0; i < size; i++) {
      const text = `${life}.${staged.length} ${'é'.repeat(random.below(random.pick([4, 100, 600, 600])))}`;
      const one: Staged = { text, isConfirmed: false };
      const appended = journal.append(random.chance(0.2) ? 'lazy' : 'unit', logOf(text), text);
      void appended.outcome.then(({ kind }) => {
        one.isConfirmed = kind === 'durable';
      });
      staged.push(one);
      last = appended;
    }
    if (last !== null && random.chance(0.5)) await Promise.race([journal.flushLazy(), died]);
    else for (let i = random.below(4); i > 0; i--) await turn();
  }
  if (random.chance(0.2)) await Promise.race([journal.close(), died]);
  return staged;
}

/** Expects the known records, then a prefix of later appends that includes everything confirmed. */
function check(known: readonly string[], staged: readonly Staged[], found: readonly string[]): string | null {
  const expected = [...known, ...staged.map(({ text }) => text)];
  const wrong = found.findIndex((text, i) => text !== expected[i]);
  if (wrong !== -1) return `record ${wrong} is ${show(found[wrong])}, not ${show(expected[wrong])}`;
  if (found.length < known.length) return `${show(known[found.length])} was there before and is lost`;
  const lost = staged.slice(found.length - known.length).find(({ isConfirmed }) => isConfirmed);
  return lost === undefined ? null : `${show(lost.text)} was confirmed and is lost`;
}

function show(text: string | undefined): string {
  return text === undefined ? 'nothing' : JSON.stringify(text.slice(0, 20));
}

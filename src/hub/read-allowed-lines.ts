/** The lines a view takes for somebody from whom something may be withheld: all of them are asked about, for no count knows which. */

import { isLineOf } from '../core/lines.ts';
import type { Gate } from './access/access.ts';
import { type LinesRead, pageBefore, type Reading, Taking } from './reading/log/read-lines.ts';
import { notWithheld } from './access/filter-withheld.ts';

const PAGE = 512;

/** Reads back to the first entry, so that neither how many lines are before nor whose they are tells of what is withheld. */
export async function readAllowedLines(gate: Gate, reading: Reading): Promise<LinesRead> {
  const { agentId, atSeq } = reading;
  const taking = new Taking(reading);
  /** By sender, its first line so far: the reading goes back. */
  const firsts = new Map<string, number>();
  let seen = 0;
  for (let at = atSeq; at >= 1; ) {
    const entries = await pageBefore(reading, at, Math.max(0, at - PAGE));
    const lines = entries.filter(({ envelope }) => isLineOf(envelope, agentId));
    for (const { envelope } of await notWithheld(gate, agentId, lines)) {
      seen += 1;
      taking.offer(envelope);
      firsts.set(envelope.sender_id, envelope.seq);
    }
    at -= entries.length;
  }
  const heardBefore = (seq: number): ReadonlySet<string> =>
    new Set([...firsts].filter(([, first]) => first < seq).map(([senderId]) => senderId));
  const { lines: taken, cutAt } = taking;
  return { taken: taken.toReversed(), earlier: seen - taken.length, cutAt, heardBefore };
}

/** Latency at a steady rate in an open loop: from when a post was due to its answer. */

import type { Figure } from '../figure.ts';
import { median } from '../pairs.ts';
import type { Latency } from './load.ts';
import type { Talk } from './orders.ts';
import { type Rigs, SESSIONS } from './rigs.ts';
import { millis, type WireSetting } from './setting.ts';

export const LATENCY_NAMES: readonly string[] = ['wire_ack_p99_vs_commit', 'wire_ack_p50_vs_commit'];

interface Sides {
  readonly commit: number;
  readonly parley: number;
}

const KINDS = ['commit', 'parley'] as const;
const NONE: Latency = { p50: Number.NaN, p99: Number.NaN };

/** Both get the same load: half of the hub's current capacity. */
export async function latency(rigs: Rigs, { sizes, note }: WireSetting): Promise<readonly Figure[]> {
  note('latency: an open loop at half of saturation');
  const talk = talkOf(rigs, sizes);
  const [p99, p50]: [Sides[], Sides[]] = [[], []];
  for (let round = 0; round < sizes.rounds; round++) {
    const rate = (await saturation(rigs, sizes)) / 2;
    const found: Record<keyof Sides, Latency> = { commit: NONE, parley: NONE };
    // Alternate who goes first.
    for (const kind of round % 2 === 0 ? KINDS : [...KINDS].reverse())
      found[kind] = await rigs.of(kind).paced(talk, rate);
    p99.push({ commit: found.commit.p99, parley: found.parley.p99 });
    p50.push({ commit: found.commit.p50, parley: found.parley.p50 });
  }
  return [
    figureOf('wire_ack_p99_vs_commit', 'p99', p99, 2, 1.3),
    figureOf('wire_ack_p50_vs_commit', 'p50', p50, null, null),
  ];
}

export function saturation(rigs: Rigs, sizes: WireSetting['sizes']): Promise<number> {
  const talk = { ...talkOf(rigs, sizes), ms: sizes.roundMs };
  return rigs.of('parley').closed(talk, talk.rooms * 8);
}

export function talkOf(rigs: Rigs, sizes: WireSetting['sizes']): Talk {
  return { layout: rigs.layoutOf[2], rooms: Math.min(SESSIONS, sizes.rooms), ms: sizes.pacedMs };
}

function figureOf(
  name: string,
  which: string,
  rounds: readonly Sides[],
  must: number | null,
  aim: number | null,
): Figure {
  return {
    name,
    what: `ack ${which} at half of what the hub can do, ${SESSIONS} sessions, open loop ÷ (c)`,
    measured: millis(median(rounds.map(({ parley }) => parley))),
    raw: millis(median(rounds.map(({ commit }) => commit))),
    value: median(rounds.map(({ parley, commit }) => parley / commit)),
    must,
    aim,
    better: 'less',
  };
}

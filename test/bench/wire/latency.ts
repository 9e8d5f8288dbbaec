/** How long an answer takes at a steady rate, in an open loop: from when a post was due to when its answer came. */

import type { Figure } from '../figure.ts';
import { median } from '../pairs.ts';
import { inTurn } from './in-turn.ts';
import { type Rigs, SESSIONS } from './rigs.ts';
import { millis, perSecond, type WireSetting } from './setting.ts';

export const LATENCY_NAMES: readonly string[] = ['wire_ack_p99_vs_commit', 'wire_ack_p50_vs_commit'];

/** Both get the same load: half of what the hub can do. */
export async function latency(rigs: Rigs, { sizes, note }: WireSetting): Promise<readonly Figure[]> {
  const rate = (await saturation(rigs, sizes)) / 2;
  note(`latency: an open loop of ${perSecond(rate)}`);
  const talk = talkOf(rigs, sizes);
  const middles: { readonly commit: number; readonly parley: number }[] = [];
  const p99 = (kind: 'commit' | 'parley', of: Record<string, number>) => async () => {
    const found = await rigs.by[kind].paced(talk, rate);
    of[kind] = found.p50;
    return found.p99;
  };
  const p50 = { commit: Number.NaN, parley: Number.NaN };
  const rounds = [];
  for (let round = 0; round < sizes.rounds; round++) {
    rounds.push(...(await inTurn(1, { commit: p99('commit', p50), parley: p99('parley', p50) })));
    middles.push({ ...p50 });
  }
  return [
    figureOf('wire_ack_p99_vs_commit', 'p99', rounds, 2, 1.3),
    figureOf('wire_ack_p50_vs_commit', 'p50', middles, null, null),
  ];
}

export async function saturation(rigs: Rigs, sizes: WireSetting['sizes']): Promise<number> {
  const rooms = Math.min(SESSIONS, sizes.rooms);
  const talk = { ...talkOf(rigs, sizes), ms: sizes.roundMs };
  const rounds = await inTurn(3, { parley: () => rigs.by.parley.closed(talk, rooms * 8) });
  return median(rounds.map(({ parley }) => parley));
}

export function talkOf(rigs: Rigs, sizes: WireSetting['sizes']): { layout: number; rooms: number; ms: number } {
  return { layout: rigs.layoutOf[2], rooms: Math.min(SESSIONS, sizes.rooms), ms: sizes.pacedMs };
}

function figureOf(
  name: string,
  which: string,
  rounds: readonly { readonly commit: number; readonly parley: number }[],
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

/** The result of a torture run, in some lines. */

import { LAWS } from './check.ts';
import type { TortureReport } from './torture.ts';

/** The number of faults per broken law. */
const SHOWN = 10;

export function summary({ verdict: v, ...r }: TortureReport): readonly string[] {
  return [
    `killed: hub ${r.hubKills} (and ${r.killedWhileStarting} while it started), client processes ${r.clientKills}`,
    `on the way: cut ${r.cuts} (in mid-frame ${r.cutsInMidFrame}), messages dropped ${r.dropped}, delayed ${r.delayed}, repeated ${r.repeated}`,
    `sessions ${v.sessions}, posted ${v.posted}, acked ${v.acked}, refused ${codes(v.refused)}, received ${v.received}, closes heard ${v.closes}, clients that ended by themselves ${r.ended.length}`,
    `acked lost ${v.lost.length}, doubled ${v.doubled.length}, out of order ${v.outOfOrder.length}, closes not heard ${v.closesUnheard.length}, never answered ${v.unanswered.length}, strange ${v.strange.length}`,
  ];
}

function codes(refused: Readonly<Record<string, number>>): string {
  const each = Object.entries(refused).map(([code, count]) => `${code} ${count}`);
  return each.length === 0 ? '0' : `(${each.join(', ')})`;
}

export function broken({ verdict, ended }: TortureReport): readonly string[] {
  const faults = LAWS.flatMap((law) => verdict[law].slice(0, SHOWN).map((fault) => `${law}: ${fault}`));
  return faults.length === 0 ? [] : [...faults, ...ended.slice(0, SHOWN).map((why) => `a client ended: ${why}`)];
}

/** Units that lie at other places than before: what the index says of them is changed. */

import type { Position } from '../../store/journal/journal-types.ts';
import { under, unitsKey } from '../../store/index/index-keys.ts';
import type { Overlay } from '../../store/index/overlay.ts';
import { decodePlace, decodeRun, encodePlace, encodeRun, type PlacedUnit, UNITS_PER_RUN } from './unit-places.ts';

export function movePlaces(overlay: Overlay, logId: string, place: (position: Position) => Position): void {
  const { from, to } = under('u', logId);
  for (const { key, value } of [...overlay.range(from, to)]) {
    const moved = decodeRun(value).map(({ firstSeq, position }) => ({ firstSeq, position: place(position) }));
    overlay.set(key, encodeRun(moved));
  }
}

export function moveAudits(overlay: Overlay, place: (position: Position) => Position): void {
  const { from, to } = under('a');
  for (const { key, value } of [...overlay.range(from, to)]) {
    const position = decodePlace(value);
    const moved = place(position);
    if (moved !== position) overlay.set(key, encodePlace(moved));
  }
}

/** These are all the units of the log; gives the first seq of its last run. */
export function replacePlaces(overlay: Overlay, logId: string, units: readonly PlacedUnit[]): number {
  const { from, to } = under('u', logId);
  for (const { key } of [...overlay.range(from, to)]) overlay.set(key, null);
  let lastRun = 0;
  for (let i = 0; i < units.length; i += UNITS_PER_RUN) {
    const run = units.slice(i, i + UNITS_PER_RUN);
    lastRun = run[0]?.firstSeq ?? lastRun;
    overlay.set(unitsKey(logId, lastRun), encodeRun(run));
  }
  return lastRun;
}

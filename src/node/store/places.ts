/** Finds the units that hold a range of a log. */

import type { ReadRange } from '../../core/ports/store.ts';
import { after, under, unitsKey } from '../../store/index/index-keys.ts';
import type { Overlay } from '../../store/index/overlay.ts';
import { decodeRun, type PlacedUnit } from './unit-places.ts';

/** In the order of the range; enough of them for its limit. */
export function unitsIn(
  overlay: Overlay,
  logId: string,
  { from_seq, to_seq, limit, reverse }: BoundRange,
): PlacedUnit[] {
  if (to_seq < from_seq || limit <= 0) return [];
  return reverse
    ? backwards(overlay, logId, from_seq, to_seq, limit)
    : forwards(overlay, logId, from_seq, to_seq, limit);
}

export type BoundRange = Required<ReadRange>;

function forwards(overlay: Overlay, logId: string, from: number, to: number, limit: number): PlacedUnit[] {
  const found: PlacedUnit[] = [];
  const start = runWith(overlay, logId, from);
  const last = Math.min(to, from + limit - 1);
  for (const { value } of overlay.range(start, after(unitsKey(logId, last)))) {
    for (const unit of decodeRun(value)) {
      // The one before the first that begins behind `from` holds it.
      if (unit.firstSeq <= from) found.length = 0;
      if (unit.firstSeq <= last) found.push(unit);
    }
  }
  return found;
}

function backwards(overlay: Overlay, logId: string, from: number, to: number, limit: number): PlacedUnit[] {
  const found: PlacedUnit[] = [];
  const first = Math.max(from, to - limit + 1);
  const { from: beginning } = under('u', logId);
  for (const { value } of overlay.range(beginning, after(unitsKey(logId, to)), { reverse: true })) {
    for (const unit of decodeRun(value).reverse()) {
      if (unit.firstSeq > to) continue;
      found.push(unit);
      if (unit.firstSeq <= first) return found;
    }
  }
  return found;
}

/** The key of the run that holds this seq. */
function runWith(overlay: Overlay, logId: string, seq: number): string {
  const { from } = under('u', logId);
  for (const { key } of overlay.range(from, after(unitsKey(logId, seq)), { reverse: true })) return key;
  return from;
}

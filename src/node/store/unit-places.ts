/** Where the units of a log lie in the journal: runs of (first seq, segment, offset), a bounded number in each. */

import type { Position } from '../../store/journal/journal-types.ts';

/** Enough that a long log needs few runs, few enough that writing an open one again costs little. */
export const UNITS_PER_RUN = 64;

export interface PlacedUnit {
  readonly firstSeq: number;
  readonly position: Position;
}

export function encodeRun(units: readonly PlacedUnit[]): Uint8Array {
  const run = Buffer.allocUnsafe(units.length * 12);
  // A view costs a third of what the methods of a buffer do, and every unit is written here once or more.
  const view = new DataView(run.buffer, run.byteOffset, run.length);
  let at = 0;
  for (const { firstSeq, position } of units) {
    view.setInt32(at, firstSeq, true);
    view.setInt32(at + 4, position.segment, true);
    view.setUint32(at + 8, position.offset, true);
    at += 12;
  }
  return run;
}

export function decodeRun(bytes: Uint8Array): PlacedUnit[] {
  const run = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: run.length / 12 }, (_, i) => ({
    firstSeq: run.readInt32LE(i * 12),
    position: { segment: run.readInt32LE(i * 12 + 4), offset: run.readUInt32LE(i * 12 + 8) },
  }));
}

export function encodePlace({ segment, offset }: Position): Uint8Array {
  const place = Buffer.allocUnsafe(8);
  place.writeInt32LE(segment, 0);
  place.writeUInt32LE(offset, 4);
  return place;
}

export function decodePlace(bytes: Uint8Array): Position {
  const place = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { segment: place.readInt32LE(0), offset: place.readUInt32LE(4) };
}

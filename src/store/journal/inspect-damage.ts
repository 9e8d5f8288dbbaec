/** Looks at the bytes of damage: is the journal damaged at a place, and which logs have lost the headers of their records? */

import type { Damage } from './damage.ts';
import { type Files, readChunks, segmentName, withSegment } from './files.ts';
import type { Position } from './journal-types.ts';
import { RECORD_HEADER_BYTES } from './record.ts';
import { scanJournal, scanWhole } from './scan.ts';

/** How append() begins the text of a unit. */
const UNIT_START = /\{"entries":\[\{"envelope":\{"session_id":"([\w.-]{1,64})"/g;
/** More than a header and the beginning of a unit. */
const OVERLAP_BYTES = 256;

/** False = the journal is sound there, and the caller looked at the wrong place. `end`: where what is confirmed ends. */
export async function isDamagedAt(files: Files, { segment, offset }: Position, end: Position): Promise<boolean> {
  // A file that is gone is damage.
  if (!(await files.list()).includes(segmentName(segment))) return true;
  const damages = await damagesIn(files, segment, end);
  return damages.some(({ from, to }) => from.offset <= offset && (to.segment !== segment || offset < to.offset));
}

async function damagesIn(files: Files, segment: number, end: Position): Promise<readonly Damage[]> {
  if (segment < 0) return (await withSegment(files, segment, (file) => scanWhole(file, segment))).damages;
  const size = await withSegment(files, segment, (file) => file.size());
  const until = segment === end.segment ? end : { segment, offset: size };
  return (await scanJournal(files, { from: { segment, offset: 0 }, until })).damages;
}

/** Adds the logs whose records lost their headers: the text of a unit begins with the log it belongs to. */
export function nameLostLogs(files: Files, damages: readonly Damage[]): Promise<readonly Damage[]> {
  return Promise.all(damages.map((damage) => (damage.unknown ? withLostLogs(files, damage) : damage)));
}

/** Damage within one file has bytes to look at; a file that is gone has none. */
async function withLostLogs(files: Files, damage: Damage): Promise<Damage> {
  const { from, to } = damage;
  if (from.segment !== to.segment || from.offset === to.offset) return damage;
  const names = new Set(damage.logIds);
  await withSegment(files, from.segment, async (file) => {
    for await (const { bytes } of readChunks(file, from.offset, to.offset, OVERLAP_BYTES)) {
      for (const name of namesIn(bytes)) names.add(name);
    }
  });
  return { ...damage, logIds: [...names] };
}

function* namesIn(bytes: Uint8Array): Generator<string, void, void> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  for (const { index, 1: name } of text.matchAll(UNIT_START)) {
    if (name !== undefined && isBehindHeader(bytes, index)) yield name;
  }
}

/** What a client wrote can look like a unit, but not like the header before it: JSON has no bytes below 0x20. */
function isBehindHeader(bytes: Uint8Array, at: number): boolean {
  return bytes.subarray(Math.max(0, at - RECORD_HEADER_BYTES), at).some((byte) => byte < 0x20);
}

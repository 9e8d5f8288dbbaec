/** Names the logs whose records lost their headers: the text of a unit begins with the log it belongs to. */

import type { Files } from '../../node/journal/files.ts';
import type { Damage } from './journal-types.ts';
import { RECORD_HEADER_BYTES } from './record.ts';
import { withSegment } from '../../node/journal/segments.ts';

/** How append() begins the text of a unit. */
const UNIT_START = /\{"entries":\[\{"envelope":\{"session_id":"([\w.-]{1,64})"/g;
/** More than a header and the beginning of a unit. */
const OVERLAP_BYTES = 256;
const CHUNK_BYTES = 1024 * 1024;

export function nameLostLogs(files: Files, damages: readonly Damage[]): Promise<readonly Damage[]> {
  return Promise.all(damages.map((damage) => (damage.unknown ? withLostLogs(files, damage) : damage)));
}

/** Damage within one file has bytes to look at; a file that is gone has none. */
async function withLostLogs(files: Files, damage: Damage): Promise<Damage> {
  const { from, to } = damage;
  if (from.segment !== to.segment || from.offset === to.offset) return damage;
  const names = new Set(damage.logIds);
  await withSegment(files, from.segment, async (file) => {
    for (let at = from.offset; at < to.offset; at += CHUNK_BYTES) {
      const bytes = await file.read(at, Math.min(CHUNK_BYTES + OVERLAP_BYTES, to.offset - at));
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

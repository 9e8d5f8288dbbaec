/** Inspects damage: its range in the files, the affected logs, and whether it is already quarantined. */

import { type Files, readChunks, segmentName, withSegment } from './files.ts';
import { type Damage, isBefore, type Position, type PositionRange } from './journal-types.ts';
import { RECORD_HEADER_BYTES } from './record.ts';
import { scanJournal, scanWhole } from './scan.ts';

/** Matches the beginning of a unit's text, as append() writes it. */
const UNIT_START = /\{"entries":\[\{"envelope":\{"session_id":"([\w.-]{1,64})"/g;
/** Overlap of chunks: more than a header and the beginning of a unit. */
const OVERLAP_BYTES = 256;

/** A damaged part of the journal, as operators see it. */
export interface DamagedRange {
  /** The file in the folder `journal`, and the bytes in it. */
  readonly file: string;
  readonly begin: number;
  readonly end: number;
  /** The affected logs, or `audit`, `cursors`, `meta`. */
  readonly logs: readonly string[];
  /** True if headers were lost too: other logs may be affected. */
  readonly others: boolean;
}

export function toDamagedRange({ from, to, logIds, unknown }: Damage): DamagedRange {
  // Damage that spans files is a missing part of the journal and has no bytes.
  const end = to.segment === from.segment ? to.offset : from.offset;
  return { file: segmentName(from.segment), begin: from.offset, end, logs: logIds, others: unknown };
}

/** Describes a missing file, whose logs are unknown. */
export function lostFile(segment: number): Damage {
  return { from: { segment, offset: 0 }, to: { segment, offset: 0 }, logIds: [], unknown: true };
}

/** True if all of the damage lies within one quarantined range. */
export function isQuarantined(quarantined: readonly PositionRange[], damage: Damage): boolean {
  return quarantined.some(({ from, to }) => !isBefore(damage.from, from) && !isBefore(to, damage.to));
}

/** False if the journal is intact at this position, so the caller's position is wrong. `end`: the confirmed end. */
export async function isDamagedAt(files: Files, { segment, offset }: Position, end: Position): Promise<boolean> {
  // A missing file counts as damage.
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

/** Adds logs whose records lost their headers: the text of a unit begins with its log id. */
export function nameLostLogs(files: Files, damages: readonly Damage[]): Promise<readonly Damage[]> {
  return Promise.all(damages.map((damage) => (damage.unknown ? withLostLogs(files, damage) : damage)));
}

/** Inspects damage within one existing file; other damage has no bytes to inspect. */
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

/** True if a header precedes. A client can imitate the text of a unit, but no header: JSON has no bytes below 0x20. */
function isBehindHeader(bytes: Uint8Array, at: number): boolean {
  return bytes.subarray(Math.max(0, at - RECORD_HEADER_BYTES), at).some((byte) => byte < 0x20);
}

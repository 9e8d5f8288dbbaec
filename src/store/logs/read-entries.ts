/** Reads the durable and intact part of a range of a log from the journal. */

import type { ReadRange } from '../../core/ports/store.ts';
import type { Entry, Unit } from '../../core/records/session/unit.ts';
import type { LogRecord } from '../index/log-record.ts';
import { DamagedIndex } from '../index/ordered-index.ts';
import type { Overlay } from '../index/overlay.ts';
import { type BoundRange, findUnits, type PlacedUnit } from '../index/unit-positions.ts';
import type { Journal } from '../journal/journal.ts';
import { DamagedRecord, type JournalRecord, type Position } from '../journal/journal-types.ts';

export interface ReadResult {
  readonly entries: readonly Entry[];
  /** The first unit that is damaged or not at its indexed position; null if all units are intact. */
  readonly damage: { readonly fromSeq: number; readonly position: Position; readonly error: Error } | null;
}

export async function readEntries(
  journal: Journal,
  overlay: Overlay,
  logId: string,
  { seq, damagedFrom }: LogRecord,
  { from_seq, to_seq = Number.POSITIVE_INFINITY, limit, reverse = false }: ReadRange,
): Promise<ReadResult> {
  const last = Math.min(seq, to_seq, (damagedFrom ?? Number.POSITIVE_INFINITY) - 1);
  const range = { from_seq: Math.max(1, from_seq), to_seq: last, limit, reverse };
  const { units, damage } = await readUnits(journal, logId, findUnits(overlay, logId, range));
  if (reverse && damage !== null) units.reverse();
  const entries = units.flatMap((unit) => (reverse ? [...unit.entries].reverse() : unit.entries));
  const asked = entries
    .filter(({ envelope }) => envelope.seq >= range.from_seq && envelope.seq <= last)
    .slice(0, limit);
  if (damage === null) assertWhole(logId, asked, range);
  return { entries: asked, damage };
}

/** Throws if entries are missing: the index has the length of the log, so its positions are damaged. */
function assertWhole(logId: string, entries: readonly Entry[], { from_seq, to_seq, limit, reverse }: BoundRange): void {
  const count = Math.max(0, Math.min(limit, to_seq - from_seq + 1));
  const isWhole = entries.every(({ envelope }, i) => envelope.seq === (reverse ? to_seq - i : from_seq + i));
  if (entries.length === count && isWhole) return;
  throw new DamagedIndex(`it does not know where seq ${from_seq} to ${to_seq} of log ${logId} are`);
}

interface ReadUnits {
  readonly units: Unit[];
  readonly damage: ReadResult['damage'];
}

async function readUnits(journal: Journal, logId: string, placed: readonly PlacedUnit[]): Promise<ReadUnits> {
  try {
    const records = await journal.readMany(placed.map(({ position }) => position));
    return { units: records.map((record, i) => unitOf(record, logId, placed[i])), damage: null };
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown;
    return readUpToDamage(journal, logId, placed);
  }
}

/** Reads, in log order, the units before the first damaged one. */
async function readUpToDamage(journal: Journal, logId: string, placed: readonly PlacedUnit[]): Promise<ReadUnits> {
  const units: Unit[] = [];
  for (const unit of [...placed].sort((a, b) => a.firstSeq - b.firstSeq)) {
    try {
      units.push(unitOf(await journal.read(unit.position), logId, unit));
    } catch (thrown) {
      if (!isDamage(thrown)) throw thrown;
      return { units, damage: { fromSeq: unit.firstSeq, position: unit.position, error: thrown } };
    }
  }
  return { units, damage: null };
}

/** True if the error means that a record is damaged or its file is missing. */
function isDamage(thrown: unknown): thrown is Error {
  return thrown instanceof DamagedRecord || (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT');
}

/** Parses a unit. An intact record of a different unit counts as damaged. */
function unitOf({ logId, text }: JournalRecord, expected: string, placed: PlacedUnit | undefined): Unit {
  // append() wrote this, and the checksum matches.
  const unit = JSON.parse(text) as Unit;
  if (placed === undefined) return unit;
  if (logId !== expected || unit.entries[0]?.envelope.seq !== placed.firstSeq) {
    throw new DamagedRecord(placed.position, expected);
  }
  return unit;
}

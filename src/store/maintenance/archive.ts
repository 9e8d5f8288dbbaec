/** Moves ended sessions from the journal to the compressed archive; they stay readable. */

import { HubError } from '../../core/lib/errors.ts';
import { describeValue } from '../../core/lib/json.ts';
import { msFromIso } from '../../core/lib/time.ts';
import { MOVED_FAMILY, type MovedLog } from '../catalogue/store-operations.ts';
import { after, lastPart, orderAt, unarchivedBefore } from '../index/index-keys.ts';
import { firstUnits, type PlacedUnit } from '../index/unit-positions.ts';
import { listArchives, listSegments, withSegment } from '../journal/files.ts';
import type { PlacedRecord } from '../journal/journal-types.ts';
import { RecordFile } from '../journal/record-file.ts';
import { compactSegment } from './compact-segment.ts';
import type { MaintenanceOptions, StoreInternals } from './maintenance-types.ts';
import { Purge } from './purge.ts';

export interface ArchiveOptions extends MaintenanceOptions {
  /** Only sessions that ended before this time (ISO). */
  readonly endedBefore: string;
}

export interface ArchiveResult {
  readonly sessions: number;
  /** Bytes removed from the journal, minus bytes added to the archive. */
  readonly freedBytes: number;
}

/** Size of one archive file; bounds memory while it is written. */
const ARCHIVE_BYTES = 64 * 1024 * 1024;
const UNITS_PER_READ = 256;

export async function archiveEnded(parts: StoreInternals, options: ArchiveOptions): Promise<ArchiveResult> {
  const endedBeforeMs = parseTime(options?.endedBefore);
  const { onProgress } = options;
  const purge = await Purge.of(parts, endedBeforeMs);
  if (!isAnything(parts, endedBeforeMs) && (await purge.files()).size === 0) return { sessions: 0, freedBytes: 0 };
  try {
    const sealed = await sealSegments(parts);
    const archived = await archiveSealed(parts, endedBeforeMs, sealed, purge, onProgress);
    const purgedBytes = await purgeSealed(parts, sealed, purge);
    purge.clean();
    return { ...archived, freedBytes: archived.freedBytes + purgedBytes };
  } catch (thrown) {
    // The index may no longer match the files.
    parts.catalogue.archive.invalidate();
    throw thrown;
  }
}

async function archiveSealed(
  parts: StoreInternals,
  endedBeforeMs: number,
  sealed: ReadonlySet<number>,
  purge: Purge,
  onProgress: ArchiveOptions['onProgress'],
): Promise<ArchiveResult> {
  let [sessions, freedBytes] = [0, 0];
  for (;;) {
    const moved = await moveSome(parts, endedBeforeMs, sealed, purge);
    sessions += moved.sessions;
    freedBytes -= moved.bytes;
    const { leftovers } = parts.catalogue.archive;
    for (const segment of moved.segments) leftovers.add(segment);
    const segments = [...leftovers].filter((segment) => sealed.has(segment)).sort((a, b) => a - b);
    const isDropped = droppedRecords(parts);
    const sizes = await Promise.all(
      segments.map((segment) => withSegment(parts.files, segment, (file) => file.size())),
    );
    const of = sizes.reduce((sum, size) => sum + size, moved.bytes);
    let bytes = moved.bytes;
    if (of > 0) onProgress?.({ bytes, of });
    for (const [i, segment] of segments.entries()) {
      freedBytes += await compactSegment(parts, segment, isDropped);
      bytes += sizes[i] ?? 0;
      onProgress?.({ bytes, of });
    }
    parts.catalogue.archive.isMoving = false;
    await parts.settle();
    if (moved.sessions === 0) return { sessions, freedBytes };
  }
}

/** Rewrites archive files and sealed segments that still hold redacted content. Returns the bytes freed. */
async function purgeSealed(parts: StoreInternals, sealed: ReadonlySet<number>, purge: Purge): Promise<number> {
  const { catalogue } = parts;
  const files = [...(await purge.files())].filter((file) => file < 0 || sealed.has(file));
  if (files.length === 0) return 0;
  catalogue.archive.isMoving = true;
  await parts.settle();
  let freedBytes = 0;
  const isDropped = droppedRecords(parts);
  for (const file of files) {
    freedBytes += await compactSegment(parts, file, file < 0 ? () => false : isDropped, purge.text);
  }
  catalogue.archive.isMoving = false;
  await parts.settle();
  return freedBytes;
}

/** True if there is work. Sealing without work would add a segment at each call. */
function isAnything({ catalogue }: StoreInternals, endedBeforeMs: number): boolean {
  catalogue.show();
  const { from, to } = unarchivedBefore(endedBeforeMs);
  for (const _ of catalogue.overlay.range(from, to)) return true;
  return catalogue.archive.leftovers.size > 0;
}

function parseTime(text: unknown): number {
  const ms = typeof text === 'string' ? msFromIso(text) : Number.NaN;
  if (Number.isFinite(ms)) return ms;
  throw new HubError(
    'bad_options',
    `endedBefore: expected a time like 2026-01-31T12:00:00.000Z, got ${describeValue(text)}`,
  );
}

/** Seals all existing segments and ensures that a start needs none of them. Returns their numbers. */
async function sealSegments(parts: StoreInternals): Promise<ReadonlySet<number>> {
  await parts.settle();
  await parts.journal.roll();
  // Write the current cursors again, so that those in old segments can be dropped.
  const { end } = parts.journal;
  await parts.dumpCursors();
  await parts.settle();
  return new Set((await listSegments(parts.files)).filter((segment) => segment < end.segment));
}

/** Returns a predicate that is true for records to drop: old cursors and units of archived sessions. */
function droppedRecords({ catalogue }: StoreInternals): (record: PlacedRecord) => boolean {
  const known = new Map<string, ReadonlySet<string> | null>();
  return ({ kind, logId, position }) => {
    if (kind !== 'unit') return logId === 'cursors';
    let beside = known.get(logId);
    if (beside === undefined) {
      beside = catalogue.positionsBesideArchive(logId);
      known.set(logId, beside);
    }
    return beside !== null && !beside.has(orderAt(position));
  };
}

interface Moved {
  readonly sessions: number;
  readonly segments: ReadonlySet<number>;
  readonly bytes: number;
}

/** Copies sessions to one archive file. Until their segments are rewritten, both contain them. */
async function moveSome(
  parts: StoreInternals,
  endedBeforeMs: number,
  sealed: ReadonlySet<number>,
  purge: Purge,
): Promise<Moved> {
  const { files, catalogue } = parts;
  catalogue.show();
  const number = Math.min(0, ...(await listArchives(files))) - 1;
  const placed = new Map<string, readonly PlacedUnit[]>();
  const segments = new Set<number>();
  const part = await RecordFile.create(files, number);
  let { from } = unarchivedBefore(endedBeforeMs);
  const { to } = unarchivedBefore(endedBeforeMs);
  for (let key = next(); key !== null && part.bytes < ARCHIVE_BYTES; key = next()) {
    from = after(key);
    const logId = lastPart(key);
    const units = unitsOf(parts, logId);
    if (units?.some(({ position }) => position.segment < 0)) catalogue.excludeFromArchive(logId);
    if (units === null || units.some(({ position }) => !sealed.has(position.segment))) continue;
    placed.set(logId, await copyLog(parts, part, purge, logId, units));
    for (const { position } of units) segments.add(position.segment);
  }
  if (placed.size === 0) {
    await part.discard();
    catalogue.archive.isMoving = catalogue.archive.leftovers.size > 0;
    await parts.settle();
    return { sessions: 0, segments, bytes: 0 };
  }
  const { bytes } = part;
  await part.finish(1, { compacted: false });
  await part.publish();
  catalogue.archive.isMoving = true;
  await parts.settle();
  for (const [logId, units] of placed) catalogue.moveToArchive(logId, units);
  catalogue.recordArchive(number);
  return { sessions: placed.size, segments, bytes };

  function next(): string | null {
    for (const { key } of catalogue.overlay.range(from, to)) return key;
    return null;
  }
}

/** The units of a log; null if it is damaged and must stay in the journal. */
function unitsOf({ catalogue }: StoreInternals, logId: string): readonly PlacedUnit[] | null {
  const record = catalogue.record(logId);
  if (record === null || record.damagedFrom !== null) return null;
  catalogue.showPositions(logId);
  return firstUnits(catalogue.overlay, logId, record.seq);
}

async function copyLog(
  { journal, catalogue }: StoreInternals,
  part: RecordFile,
  purge: Purge,
  log_id: string,
  units: readonly PlacedUnit[],
): Promise<readonly PlacedUnit[]> {
  const { order, epoch } = catalogue.record(log_id) ?? { order: '', epoch: 1 };
  const about: MovedLog = { log_id, order, epoch, archived_at: journal.end };
  await part.add('lazy', MOVED_FAMILY, JSON.stringify(about));
  const copied: PlacedUnit[] = [];
  for (let i = 0; i < units.length; i += UNITS_PER_READ) {
    const some = units.slice(i, i + UNITS_PER_READ);
    const records = await journal.readMany(some.map(({ position }) => position));
    for (const [j, { text }] of records.entries()) {
      copied.push({
        firstSeq: some[j]?.firstSeq ?? 0,
        position: await part.add('packed', log_id, purge.text(log_id, text)),
      });
    }
  }
  return copied;
}

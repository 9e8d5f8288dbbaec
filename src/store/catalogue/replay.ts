/** Rebuilds a catalogue from journal records alone. */

import type { Unit } from '../../core/records/session/unit.ts';
import { lastPart, under } from '../index/index-keys.ts';
import { decodeRecord } from '../index/log-record.ts';
import type { Overlay } from '../index/overlay.ts';
import { lostFile } from '../journal/damage.ts';
import { type Files, listArchives, withSegment } from '../journal/files.ts';
import { type Damage, isBefore, type PlacedRecord, type Position } from '../journal/journal-types.ts';
import { scanWhole } from '../journal/scan.ts';
import type { Catalogue } from './catalogue.ts';
import {
  isFamily,
  type LazyRecord,
  MOVED_FAMILY,
  type MovedLog,
  OPERATIONS_FAMILY,
  type StoreOperation,
} from './store-operations.ts';

/** Applies one record without validation: the store wrote it and its checksum matches. */
export function applyRecord(catalogue: Catalogue, { kind, logId, text, position, bytes }: PlacedRecord): void {
  if (kind === 'unit') catalogue.recover(logId, JSON.parse(text) as Unit, position);
  else if (logId === 'audit') catalogue.audit(catalogue.nextAudit(), position);
  else if (logId === OPERATIONS_FAMILY) applyOperation(catalogue, JSON.parse(text) as StoreOperation);
  else if (logId === MOVED_FAMILY) catalogue.archive.expectMoved(JSON.parse(text) as MovedLog);
  else applyLazy(catalogue, logId, text);
  catalogue.advanceTo({ segment: position.segment, offset: position.offset + bytes });
}

/** Reads the archives before the journal, so that leftover units in the journal are recognised. */
export async function recoverArchives(files: Files, catalogue: Catalogue): Promise<readonly Damage[]> {
  const damages: Damage[] = [];
  let expected = -1;
  for (const archive of await listArchives(files)) {
    // Archive numbers have no gaps: a missing number is a lost file.
    for (; expected > archive; expected--) damages.push(lostFile(expected));
    expected = archive - 1;
    const onRecord = ({ kind, logId, text, position }: PlacedRecord): void => {
      if (kind === 'unit') catalogue.recover(logId, JSON.parse(text) as Unit, position);
      else if (logId === MOVED_FAMILY) catalogue.archive.expectMoved(JSON.parse(text) as MovedLog);
    };
    const scanned = await withSegment(files, archive, (file) => scanWhole(file, archive, { onRecord }));
    damages.push(...scanned.damages);
    // Without a mark, the content of the file is unknown.
    if (scanned.lastMark === null) damages.push(lostFile(archive));
    catalogue.recordArchive(archive);
    await catalogue.commit();
  }
  return damages;
}

/** Marks the logs named in the damage: if only the last unit of a log is damaged, no missing seq reveals it. */
export function markDamaged(catalogue: Catalogue, damages: readonly Damage[]): void {
  for (const { logIds, to, from } of damages) {
    for (const logId of logIds) {
      // Skip a log archived after the damage: it had been repaired, or was not affected.
      if (isFamily(logId) || (to.segment > 0 && catalogue.archive.wasArchivedAfter(logId, to))) continue;
      const record = catalogue.record(logId);
      if (record?.repairedAt != null && isBefore(to, record.repairedAt)) continue;
      if (record?.damagedFrom == null) catalogue.markDamaged(logId, (record?.seq ?? 0) + 1, from);
    }
  }
}

/** The last seq of each log, according to an index about to be discarded. */
export function confirmedSeqs(overlay: Overlay): ReadonlyMap<string, number> {
  const seqs = new Map<string, number>();
  const { from, to } = under('s');
  for (const { key, value } of overlay.range(from, to)) seqs.set(lastPart(key), decodeRecord(value).seq);
  return seqs;
}

/** Marks logs whose confirmed seq is higher than their last seq in the journal: entries are missing. */
export function markMissing(catalogue: Catalogue, confirmed: ReadonlyMap<string, number>, at: Position): void {
  for (const [logId, seq] of confirmed) {
    const found = catalogue.record(logId)?.seq ?? 0;
    if (found < seq) catalogue.markDamaged(logId, found + 1, at);
  }
}

export function applyOperation(catalogue: Catalogue, operation: StoreOperation): void {
  const { at } = operation;
  switch (operation.operation) {
    case 'repaired':
      // The archived copy already includes this repair.
      if (catalogue.archive.wasArchivedAfter(operation.log_id, at)) return;
      return catalogue.hot(operation.log_id).replace(operation.record && { ...operation.record, repairedAt: at });
    case 'restored':
      return catalogue.addRestore(at, operation.epoch);
    case 'set_aside':
      return catalogue.quarantine(operation.places, operation.audited);
  }
}

/** Ignores unknown families: only newer programs write them, and the format check rejects their folders. */
function applyLazy(catalogue: Catalogue, family: string, text: string): void {
  // lazyText wrote this, and the checksum matches.
  const record = { family, ...(JSON.parse(text) as object) } as LazyRecord;
  switch (record.family) {
    case 'cursors':
      if (record.all === true) catalogue.dropAllCursors();
      for (const cursor of record.save) catalogue.saveCursor(cursor);
      for (const { agent_id, session_id } of record.drop) catalogue.dropCursor(agent_id, session_id);
      break;
    case 'meta':
      catalogue.setMeta(record.name, JSON.stringify(record.value));
      break;
  }
}

/** Reads records of the journal into a catalogue: what it knows then follows from them alone. */

import type { Unit } from '../../core/records/session/unit.ts';
import { lastPart, under } from '../index/index-keys.ts';
import { decodeRecord } from '../index/log-record.ts';
import type { Overlay } from '../index/overlay.ts';
import { type Damage, lostFile } from '../journal/damage.ts';
import { type Files, listArchives, withSegment } from '../journal/files.ts';
import { isBefore, type PlacedRecord, type Position } from '../journal/journal-types.ts';
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

/** All of it was written by the store, and the checksum is right. */
export function applyRecord(catalogue: Catalogue, { kind, logId, text, position, bytes }: PlacedRecord): void {
  if (kind === 'unit') catalogue.recover(logId, JSON.parse(text) as Unit, position);
  else if (logId === 'audit') catalogue.audit(catalogue.nextAudit(), position);
  else if (logId === OPERATIONS_FAMILY) applyOperation(catalogue, JSON.parse(text) as StoreOperation);
  else if (logId === MOVED_FAMILY) catalogue.archive.expectMoved(JSON.parse(text) as MovedLog);
  else applyLazy(catalogue, logId, text);
  catalogue.advanceTo({ segment: position.segment, offset: position.offset + bytes });
}

/** Archived sessions come first: what the journal still has of them is known then. */
export async function recoverArchives(files: Files, catalogue: Catalogue): Promise<readonly Damage[]> {
  const damages: Damage[] = [];
  let expected = -1;
  for (const archive of await listArchives(files)) {
    // They are numbered without gaps: one that is missing was there.
    for (; expected > archive; expected--) damages.push(lostFile(expected));
    expected = archive - 1;
    const onRecord = ({ kind, logId, text, position }: PlacedRecord): void => {
      if (kind === 'unit') catalogue.recover(logId, JSON.parse(text) as Unit, position);
      else if (logId === MOVED_FAMILY) catalogue.archive.expectMoved(JSON.parse(text) as MovedLog);
    };
    const scanned = await withSegment(files, archive, (file) => scanWhole(file, archive, { onRecord }));
    damages.push(...scanned.damages);
    // Without its mark nothing says what was in it.
    if (scanned.lastMark === null) damages.push(lostFile(archive));
    catalogue.recordArchive(archive);
    await catalogue.commit();
  }
  return damages;
}

/** A log whose damaged unit was its last one has no hole by which it would be noticed. */
export function markDamaged(catalogue: Catalogue, damages: readonly Damage[]): void {
  for (const { logIds, to, from } of damages) {
    for (const logId of logIds) {
      // What was archived after that had been repaired, or was never touched.
      if (isFamily(logId) || (to.segment > 0 && catalogue.archive.wasArchivedAfter(logId, to))) continue;
      const record = catalogue.record(logId);
      if (record?.repairedAt != null && isBefore(to, record.repairedAt)) continue;
      if (record?.damagedFrom == null) catalogue.markDamaged(logId, (record?.seq ?? 0) + 1, from);
    }
  }
}

/** How far each log goes, by an index that is given up. */
export function confirmedSeqs(overlay: Overlay): ReadonlyMap<string, number> {
  const seqs = new Map<string, number>();
  const { from, to } = under('s');
  for (const { key, value } of overlay.range(from, to)) seqs.set(lastPart(key), decodeRecord(value).seq);
  return seqs;
}

/** Logs that had gone further than the journal does now: a part of it is gone. */
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
      // It was archived as it was after that.
      if (catalogue.archive.wasArchivedAfter(operation.log_id, at)) return;
      return catalogue.hot(operation.log_id).replace(operation.record && { ...operation.record, repairedAt: at });
    case 'restored':
      return catalogue.addRestore(at, operation.epoch);
    case 'set_aside':
      return catalogue.quarantine(operation.places, operation.audited);
  }
}

/** Applies a record found in the journal. A family that is not known is from a newer program, which says so by its format. */
function applyLazy(catalogue: Catalogue, family: string, text: string): void {
  // Written by lazyText; the checksum says that it is whole.
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

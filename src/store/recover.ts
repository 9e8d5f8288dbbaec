/** Recovers a store from its files: opens the index, replays newer journal records and reports damage. */

import type { JsonObject } from '../core/lib/json.ts';
import { isoFromMs } from '../core/lib/time.ts';
import type { Logger } from '../core/ports/platform.ts';
import type { Store } from '../core/ports/store.ts';
import { systemClock } from '../system/clock.ts';
import { Catalogue } from './catalogue/catalogue.ts';
import { applyRecord, confirmedSeqs, markDamaged, markMissing, recoverArchives } from './catalogue/replay.ts';
import { type DamagedLog, damagedLogs } from './catalogue/session-lists.ts';
import { DurableStore, type StorePorts } from './durable-store.ts';
import { type Checkpoint, emptyCheckpoint, readCheckpoint } from './index/checkpoint.ts';
import type { OrderedIndex } from './index/ordered-index.ts';
import { Overlay } from './index/overlay.ts';
import { isQuarantined, nameLostLogs } from './journal/damage.ts';
import { type Files, listArchives, listSegments, PART_SUFFIX, withSegment } from './journal/files.ts';
import { Journal, type JournalOptions, type Recovery } from './journal/journal.ts';
import type { Damage, OnProgress } from './journal/journal-types.ts';

/** Records between index writes; bounds the memory of a rebuild. */
const RECORDS_PER_COMMIT = 20_000;

export interface StoreParts {
  readonly files: Files;
  readonly index: OrderedIndex;
  /** An index with a different journal id is discarded. */
  readonly journalId: string;
  readonly ports: StorePorts;
  readonly segmentBytes?: number | undefined;
  readonly defer?: JournalOptions['defer'];
  readonly onProgress?: OnProgress | undefined;
}

export interface StoreRecovery {
  /** The incomplete last write that recovery cut off; it was never confirmed. null if there was none. */
  readonly torn: Recovery['torn'];
  /** Damage to confirmed data; recovery removes none of it. */
  readonly damages: readonly Damage[];
  /** All damaged logs, including those found by earlier starts. */
  readonly damagedLogs: readonly DamagedLog[];
  /** Number of records read from the journal because the index lacked them. */
  readonly replayed: number;
  /** True if the index was unusable and was rebuilt. */
  readonly rebuilt: boolean;
  /** True if the rebuild was planned: archiving purged redacted content that the index may have held. */
  readonly renewed: boolean;
}

export async function recoverStore(parts: StoreParts): Promise<{ store: DurableStore; recovery: StoreRecovery }> {
  const { files, index, journalId, segmentBytes, defer, onProgress, ports } = parts;
  const last = readCheckpoint(index, journalId);
  const known = await usableCheckpoint(files, last);
  const overlay = new Overlay(index);
  // The old index still knows the confirmed seqs if the journal lost entries.
  const confirmed = known === null && last !== null ? confirmedSeqs(overlay) : new Map<string, number>();
  if (known === null) await overlay.clear();
  const catalogue = new Catalogue(overlay, known ?? emptyCheckpoint(journalId));
  await removeParts(files);
  // Moved logs are tracked only in memory, so an interrupted rebuild must start over.
  catalogue.archive.isMoving = known === null;
  const archiveDamages = known === null ? await recoverArchives(files, catalogue) : [];
  let waiting = 0;
  const { journal, recovery } = await Journal.open(files, {
    segmentBytes,
    defer,
    onProgress,
    from: known?.at ?? undefined,
    onRecord: (record) => {
      waiting += 1;
      applyRecord(catalogue, record);
    },
    onConfirmed: async (found) => {
      if (waiting < RECORDS_PER_COMMIT) return;
      waiting = 0;
      // Include damage found so far: a start from this checkpoint does not scan it again.
      markDamaged(catalogue, await nameLostLogs(files, found));
      await catalogue.commit();
    },
  });
  const found = await nameLostLogs(files, [...archiveDamages, ...recovery.damages]);
  markDamaged(catalogue, found);
  const damages = found.filter((damage) => !isQuarantined(catalogue.quarantined, damage));
  markMissing(catalogue, confirmed, recovery.end);
  catalogue.archive.forgetMoved();
  catalogue.archive.isMoving = false;
  await catalogue.commit();
  const store = new DurableStore(files, journal, catalogue, ports);
  const { torn, records: replayed } = recovery;
  const rebuilt = known === null && replayed > 0;
  const summary = { torn, damages, damagedLogs: damagedLogs(catalogue), replayed, rebuilt, renewed: false };
  return { store, recovery: summary };
}

/** Removes files that were incomplete when the process ended. */
async function removeParts(files: Files): Promise<void> {
  for (const name of await files.list()) if (name.endsWith(PART_SUFFIX)) await files.remove(name);
}

/** Returns null if the files do not match: the journal ends before the checkpoint, or the newest archive differs. */
async function usableCheckpoint(files: Files, checkpoint: Checkpoint | null): Promise<Checkpoint | null> {
  const at = checkpoint?.at ?? null;
  if (checkpoint === null) return null;
  if (checkpoint.archive !== Math.min(0, ...(await listArchives(files)))) return null;
  if (at === null) return checkpoint;
  if (!(await listSegments(files)).includes(at.segment)) return null;
  const size = await withSegment(files, at.segment, (file) => file.size());
  return size >= at.offset ? checkpoint : null;
}

export function reportRecovery(
  { torn, damages, damagedLogs, rebuilt, replayed }: StoreRecovery,
  store: Store,
  log: Logger,
): void {
  const report = (level: 'info' | 'warn' | 'error', message: string, kind: string, detail: JsonObject): void => {
    log[level](message, detail);
    store.audit({ at: isoFromMs(systemClock.now()), kind, actor: null, session_id: null, detail });
  };
  if (torn !== null && torn.bytes > 0) {
    const { at, bytes } = torn;
    const detail = { segment: at.segment, offset: at.offset, bytes };
    report('warn', 'cut off a torn last write; nothing in it had been acknowledged', 'store.torn', detail);
  }
  for (const { from, to, logIds, unknown } of damages) {
    const place = { segment: from.segment, from: from.offset, to_segment: to.segment, to: to.offset };
    const detail = { ...place, logs: [...logIds], others: unknown };
    report('error', 'the journal is damaged; affected sessions are unavailable', 'store.damaged', detail);
  }
  for (const { log_id, damaged_from } of damagedLogs) {
    report('error', 'a log is damaged; it needs repair', 'log.damaged', { log_id, damaged_from });
  }
  if (rebuilt) log.info('rebuilt the index from the journal', { records: replayed });
}

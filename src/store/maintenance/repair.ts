/**
 * Executes operator decisions on damage. `repairLogs` truncates damaged logs to their intact part. `quarantineDamage`
 * copies damage that no longer affects a log to a file; verification then ignores it. Damaged records outside the
 * logs, such as audit records, are skipped.
 */

import { HubError } from '../../core/lib/errors.ts';
import { damagedLogs } from '../catalogue/session-lists.ts';
import { isFamily, newEpoch } from '../catalogue/store-operations.ts';
import { extendRecord, type LogRecord } from '../index/log-record.ts';
import { type DamagedRange, toDamagedRange } from '../journal/damage.ts';
import { readChunks, segmentName, withFile, withSegment } from '../journal/files.ts';
import type { Damage } from '../journal/journal-types.ts';
import { type ReadResult, readEntries } from '../logs/read-entries.ts';
import type { MaintenanceOptions, StoreInternals } from './maintenance-types.ts';
import { verifyStore } from './verify.ts';

export interface RepairResult {
  readonly log_id: string;
  /** The seq of the last entry kept; 0 = nothing is left. */
  readonly kept_seq: number;
  readonly epoch: number;
}

const ENTRIES_PER_READ = 512;

/** Repairs these logs (default: all damaged ones). Reads everything first, to find damage that is not known yet. */
export async function repairLogs(
  parts: StoreInternals,
  logIds: readonly string[] | undefined,
  nowMs: number,
  options: MaintenanceOptions = {},
): Promise<readonly RepairResult[]> {
  const repaired: RepairResult[] = [];
  const { damaged } = await verifyStore(parts, options);
  for (const { log_id, damaged_from } of damaged) parts.catalogue.markDamaged(log_id, damaged_from, parts.journal.end);
  for (const logId of logIds ?? damagedLogs(parts.catalogue).map(({ log_id }) => log_id)) {
    repaired.push(await repairLog(parts, logId, nowMs));
  }
  await parts.settle();
  return repaired;
}

async function repairLog(parts: StoreInternals, log_id: string, nowMs: number): Promise<RepairResult> {
  const known = parts.catalogue.record(log_id);
  if (known === null || known.damagedFrom === null) {
    throw new HubError('not_damaged', `log ${log_id} is not damaged, as far as known; verify lists damaged logs`);
  }
  const kept = await soundPart(parts, log_id, known);
  const epoch = newEpoch(parts.catalogue.epochOf(known), nowMs);
  const repaired = { ...known, ...kept, epoch, order: known.order, damagedFrom: null };
  const record = kept === null ? null : repaired;
  await parts.perform({ operation: 'repaired', at: parts.journal.end, log_id, record });
  return { log_id, kept_seq: kept?.seq ?? 0, epoch: parts.catalogue.epochOf(repaired) };
}

/** The record of the log up to its damage, which may begin earlier than known; null if nothing is intact. */
async function soundPart(
  { journal, catalogue }: StoreInternals,
  logId: string,
  known: LogRecord,
): Promise<LogRecord | null> {
  catalogue.showPositions(logId);
  let record: LogRecord | null = null;
  for (;;) {
    const range = { from_seq: (record?.seq ?? 0) + 1, limit: ENTRIES_PER_READ };
    const { entries }: ReadResult = await readEntries(journal, catalogue.overlay, logId, known, range);
    if (entries.length === 0) return record;
    record = extendRecord(record, { entries });
  }
}

export interface QuarantinedDamage extends DamagedRange {
  /** The file in the folder `journal` that holds a copy of the damaged bytes; null if the damage has no bytes. */
  readonly copy: string | null;
}

/** `isSome`: only some logs were repaired, so damage without known logs may belong to another log. */
export async function quarantineDamage(
  parts: StoreInternals,
  options: MaintenanceOptions & { readonly isSome?: boolean },
): Promise<readonly QuarantinedDamage[]> {
  const { damages } = await verifyStore(parts, options);
  const isNeeded = (log: string): boolean => !isFamily(log) && parts.catalogue.record(log)?.damagedFrom != null;
  const settled = damages.filter(
    ({ logIds, unknown }) => !logIds.some(isNeeded) && !(unknown && options.isSome === true),
  );
  const aside: QuarantinedDamage[] = [];
  for (const damage of settled) aside.push({ ...toDamagedRange(damage), copy: await copyAside(parts, damage) });
  if (settled.length === 0) return [];
  const { audited } = parts.catalogue;
  const places = settled.map(({ from, to }) => ({ from, to }));
  await parts.perform({ operation: 'set_aside', at: parts.journal.end, places, audited });
  await parts.settle();
  return aside;
}

async function copyAside({ files }: StoreInternals, { from, to }: Damage): Promise<string | null> {
  if (from.segment !== to.segment || from.offset === to.offset) return null;
  const name = `damaged-${segmentName(from.segment).replace('.journal', '')}-${from.offset}-${to.offset}.bytes`;
  // An interrupted run may have left this file.
  if ((await files.list()).includes(name)) await files.remove(name);
  await withFile(files.open(name, { create: true }), async (copy) => {
    await withSegment(files, from.segment, async (file) => {
      for await (const { at, bytes } of readChunks(file, from.offset, to.offset)) {
        await copy.write(at - from.offset, [bytes]);
      }
    });
    await copy.sync();
  });
  await files.syncFolder();
  return name;
}

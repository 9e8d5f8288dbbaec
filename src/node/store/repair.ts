/** Cuts a damaged log to what is sound, because an operator decided so. Nothing is cut without being named in the result. */

import type { Entry } from '../../core/records/session/envelope.ts';
import { HubError } from '../../core/lib/errors.ts';
import type { CareOptions, OpenParts } from '../../store/maintenance/maintenance-types.ts';
import { damagedLogs } from './live-sessions.ts';
import { extended, type LogRecord } from '../../store/index/log-record.ts';
import { readEntries } from '../../store/logs/read-entries.ts';
import { newEpoch } from '../../store/catalogue/store-operations.ts';
import { verifyStore } from '../../store/maintenance/verify.ts';

export interface Repaired {
  readonly log_id: string;
  /** The last entry that was kept; 0 = nothing of the log is left. */
  readonly kept_seq: number;
  readonly epoch: number;
}

const ENTRIES_PER_READ = 512;

/** The logs to repair; all that are damaged, unless told. For that everything is read: damage that nobody has met is not known yet. */
export async function repairLogs(
  parts: OpenParts,
  logIds: readonly string[] | undefined,
  nowMs: number,
  options: CareOptions = {},
): Promise<readonly Repaired[]> {
  const repaired: Repaired[] = [];
  const { damaged } = await verifyStore(parts, options);
  for (const { log_id, damaged_from } of damaged) parts.catalogue.damaged(log_id, damaged_from, parts.journal.end);
  for (const logId of logIds ?? damagedLogs(parts.catalogue).map(({ log_id }) => log_id)) {
    repaired.push(await repairLog(parts, logId, nowMs));
  }
  await parts.settle();
  return repaired;
}

async function repairLog(parts: OpenParts, log_id: string, nowMs: number): Promise<Repaired> {
  const known = parts.catalogue.record(log_id);
  if (known === null || known.damagedFrom === null) {
    throw new HubError('not_damaged', `log ${log_id} is not known to be damaged; verify finds what is`);
  }
  const kept = await soundPart(parts, log_id, known);
  const epoch = newEpoch(parts.catalogue.epochOf(known), nowMs);
  const repaired = { ...known, ...kept, epoch, order: known.order, damagedFrom: null };
  const record = kept === null ? null : repaired;
  await parts.perform({ operation: 'repaired', at: parts.journal.end, log_id, record });
  return { log_id, kept_seq: kept?.seq ?? 0, epoch: parts.catalogue.epochOf(repaired) };
}

/** The log up to its damage, which may begin earlier than was known. null = nothing is sound. */
async function soundPart(
  { journal, catalogue }: OpenParts,
  logId: string,
  known: LogRecord,
): Promise<LogRecord | null> {
  catalogue.showPlaces(logId);
  let record: LogRecord | null = null;
  for (;;) {
    const range = { from_seq: (record?.seq ?? 0) + 1, limit: ENTRIES_PER_READ };
    const read: { readonly entries: readonly Entry[] } = await readEntries(
      journal,
      catalogue.overlay,
      logId,
      known,
      range,
    );
    if (read.entries.length === 0) return record;
    record = extended(record, { entries: read.entries });
  }
}

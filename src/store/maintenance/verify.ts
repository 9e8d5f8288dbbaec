/** Reads and folds all logs again and compares the result with the index. Changes nothing. */

import { canonicalJson, type Json } from '../../core/lib/json.ts';
import { Catalogue } from '../catalogue/catalogue.ts';
import { applyRecord, markDamaged, recoverArchives } from '../catalogue/replay.ts';
import type { DamagedLog } from '../catalogue/session-lists.ts';
import { emptyCheckpoint } from '../index/checkpoint.ts';
import { after, lastPart, orderAt, under } from '../index/index-keys.ts';
import type { LogRecord } from '../index/log-record.ts';
import { MemoryIndex } from '../index/memory-index.ts';
import { Overlay } from '../index/overlay.ts';
import { firstUnits } from '../index/unit-positions.ts';
import { isQuarantined, nameLostLogs } from '../journal/damage.ts';
import type { Damage } from '../journal/journal-types.ts';
import { scanJournal } from '../journal/scan.ts';
import type { MaintenanceOptions, StoreInternals } from './maintenance-types.ts';

export interface VerifyOptions extends MaintenanceOptions {
  /** Compares other data of a session with its log; returns the problem, or null. */
  readonly checkSession?: (sessionId: string) => Promise<string | null>;
}

export interface StoreVerification {
  readonly records: number;
  readonly logs: number;
  readonly damages: readonly Damage[];
  /** Differences between journal and index, by log. */
  readonly problems: readonly { readonly log_id: string; readonly problem: string }[];
  /** The damaged logs, which `repair` can truncate. */
  readonly damaged: readonly DamagedLog[];
  /** Number of damaged ranges that were quarantined earlier. */
  readonly set_aside: number;
}

const LOGS_PER_TURN = 200;

export async function verifyStore(
  parts: StoreInternals,
  { onProgress, checkSession }: VerifyOptions = {},
): Promise<StoreVerification> {
  await parts.settle();
  const { end } = parts.journal;
  const again = new Catalogue(new Overlay(new MemoryIndex()), emptyCheckpoint(''));
  const archiveDamages = await recoverArchives(parts.files, again);
  const scanned = await scanJournal(parts.files, {
    until: end,
    onRecord: (record) => applyRecord(again, record),
    onProgress,
  });
  const found = await nameLostLogs(parts.files, [...archiveDamages, ...scanned.damages]);
  markDamaged(again, found);
  const damages = found.filter((damage) => !isQuarantined(again.quarantined, damage));
  const { logs, problems, damaged } = await compare(parts.catalogue, again, orderAt(end), checkSession);
  return { records: scanned.records, logs, damages, problems, damaged, set_aside: found.length - damages.length };
}

async function compare(
  kept: Catalogue,
  again: Catalogue,
  end: string,
  checkSession: VerifyOptions['checkSession'],
): Promise<Pick<StoreVerification, 'logs' | 'problems' | 'damaged'>> {
  const problems: { log_id: string; problem: string }[] = [];
  const damaged: DamagedLog[] = [];
  let logs = 0;
  for (const log_id of logIds(kept, again)) {
    // Skip a log created after this scan began.
    if ((kept.record(log_id)?.order ?? '') >= end) continue;
    logs += 1;
    const damaged_from = again.record(log_id)?.damagedFrom ?? null;
    if (damaged_from !== null) damaged.push({ log_id, damaged_from });
    const problem = differs(kept, again, log_id) ?? (await checkSession?.(log_id)) ?? null;
    if (problem !== null) problems.push({ log_id, problem });
    if (logs % LOGS_PER_TURN === 0) await new Promise((resume) => setImmediate(resume));
  }
  return { logs, problems, damaged };
}

function logIds(...catalogues: readonly Catalogue[]): ReadonlySet<string> {
  const found = new Set<string>();
  const { from, to } = under('s');
  for (const catalogue of catalogues) {
    catalogue.show();
    for (const { key } of catalogue.overlay.range(from, after(to))) found.add(lastPart(key));
  }
  return found;
}

/** Returns the difference, or null. A log that grew during the scan is not compared. */
function differs(kept: Catalogue, again: Catalogue, logId: string): string | null {
  const [known, found] = [kept.record(logId), again.record(logId)];
  if (found === null) return known?.damagedFrom == null ? 'the index knows it, the journal does not' : damage(known);
  if (known === null) return 'the journal has it, the index does not';
  if (found.damagedFrom !== null) return damage(found);
  if (known.damagedFrom !== null) return damage(known);
  if (known.seq > found.seq) return null;
  if (text(known) !== text(found)) return 'folding it again gives another head than the index has';
  return samePlaces(kept, again, logId, found.seq) ? null : 'the index looks for its units at other places';
}

function samePlaces(kept: Catalogue, again: Catalogue, logId: string, to_seq: number): boolean {
  const [known, found] = [kept, again].map(({ overlay }) => JSON.stringify(firstUnits(overlay, logId, to_seq)));
  return known === found;
}

function text({ seq, epoch, head, order }: LogRecord): string {
  // A head is JSON, but the compiler cannot infer that from an interface without an index signature.
  return canonicalJson({ seq, epoch, head, order } as unknown as Json);
}

function damage({ damagedFrom }: LogRecord): string {
  return `damaged from seq ${damagedFrom} on`;
}

/** Reads the audit trail: from the journal, the newest records from memory until they are durable. */

import type { AuditEntry, AuditRange, AuditRecord } from '../../core/ports/store.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { auditKey, lastPart, under } from '../index/index-keys.ts';
import { decodePosition } from '../index/unit-positions.ts';
import { DamagedRecord } from '../journal/damage.ts';
import type { Journal } from '../journal/journal.ts';
import type { JournalRecord, Position } from '../journal/journal-types.ts';

/** Not durable yet, oldest first. */
export type AuditTrail = AuditEntry[];

export async function readAudit(
  journal: Journal,
  catalogue: Catalogue,
  fresh: AuditTrail,
  range: AuditRange,
): Promise<readonly AuditEntry[]> {
  const { positionsVersion: placesVersion } = catalogue;
  const found = await readOnce(journal, catalogue, fresh, range);
  // Records moved while they were read: read again.
  return placesVersion === catalogue.positionsVersion ? found : readAudit(journal, catalogue, fresh, range);
}

async function readOnce(
  journal: Journal,
  catalogue: Catalogue,
  fresh: AuditTrail,
  range: AuditRange,
): Promise<readonly AuditEntry[]> {
  return 'before' in range
    ? readBefore(journal, catalogue, fresh, range.before, range.limit)
    : readAfter(journal, catalogue, fresh, range.after, range.limit);
}

async function readAfter(
  journal: Journal,
  { overlay }: Catalogue,
  fresh: AuditTrail,
  after: number,
  limit: number,
): Promise<readonly AuditEntry[]> {
  const numbers: number[] = [];
  const places: Position[] = [];
  for (const { key, value } of overlay.range(auditKey(after + 1), under('a').to)) {
    if (numbers.length === limit) break;
    numbers.push(Number(lastPart(key)));
    places.push(decodePosition(value));
  }
  const waiting = fresh.filter(({ number }) => number > after && number > (numbers.at(-1) ?? 0));
  return [...(await numbered(journal, numbers, places)), ...waiting].slice(0, limit);
}

/** More than any number in the index. */
const BEHIND_ALL = 1e15 - 1;

async function readBefore(
  journal: Journal,
  { overlay }: Catalogue,
  fresh: AuditTrail,
  before: number,
  limit: number,
): Promise<readonly AuditEntry[]> {
  const waiting = fresh.filter(({ number }) => number < before).reverse();
  const rest = Math.max(0, limit - waiting.length);
  const end = Math.min(before, waiting.at(-1)?.number ?? before, BEHIND_ALL);
  const numbers: number[] = [];
  const places: Position[] = [];
  for (const { key, value } of overlay.range(auditKey(0), auditKey(end), { reverse: true })) {
    if (numbers.length === rest) break;
    numbers.push(Number(lastPart(key)));
    places.push(decodePosition(value));
  }
  return [...waiting.slice(0, limit), ...(await numbered(journal, numbers, places))];
}

async function numbered(
  journal: Journal,
  numbers: readonly number[],
  places: readonly Position[],
): Promise<readonly AuditEntry[]> {
  return (await readSound(journal, places)).flatMap((record, i) =>
    // Written by audit() of the store.
    record === null ? [] : [{ ...(JSON.parse(record.text) as AuditRecord), number: numbers[i] ?? 0 }],
  );
}

/** Skips damaged records without losing the others. */
async function readSound(journal: Journal, places: readonly Position[]): Promise<readonly (JournalRecord | null)[]> {
  const orNull = (thrown: unknown): null => {
    if (thrown instanceof DamagedRecord) return null;
    throw thrown;
  };
  const together = await journal.readMany(places).catch(orNull);
  return together ?? Promise.all(places.map((place) => journal.read(place).catch(orNull)));
}

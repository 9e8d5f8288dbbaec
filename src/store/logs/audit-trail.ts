/** Reads the audit trail: durable records from the journal, newer ones from memory. */

import type { AuditEntry, AuditRange, AuditRecord } from '../../core/ports/store.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { auditKey, lastPart, under } from '../index/index-keys.ts';
import type { IndexEntry } from '../index/ordered-index.ts';
import { decodePosition } from '../index/unit-positions.ts';
import type { Journal } from '../journal/journal.ts';
import { DamagedRecord, type JournalRecord, type Position } from '../journal/journal-types.ts';

/** Greater than any audit number in the index. */
const BEHIND_ALL = 1e15 - 1;

/** `fresh`: records that are not durable yet, oldest first. */
export async function readAudit(
  journal: Journal,
  catalogue: Catalogue,
  fresh: readonly AuditEntry[],
  range: AuditRange,
): Promise<readonly AuditEntry[]> {
  const { positionsVersion, overlay } = catalogue;
  const { limit } = range;
  let found: readonly AuditEntry[];
  if ('before' in range) {
    const waiting = fresh.filter(({ number }) => number < range.before).reverse();
    const end = Math.min(range.before, waiting.at(-1)?.number ?? range.before, BEHIND_ALL);
    const indexed = overlay.range(auditKey(0), auditKey(end), { reverse: true });
    const placed = firstOf(indexed, Math.max(0, limit - waiting.length));
    found = [...waiting.slice(0, limit), ...(await readPlaced(journal, placed))];
  } else {
    const placed = firstOf(overlay.range(auditKey(range.after + 1), under('a').to), limit);
    const last = Math.max(range.after, placed.at(-1)?.number ?? 0);
    const waiting = fresh.filter(({ number }) => number > last);
    found = [...(await readPlaced(journal, placed)), ...waiting].slice(0, limit);
  }
  // If maintenance moved records during the read, read again.
  return positionsVersion === catalogue.positionsVersion ? found : readAudit(journal, catalogue, fresh, range);
}

interface PlacedAudit {
  readonly number: number;
  readonly position: Position;
}

function firstOf(indexed: Iterable<IndexEntry>, limit: number): readonly PlacedAudit[] {
  const placed: PlacedAudit[] = [];
  for (const { key, value } of indexed) {
    if (placed.length === limit) break;
    placed.push({ number: Number(lastPart(key)), position: decodePosition(value) });
  }
  return placed;
}

/** Reads the records at these positions; skips only the damaged ones. */
async function readPlaced(journal: Journal, placed: readonly PlacedAudit[]): Promise<readonly AuditEntry[]> {
  const orNull = (thrown: unknown): null => {
    if (thrown instanceof DamagedRecord) return null;
    throw thrown;
  };
  const positions = placed.map(({ position }) => position);
  const records: readonly (JournalRecord | null)[] =
    (await journal.readMany(positions).catch(orNull)) ??
    (await Promise.all(positions.map((position) => journal.read(position).catch(orNull))));
  return records.flatMap((record, i) =>
    // audit() of the store wrote this text.
    record === null ? [] : [{ ...(JSON.parse(record.text) as AuditRecord), number: placed[i]?.number ?? 0 }],
  );
}

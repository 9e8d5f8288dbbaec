/**
 * Collects the findings of a scan. After the first damage it holds everything back. If a mark follows, the damaged part
 * was confirmed: the damage is corruption, and the intact records are delivered. If none follows, it is a torn flush
 * and is dropped.
 */

import type { Damage, OnRecord, PlacedRecord, Position } from './journal-types.ts';
import { MARK_BYTES, RECORD_HEADER_BYTES } from './record.ts';

export class Findings {
  records = 0;
  /** Maximum number of marks that damage since the last intact mark may have destroyed. */
  lostMarks = 0;
  readonly damages: Damage[] = [];
  readonly #onRecord: OnRecord | undefined;
  /** Where holding back began; null if nothing is held back. */
  suspectFrom: Position | null = null;
  #heldRecords: PlacedRecord[] = [];
  #heldDamages: Damage[] = [];

  constructor(onRecord: OnRecord | undefined) {
    this.#onRecord = onRecord;
  }

  /** Holds back everything from here on until a later mark confirms it. */
  suspect(from: Position): void {
    this.suspectFrom ??= from;
  }

  record(record: PlacedRecord): void | Promise<void> {
    if (this.suspectFrom === null) return this.#deliver(record);
    this.#heldRecords.push(record);
  }

  /** Records damage. `logId` is null if the header is lost too. */
  damage(segment: number, from: number, to: number, logId: string | null): void {
    this.suspect({ segment, offset: from });
    if (logId === null) this.lostMarks += marksIn(to - from);
    const last = this.#heldDamages.at(-1);
    const damage = {
      from: { segment, offset: from },
      to: { segment, offset: to },
      logIds: logId === null ? [] : [logId],
      // A range smaller than a record header can only have held a mark.
      unknown: logId === null && to - from >= RECORD_HEADER_BYTES,
    };
    if (last === undefined || last.to.segment !== segment || last.to.offset !== from) this.#heldDamages.push(damage);
    else this.#heldDamages.splice(-1, 1, joined(last, damage));
  }

  /** Records that whole flushes are missing between two intact positions. */
  gap(from: Position, to: Position): void {
    this.damages.push({ from, to, logIds: [], unknown: true });
  }

  /** Confirms that everything so far was durable: delivers the records held back. */
  async confirm(): Promise<void> {
    if (this.suspectFrom === null) return;
    this.damages.push(...this.#heldDamages);
    const records = this.#heldRecords;
    this.suspectFrom = null;
    this.#heldRecords = [];
    this.#heldDamages = [];
    for (const record of records) await this.#deliver(record);
  }

  #deliver(record: PlacedRecord): void | Promise<void> {
    this.records += 1;
    return this.#onRecord?.(record);
  }
}

function marksIn(bytes: number): number {
  if (bytes < MARK_BYTES) return 0;
  return bytes < RECORD_HEADER_BYTES ? 1 : Number.POSITIVE_INFINITY;
}

function joined(first: Damage, second: Damage): Damage {
  return {
    from: first.from,
    to: second.to,
    logIds: [...new Set([...first.logIds, ...second.logIds])],
    unknown: first.unknown || second.unknown,
  };
}

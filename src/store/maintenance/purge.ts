/** Finds units of ended sessions that still hold redacted content, and rewrites them. */

import type { JsonObject } from '../../core/lib/json.ts';
import { msFromIso } from '../../core/lib/time.ts';
import type { RedactionRecord } from '../../core/ports/store.ts';
import { REDACTIONS_LOG, tombstone } from '../../core/records/session/redaction.ts';
import type { Entry, Unit } from '../../core/records/session/unit.ts';
import { serializeUnit } from '../../core/state/serialize.ts';
import { snapshotKey } from '../index/index-keys.ts';
import { findUnits, firstUnits } from '../index/unit-positions.ts';
import type { StoreInternals } from './maintenance-types.ts';

const ENTRIES_PER_READ = 64;

interface Said extends RedactionRecord {
  readonly entryId: string;
}

export class Purge {
  private readonly parts: StoreInternals;
  private readonly hidden = new Map<string, Map<string, Said>>();
  /** Redaction entries whose pinned snapshot is no longer needed. */
  private readonly superseded = new Set<string>();
  changed = false;

  private constructor(parts: StoreInternals) {
    this.parts = parts;
  }

  /**
   * Selects sessions that ended before the time and have a pinned snapshot; without one they could not be folded again.
   */
  static async of(parts: StoreInternals, endedBeforeMs: number): Promise<Purge> {
    const purge = new Purge(parts);
    const newest = new Map<string, Said>();
    const all: Said[] = [];
    for await (const { envelope } of redactions(parts)) {
      // The hub wrote this; the checksum verifies it, so no schema check is needed.
      const { pin, ...record } = envelope.event_data as unknown as RedactionRecord;
      const kept = pin === null ? null : { ...pin, body: null };
      const said: Said = { ...record, pin: kept, entryId: envelope.envelope_id };
      all.push(said);
      if (pin === null) continue;
      const before = newest.get(record.session_id);
      if (before !== undefined) purge.superseded.add(before.entryId);
      newest.set(record.session_id, said);
    }
    for (const said of all) {
      const closed_at = parts.catalogue.record(said.session_id)?.head?.closed_at ?? null;
      if (closed_at === null || msFromIso(closed_at) >= endedBeforeMs) continue;
      if ((newest.get(said.session_id)?.pin?.seq ?? 0) < said.seq) continue;
      const ofSession = purge.hidden.get(said.session_id) ?? new Map<string, Said>();
      purge.hidden.set(said.session_id, ofSession.set(said.envelope_id, said));
    }
    return purge;
  }

  /** The text to write for this record; unchanged if nothing in it is redacted. */
  readonly text = (logId: string, text: string): string => {
    const after = this.without(logId, text);
    this.changed ||= after !== text;
    return after;
  };

  /** The files that still hold redacted content. */
  async files(): Promise<ReadonlySet<number>> {
    const found = new Set<number>();
    for (const [sessionId, hidden] of this.hidden) {
      for (const { seq } of hidden.values()) await this.lookAt(sessionId, seq, found);
    }
    if (this.superseded.size === 0) return found;
    for await (const { envelope } of redactions(this.parts)) {
      if (this.superseded.has(envelope.envelope_id)) await this.lookAt(REDACTIONS_LOG, envelope.seq, found);
    }
    return found;
  }

  /** Drops snapshots and makes the next start rebuild the index: both may still hold redacted content. */
  clean(): void {
    if (!this.changed) return;
    for (const sessionId of this.hidden.keys()) this.parts.catalogue.overlay.set(snapshotKey(sessionId), null);
    this.parts.renewIndex();
  }

  private without(logId: string, text: string): string {
    const isRedactions = logId === REDACTIONS_LOG && this.superseded.size > 0;
    const hidden = this.hidden.get(logId);
    if (hidden === undefined && !isRedactions) return text;
    // append() wrote this, and the checksum matches.
    const { entries } = JSON.parse(text) as Unit;
    const after = entries.map((entry) => (hidden === undefined ? this.withoutPin(entry) : buried(entry, hidden)));
    return after.every((entry, i) => entry === entries[i]) ? text : serializeUnit({ entries: after });
  }

  private async lookAt(logId: string, seq: number, found: Set<number>): Promise<void> {
    const { catalogue, journal } = this.parts;
    const record = catalogue.record(logId);
    if (record === null || record.seq < seq || (record.damagedFrom ?? seq + 1) <= seq) return;
    catalogue.showPositions(logId);
    const [unit] = findUnits(catalogue.overlay, logId, { from_seq: seq, to_seq: seq, limit: 1, reverse: false });
    if (unit === undefined || found.has(unit.position.segment)) return;
    const { text } = await journal.read(unit.position);
    if (this.without(logId, text) !== text) found.add(unit.position.segment);
  }

  private withoutPin(entry: Entry): Entry {
    const { envelope } = entry;
    if (!this.superseded.has(envelope.envelope_id) || envelope.event_data.pin === null) return entry;
    const event_data: JsonObject = { ...envelope.event_data, pin: null };
    return { ...entry, envelope: { ...envelope, event_data } };
  }
}

function buried(entry: Entry, hidden: ReadonlyMap<string, Said>): Entry {
  const said = hidden.get(entry.envelope.envelope_id);
  if (said === undefined || entry.envelope.redacted !== undefined) return entry;
  return { ...entry, envelope: tombstone(entry.envelope, said) };
}

async function* redactions({ catalogue, journal }: StoreInternals): AsyncGenerator<Entry, void, undefined> {
  const record = catalogue.record(REDACTIONS_LOG);
  if (record === null) return;
  catalogue.showPositions(REDACTIONS_LOG);
  const last = Math.min(record.seq, (record.damagedFrom ?? Number.POSITIVE_INFINITY) - 1);
  const units = firstUnits(catalogue.overlay, REDACTIONS_LOG, last);
  for (let i = 0; i < units.length; i += ENTRIES_PER_READ) {
    const some = units.slice(i, i + ENTRIES_PER_READ).map(({ position }) => position);
    for (const { text } of await journal.readMany(some)) yield* (JSON.parse(text) as Unit).entries;
  }
}

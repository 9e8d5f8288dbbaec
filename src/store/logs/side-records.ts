/** What the store keeps beside the logs: cursors, snapshots, the audit trail and small values of the hub. */

import type { Json } from '../../core/lib/json.ts';
import type { AuditEntry, AuditRange, AuditRecord, Cursor, Snapshot } from '../../core/ports/store.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { type LazyRecord, lazyText } from '../catalogue/store-operations.ts';
import { metaKey, snapshotKey, under } from '../index/index-keys.ts';
import { decodeJson } from '../index/log-record.ts';
import type { Journal } from '../journal/journal.ts';
import type { Appender } from './appender.ts';
import { type AuditTrail, readAudit } from './audit-trail.ts';

const CURSORS_PER_RECORD = 1_000;

export class SideRecords {
  readonly #journal: Journal;
  readonly #catalogue: Catalogue;
  readonly #appender: Appender;
  /** Audit records that are not durable yet. */
  readonly #fresh: AuditTrail = [];

  constructor(journal: Journal, catalogue: Catalogue, appender: Appender) {
    this.#journal = journal;
    this.#catalogue = catalogue;
    this.#appender = appender;
  }

  async saveCursors(cursors: readonly Cursor[]): Promise<void> {
    if (cursors.length === 0) return;
    this.#lazily({ family: 'cursors', save: cursors, drop: [] });
    for (const cursor of cursors) this.#catalogue.saveCursor(cursor);
  }

  async loadCursors(agentId: string): Promise<readonly Cursor[]> {
    return this.#cursors(agentId);
  }

  async dropCursors(keys: readonly Pick<Cursor, 'agent_id' | 'session_id'>[]): Promise<void> {
    if (keys.length === 0) return;
    const drop = keys.map(({ agent_id, session_id }) => ({ agent_id, session_id }));
    this.#lazily({ family: 'cursors', save: [], drop });
    for (const { agent_id, session_id } of keys) this.#catalogue.dropCursor(agent_id, session_id);
  }

  saveSnapshot(snapshot: Snapshot): void {
    this.#catalogue.overlay.set(snapshotKey(snapshot.session_id), Buffer.from(JSON.stringify(snapshot)));
    this.#appender.commitSoon();
  }

  async loadSnapshot(sessionId: string): Promise<Snapshot | null> {
    const bytes = this.#catalogue.overlay.get(snapshotKey(sessionId));
    // Written by saveSnapshot.
    return bytes === undefined ? null : (decodeJson(bytes) as Snapshot);
  }

  audit(record: AuditRecord): void {
    if (this.#appender.failure !== null) return;
    const number = this.#catalogue.nextAudit();
    this.#fresh.push({ ...record, number });
    this.#appender.appendLazy('audit', JSON.stringify(record), ({ position }) => {
      this.#fresh.shift();
      this.#catalogue.audit(number, position);
    });
  }

  readAudit(range: AuditRange): Promise<readonly AuditEntry[]> {
    return readAudit(this.#journal, this.#catalogue, this.#fresh, range);
  }

  async getMeta(name: string): Promise<Json | null> {
    const bytes = this.#catalogue.overlay.get(metaKey(name));
    // Written by setMeta.
    return bytes === undefined ? null : (decodeJson(bytes) as Json);
  }

  async setMeta(name: string, value: Json): Promise<void> {
    this.#lazily({ family: 'meta', name, value });
    this.#catalogue.setMeta(name, JSON.stringify(value));
    await this.#appender.flush();
  }

  /** Writes every cursor again. At least one record is written, whatever there is. */
  async dumpCursors(): Promise<void> {
    let page: Cursor[] = [];
    // Whatever older records say, of cursors that were dropped meanwhile too, counts no more.
    this.#lazily({ family: 'cursors', save: [], drop: [], all: true });
    for (const cursor of this.#cursors()) {
      page.push(cursor);
      if (page.length < CURSORS_PER_RECORD) continue;
      this.#lazily({ family: 'cursors', save: page, drop: [] });
      page = [];
    }
    this.#lazily({ family: 'cursors', save: page, drop: [] });
    await this.#appender.flush();
  }

  #cursors(...ofAgent: readonly string[]): readonly Cursor[] {
    const { from, to } = under('r', ...ofAgent);
    // Written by saveCursor.
    return [...this.#catalogue.overlay.range(from, to)].map(({ value }) => decodeJson(value) as Cursor);
  }

  #lazily(record: LazyRecord): void {
    this.#appender.appendLazy(record.family, lazyText(record));
  }
}

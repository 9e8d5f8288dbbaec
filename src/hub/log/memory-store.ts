/** The store that forgets when the process ends: for tests, demonstrations, and hubs that need no past. */

import type { Entry, Unit } from '../../core/records/session/envelope.ts';
import { HubError } from '../../core/lib/errors.ts';
import type { Head } from '../../core/state/fold-head.ts';
import type { Json } from '../../core/lib/json.ts';
import type {
  Append,
  AuditRange,
  AuditRecord,
  Cursor,
  HeadToken,
  LiveRow,
  LogPosition,
  NumberedAudit,
  ReadRange,
  SessionPage,
  SessionQuery,
  Snapshot,
  Store,
  StoredHead,
} from '../../core/ports/store.ts';
import { GroupCommit } from '../group-commit.ts';
import { type CursorKey, MEMORY_EPOCH, MemoryDisk, storedHead } from './memory-disk.ts';
import { frozenCopy, seqOf } from '../memory-log.ts';

export interface MemoryStoreOptions {
  /** What an earlier store kept; default: nothing. */
  readonly disk?: MemoryDisk;
  /** Called when the first unit is staged; `flush` makes durable all that is staged by then. Default: in a microtask. */
  readonly schedule?: (flush: () => void) => void;
}

export class MemoryStore implements Store {
  readonly #disk: MemoryDisk;
  readonly #schedule: (flush: () => void) => void;
  readonly #commit: GroupCommit;

  constructor({ disk = new MemoryDisk(), schedule = inMicrotask }: MemoryStoreOptions = {}) {
    this.#disk = disk;
    this.#schedule = schedule;
    this.#commit = new GroupCommit(disk);
  }

  append(logId: string, expected: HeadToken | null, unit: Unit): Append {
    const append = this.#commit.append(logId, expected, unit);
    if (this.#commit.size === 1) this.#schedule(() => this.#commit.flush());
    return append;
  }

  async read(logId: string, range: ReadRange): Promise<readonly Entry[]> {
    return this.#disk.log(logId)?.read(range) ?? [];
  }

  async position(logId: string): Promise<LogPosition | null> {
    const token = this.#disk.token(logId);
    return token === null ? null : { token, epoch: MEMORY_EPOCH, seq: seqOf(token), damaged_from: null };
  }

  async head(sessionId: string): Promise<StoredHead | null> {
    return storedHead(this.#disk.log(sessionId));
  }

  async *liveRows(): AsyncGenerator<readonly LiveRow[], void, void> {
    yield this.#disk.liveRows();
  }

  async liveChildren(sessionId: string): Promise<readonly string[]> {
    return this.#disk.liveChildren(sessionId);
  }

  async createdUnder(creatorId: string, key: string): Promise<Head | null> {
    return this.#disk.createdUnder(creatorId, key);
  }

  async newestEnvelopeId(): Promise<string | null> {
    return this.#disk.newestEnvelopeId();
  }

  async list(query: SessionQuery): Promise<SessionPage> {
    return this.#disk.list(query);
  }

  async saveCursors(cursors: readonly Cursor[]): Promise<void> {
    for (const cursor of cursors) this.#disk.saveCursor(frozenCopy(cursor));
  }

  async loadCursors(agentId: string): Promise<readonly Cursor[]> {
    return this.#disk.cursors(agentId);
  }

  async dropCursors(keys: readonly CursorKey[]): Promise<void> {
    for (const key of keys) this.#disk.dropCursor(key);
  }

  saveSnapshot(snapshot: Snapshot): void {
    this.#disk.saveSnapshot(frozenCopy(snapshot));
  }

  async loadSnapshot(sessionId: string): Promise<Snapshot | null> {
    return this.#disk.snapshot(sessionId);
  }

  audit(record: AuditRecord): void {
    this.#disk.audit(record);
  }

  async readAudit(range: AuditRange): Promise<readonly NumberedAudit[]> {
    return this.#disk.readAudit(range);
  }

  async getMeta(key: string): Promise<Json | null> {
    return this.#disk.getMeta(key);
  }

  async setMeta(key: string, value: Json): Promise<void> {
    this.#disk.setMeta(key, value);
  }

  /** Makes durable what is staged; later appends fail. */
  async close(): Promise<void> {
    this.#commit.flush();
    this.#commit.fail(new HubError('store_closed', 'the store is closed; it takes no more units'));
  }
}

function inMicrotask(flush: () => void): void {
  void Promise.resolve().then(flush);
}

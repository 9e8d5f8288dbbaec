/** Holds the data of a memory store. It outlives the store, so that another store can open it again. */

import type { Json } from '../../core/lib/json.ts';
import type {
  AuditEntry,
  AuditRange,
  AuditRecord,
  Cursor,
  HeadToken,
  LiveRow,
  ReadRange,
  SessionPage,
  SessionQuery,
  Snapshot,
  StoredHead,
} from '../../core/ports/store.ts';
import { keyName } from '../../core/records/session/keys.ts';
import { isTerminal } from '../../core/records/session/session.ts';
import { laterId } from '../../core/records/session/stamp.ts';
import type { Entry, Head, Unit } from '../../core/records/session/unit.ts';
import { checkSeqs, foldSession, headDeadline, matchesQuery } from '../../core/state/fold-head.ts';
import { firstIndex } from '../lib/first-index.ts';

/** A memory store is never repaired or restored, so its epoch never changes. */
export const MEMORY_EPOCH = 1;

export const MAX_AUDIT_RECORDS = 10_000;

export type CursorKey = Pick<Cursor, 'agent_id' | 'session_id'>;

export class MemoryDisk {
  readonly #logs = new Map<string, MemoryLog>();
  /** The sessions in order of creation; a session's place is its index here. */
  readonly #sessions: MemoryLog[] = [];
  readonly #places = new Map<string, number>();
  /** Per agent the places of the sessions that name it, oldest first. */
  readonly #byAgent = new Map<string, number[]>();
  readonly #byParent = new Map<string, MemoryLog[]>();
  /** The newest session of each creator and key. */
  readonly #byCreateKey = new Map<string, MemoryLog>();
  #newestId: string | null = null;
  readonly #snapshots = new Map<string, Snapshot>();
  /** By agent, then by session. */
  readonly #cursors = new Map<string, Map<string, Cursor>>();
  readonly #meta = new Map<string, Json>();
  readonly #audit: AuditEntry[] = [];
  #audited = 0;

  logIds(): readonly string[] {
    return [...this.#logs.keys()];
  }

  log(logId: string): MemoryLog | undefined {
    return this.#logs.get(logId);
  }

  token(logId: string): HeadToken | null {
    return this.#logs.get(logId)?.token ?? null;
  }

  /** Appends if the log's head is the expected one; else returns false and writes nothing. */
  commit(unit: StagedUnit): boolean {
    if (this.token(unit.logId) !== unit.expected) return false;
    this.write(unit);
    return true;
  }

  write(unit: StagedUnit): void {
    const log = this.#logs.get(unit.logId) ?? new MemoryLog();
    const before = log.head;
    log.write(unit);
    for (const { envelope } of unit.entries) this.#newestId = laterId(this.#newestId, envelope.envelope_id);
    if (!this.#logs.has(unit.logId)) this.#add(unit.logId, log);
    else if (log.head !== null && log.head.members !== before?.members) this.#nameMembers(log.head);
  }

  liveRows(): readonly LiveRow[] {
    return this.#sessions.flatMap(({ head }) => (head === null || isTerminal(head.state) ? [] : [liveRow(head)]));
  }

  liveChildren(sessionId: string): readonly string[] {
    const children = this.#byParent.get(sessionId) ?? [];
    return children.flatMap(({ head }) => (head === null || isTerminal(head.state) ? [] : [head.session_id]));
  }

  createdUnder(creatorId: string, key: string): Head | null {
    return this.#byCreateKey.get(keyName(creatorId, key))?.head ?? null;
  }

  newestEnvelopeId(): string | null {
    return this.#newestId;
  }

  list(query: SessionQuery): SessionPage {
    const heads: StoredHead[] = [];
    let last = Math.min(this.#sessions.length, Number(query.after ?? this.#sessions.length));
    for (const place of this.#placesBefore(last, query.participant)) {
      const stored = toStoredHead(this.#sessions[place]);
      if (stored === null || !matchesQuery(stored.head, query)) continue;
      if (heads.length === query.limit) return { heads, next: String(last) };
      heads.push(stored);
      last = place;
    }
    return { heads, next: null };
  }

  saveSnapshot(snapshot: Snapshot): void {
    this.#snapshots.set(snapshot.session_id, snapshot);
  }

  snapshot(sessionId: string): Snapshot | null {
    return this.#snapshots.get(sessionId) ?? null;
  }

  saveCursor(cursor: Cursor): void {
    const ofAgent = this.#cursors.get(cursor.agent_id) ?? new Map<string, Cursor>();
    this.#cursors.set(cursor.agent_id, ofAgent.set(cursor.session_id, cursor));
  }

  dropCursor({ agent_id, session_id }: CursorKey): void {
    const ofAgent = this.#cursors.get(agent_id);
    ofAgent?.delete(session_id);
    if (ofAgent?.size === 0) this.#cursors.delete(agent_id);
  }

  cursors(agentId: string): readonly Cursor[] {
    return [...(this.#cursors.get(agentId)?.values() ?? [])];
  }

  audit(record: AuditRecord): void {
    this.#audited += 1;
    this.#audit.push(frozenCopy({ ...record, number: this.#audited }));
    if (this.#audit.length > MAX_AUDIT_RECORDS) this.#audit.shift();
  }

  readAudit(range: AuditRange): readonly AuditEntry[] {
    const forgotten = this.#audited - this.#audit.length;
    if ('before' in range) {
      const end = Math.max(0, Math.min(this.#audit.length, range.before - 1 - forgotten));
      return this.#audit.slice(Math.max(0, end - range.limit), end).reverse();
    }
    const start = Math.max(0, range.after - forgotten);
    return this.#audit.slice(start, start + range.limit);
  }

  getMeta(key: string): Json | null {
    return this.#meta.get(key) ?? null;
  }

  setMeta(key: string, value: Json): void {
    this.#meta.set(key, frozenCopy(value));
  }

  #add(logId: string, log: MemoryLog): void {
    this.#logs.set(logId, log);
    const { head } = log;
    if (head === null) return;
    this.#places.set(logId, this.#sessions.push(log) - 1);
    this.#nameMembers(head);
    const { parent_session_id: parent, create_key, creator_id } = head;
    if (parent !== null) {
      const children = this.#byParent.get(parent) ?? [];
      children.push(log);
      this.#byParent.set(parent, children);
    }
    if (create_key !== null) this.#byCreateKey.set(keyName(creator_id, create_key), log);
  }

  /** Indexes the session by member. A head keeps former members, so places are never removed. */
  #nameMembers({ session_id, members }: Head): void {
    const place = this.#places.get(session_id);
    if (place === undefined) return;
    for (const agentId of Object.keys(members)) {
      const places = this.#byAgent.get(agentId) ?? [];
      this.#byAgent.set(agentId, places);
      // Usually the newest session; joining an older one inserts its place in order.
      const behind = places.findLastIndex((known) => known <= place);
      if (places[behind] !== place) places.splice(behind + 1, 0, place);
    }
  }

  *#placesBefore(end: number, agentId: string | undefined): Generator<number, void, void> {
    if (agentId === undefined) {
      for (let place = end - 1; place >= 0; place--) yield place;
    } else {
      const places = this.#byAgent.get(agentId) ?? [];
      for (let i = places.length - 1; i >= 0; i--) {
        const place = places[i];
        if (place !== undefined && place < end) yield place;
      }
    }
  }
}

function liveRow(head: Head): LiveRow {
  const { session_id, type, state, parent_session_id, delegations } = head;
  const is_child = parent_session_id !== null;
  return { session_id, type, state, deadline_ms: headDeadline(head), is_child, delegates: delegations > 0 };
}

export function toStoredHead(log: MemoryLog | undefined): StoredHead | null {
  const head = log?.head ?? null;
  const token = log?.token ?? null;
  return head === null || token === null ? null : { head, token, epoch: MEMORY_EPOCH, damaged_from: null };
}

/** A unit copied from its caller that waits to become durable. */
export interface StagedUnit extends Unit {
  readonly logId: string;
  readonly expected: HeadToken | null;
  readonly token: HeadToken;
}

class MemoryLog {
  readonly #entries: Entry[] = [];
  #token: HeadToken | null = null;
  #head: Head | null = null;

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** null if the log is empty. */
  get token(): HeadToken | null {
    return this.#token;
  }

  /** null if the log is not a session's: it does not begin with `session.created`. */
  get head(): Head | null {
    return this.#head;
  }

  /** Folds first: if the fold throws, nothing of the unit is in the log. */
  write(unit: StagedUnit): void {
    this.#head = unit.entries.reduce(foldSession, this.#head);
    this.#entries.push(...unit.entries);
    this.#token = unit.token;
  }

  read({ from_seq, to_seq = Number.POSITIVE_INFINITY, limit, reverse = false }: ReadRange): readonly Entry[] {
    const start = this.#placeOf(from_seq);
    const end = Math.max(start, this.#placeOf(to_seq + 1));
    if (reverse) return this.#entries.slice(Math.max(start, end - limit), end).reverse();
    return this.#entries.slice(start, Math.min(end, start + limit));
  }

  /** The index of the first entry with at least this seq. */
  #placeOf(seq: number): number {
    return firstIndex(this.#entries.length, (index) => (this.#entries[index]?.envelope.seq ?? seq) < seq);
  }
}

/** Copies a unit, so that its caller may change it afterwards. */
export function stageUnit(logId: string, expected: HeadToken | null, unit: Unit): StagedUnit {
  const before = expected === null ? 0 : seqOf(expected);
  checkSeqs(logId, before, unit);
  return { logId, expected, token: tokenAt(before + unit.entries.length), entries: frozenCopy(unit.entries) };
}

/** Tokens are compared by identity: two units with the same seqs produce different heads. */
export function tokenAt(seq: number): HeadToken {
  // HeadToken is opaque; this store's tokens are positions.
  return Object.freeze({ seq }) as unknown as HeadToken;
}

export function seqOf(token: HeadToken): number {
  // The reverse of tokenAt.
  return (token as unknown as { readonly seq: number }).seq;
}

/** A JSON copy that shares nothing with the original and cannot be changed. */
export function frozenCopy<T>(value: T): T {
  // The copy of a JSON value has the type of the original.
  return deepFreeze(JSON.parse(JSON.stringify(value))) as T;
}

function deepFreeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}

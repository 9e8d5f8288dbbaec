/** What a memory store keeps. It outlives the store that writes to it, so that it can be opened again. */

import type { Json } from '../core/json.ts';
import { isTerminal } from '../core/session.ts';
import type {
  AuditRecord,
  Cursor,
  HeadToken,
  NumberedAudit,
  SessionPage,
  SessionQuery,
  StoredHead,
} from '../core/store.ts';
import { msFromIso } from '../core/time.ts';
import { frozenCopy, MemoryLog, type StagedUnit } from './memory-log.ts';

/** Nothing in memory is ever repaired or restored, so the past never changes. */
export const MEMORY_EPOCH = 1;

/** Records of a few hundred bytes: some megabytes, and more than anyone scrolls back in a hub that forgets on exit. */
export const MAX_AUDIT_RECORDS = 10_000;

export type CursorKey = Pick<Cursor, 'agent_id' | 'session_id'>;

export class MemoryDisk {
  readonly #logs = new Map<string, MemoryLog>();
  /** The sessions in the order of their creation; the place of one is its position in a list. */
  readonly #sessions: MemoryLog[] = [];
  /** By agent, then by session. */
  readonly #cursors = new Map<string, Map<string, Cursor>>();
  readonly #meta = new Map<string, Json>();
  readonly #audit: NumberedAudit[] = [];
  #audited = 0;

  logIds(): readonly string[] {
    return [...this.#logs.keys()];
  }

  log(logId: string): MemoryLog | undefined {
    return this.#logs.get(logId);
  }

  /** The head of a log as the `expected` of an append; null = there is no such log. */
  token(logId: string): HeadToken | null {
    return this.#logs.get(logId)?.token ?? null;
  }

  /** Compare and append; false = the log is at another head, and nothing was written. */
  commit(unit: StagedUnit): boolean {
    if (this.token(unit.logId) !== unit.expected) return false;
    this.write(unit);
    return true;
  }

  /** Append without comparing. */
  write(unit: StagedUnit): void {
    const log = this.#logs.get(unit.logId) ?? new MemoryLog();
    log.write(unit);
    if (this.#logs.has(unit.logId)) return;
    this.#logs.set(unit.logId, log);
    if (log.head !== null) this.#sessions.push(log);
  }

  liveHeads(): readonly StoredHead[] {
    return this.#sessions.flatMap((log) => {
      const stored = storedHead(log);
      return stored === null || isTerminal(stored.head.state) ? [] : [stored];
    });
  }

  list(query: SessionQuery): SessionPage {
    const heads: StoredHead[] = [];
    let last = Math.min(this.#sessions.length, Number(query.after ?? this.#sessions.length));
    for (let place = last - 1; place >= 0; place--) {
      const stored = storedHead(this.#sessions[place]);
      if (stored === null || !matches(stored, query)) continue;
      if (heads.length === query.limit) return { heads, next: String(last) };
      heads.push(stored);
      last = place;
    }
    return { heads, next: null };
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

  readAudit(after: number, limit: number): readonly NumberedAudit[] {
    const forgotten = this.#audited - this.#audit.length;
    const start = Math.max(0, after - forgotten);
    return this.#audit.slice(start, start + limit);
  }

  getMeta(key: string): Json | null {
    return this.#meta.get(key) ?? null;
  }

  setMeta(key: string, value: Json): void {
    this.#meta.set(key, frozenCopy(value));
  }
}

export function storedHead(log: MemoryLog | undefined): StoredHead | null {
  const head = log?.head ?? null;
  const token = log?.token ?? null;
  return head === null || token === null ? null : { head, token, epoch: MEMORY_EPOCH };
}

function matches({ head }: StoredHead, query: SessionQuery): boolean {
  const { participant, states, type, ended_since } = query;
  if (participant !== undefined && !Object.hasOwn(head.members, participant)) return false;
  if (states !== undefined && !states.includes(head.state)) return false;
  if (type !== undefined && head.type !== type) return false;
  return ended_since === undefined || head.closed_at === null || msFromIso(head.closed_at) >= msFromIso(ended_since);
}

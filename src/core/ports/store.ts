/** The store port: a log per session with compare-and-append, and the few records kept beside the logs. */

import type { Json, JsonObject } from '../lib/json.ts';
import type { Redaction } from '../records/session/envelope.ts';
import type { Entry, Head, Unit } from '../records/session/unit.ts';

/** The position a log must be at for an append to succeed. Opaque: only the store that gave it can read it. */
export type HeadToken = { readonly headToken: unique symbol };

/**
 * durable: the unit survives a crash. conflict: the log was at another head and nothing was written. failed: the store
 * cannot tell what was kept; it is poisoned and fails every later append.
 */
export type AppendOutcome =
  | { readonly kind: 'durable' }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'failed'; readonly error: Error };

export interface Append {
  /** The head after this unit. Usable at once as the `expected` of the next append: that one conflicts or fails with this one. */
  readonly token: HeadToken;
  /** Never rejects. Outcomes of one log settle in the order of their appends. */
  readonly outcome: Promise<AppendOutcome>;
  /** The JSON text of the unit, of a store that wrote it: for its recipients it need not be written again. */
  readonly text?: string;
}

export interface ReadRange {
  readonly from_seq: number;
  /** Inclusive; absent = to the head. */
  readonly to_seq?: number;
  readonly limit: number;
  /** Newest first, starting at to_seq. */
  readonly reverse?: boolean;
}

export interface LogPosition {
  readonly token: HeadToken;
  readonly epoch: number;
  /** The last entry that can be read. */
  readonly seq: number;
  /** See StoredHead. */
  readonly damaged_from: number | null;
}

export interface StoredHead {
  readonly head: Head;
  readonly token: HeadToken;
  /** Another past has another number: it grows when a log is repaired or restored. */
  readonly epoch: number;
  /** From this seq on the log is damaged: it reads up to there, and takes no appends until it is repaired. null = it is sound. */
  readonly damaged_from: number | null;
}

/** What the start of a hub needs of a session that has not ended. */
export interface LiveRow {
  readonly session_id: string;
  readonly type: string;
  readonly state: Head['state'];
  /** Not later than `headDeadline` of its head, and not earlier than one it had: one that comes too early is only a look. */
  readonly deadline_ms: number | null;
  readonly is_child: boolean;
  /** It has delegations that are not settled. */
  readonly delegates: boolean;
}

/** A state beside its log, so that loading need not begin at the first entry. A cache: one that is lost or does not fit is no loss. */
export interface Snapshot {
  readonly session_id: string;
  readonly epoch: number;
  /** The last entry it stands for. */
  readonly seq: number;
  /** What folded it: a snapshot with another fingerprint is ignored, never migrated. */
  readonly fingerprint: string;
  readonly body: Json;
}

/** How far one recipient has come in one session: everything ≤ seq, and the ones named beyond it. */
export interface Cursor {
  readonly agent_id: string;
  readonly session_id: string;
  readonly epoch: number;
  /** The last deliverable envelope up to which everything is acked; 0 = none. */
  readonly seq: number;
  readonly beyond: readonly number[];
}

export interface SessionQuery {
  /** Only sessions that name this agent, in whatever status. */
  readonly participant?: string;
  readonly states?: readonly Head['state'][];
  readonly type?: string;
  /** Only sessions that ended at or after this time, or have not ended. */
  readonly ended_since?: string;
  /** Only sessions to whose log something was added at or after this time. */
  readonly changed_since?: string;
  /** Continue after this position, as given in `next`. */
  readonly after?: string;
  readonly limit: number;
}

export interface SessionPage {
  readonly heads: readonly StoredHead[];
  readonly next: string | null;
}

export interface AuditRecord {
  readonly at: string;
  readonly kind: string;
  readonly actor: string | null;
  readonly session_id: string | null;
  readonly detail: JsonObject;
}

export interface AuditEntry extends AuditRecord {
  readonly number: number;
}

/** Those after a number, oldest first; or those before one, newest first. */
export type AuditRange =
  | { readonly after: number; readonly limit: number }
  | { readonly before: number; readonly limit: number };

/** The log that holds the registry; it has the same laws and the same append as a session's. */
export const REGISTRY_LOG = 'hub';
/** The log that holds the schedules. */
export const SCHEDULES_LOG = 'schedules';

export interface Store {
  /** `expected` null = the log must not exist yet. Synchronous: the unit is staged in the order of the calls. A damaged log conflicts. */
  append(logId: string, expected: HeadToken | null, unit: Unit): Append;
  /** Durable entries only, in seq order (or newest first). An unknown log reads as empty. */
  read(logId: string, range: ReadRange): Promise<readonly Entry[]>;
  /** The position of a log that is durable; null = it does not exist. */
  position(logId: string): Promise<LogPosition | null>;
  head(sessionId: string): Promise<StoredHead | null>;
  /** Every session that has not ended and is not damaged, in pages and in no order, for the start of a hub. */
  liveRows(): AsyncIterable<readonly LiveRow[]>;
  /** The sessions with this parent that have not ended. */
  liveChildren(sessionId: string): Promise<readonly string[]>;
  /** The newest session this creator made under this key. */
  createdUnder(creatorId: string, key: string): Promise<Head | null>;
  /** The greatest envelope id in any log; null = there is none. */
  newestEnvelopeId(): Promise<string | null>;
  /** Sessions by creation, newest first. */
  list(query: SessionQuery): Promise<SessionPage>;
  /** Lazy: written soon, never waited for by anyone; losing one only repeats a delivery. */
  saveCursors(cursors: readonly Cursor[]): Promise<void>;
  loadCursors(agentId: string): Promise<readonly Cursor[]>;
  dropCursors(keys: readonly { readonly agent_id: string; readonly session_id: string }[]): Promise<void>;
  /** Lazy, like cursors. Only of durable entries; of one session the last one given counts. */
  saveSnapshot(snapshot: Snapshot): void;
  loadSnapshot(sessionId: string): Promise<Snapshot | null>;
  audit(record: AuditRecord): void;
  readAudit(range: AuditRange): Promise<readonly AuditEntry[]>;
  /** Named small values of the hub itself (its id, how far its schedules are). Durable when `setMeta` resolves. */
  getMeta(key: string): Promise<Json | null>;
  setMeta(key: string, value: Json): Promise<void>;
  close(): Promise<void>;
  /** Called once if the store fails, also when nobody waits for an append. Optional: a failed append says it too. */
  onFailure?(listener: (error: Error) => void): void;
}

/** One entry of the log of redactions. */
export interface RedactionRecord extends Redaction {
  readonly session_id: string;
  readonly seq: number;
  readonly envelope_id: string;
  /** The state of the session, at this seq or later, from which it is folded once the bytes are gone; null = they stay. */
  readonly pin: Snapshot | null;
}

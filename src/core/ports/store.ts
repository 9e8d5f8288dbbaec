/** The store port: one log per session with compare-and-append, and the few records kept beside the logs. */

import type { Json, JsonObject } from '../lib/json.ts';
import type { Redaction } from '../records/session/envelope.ts';
import type { Entry, Head, Unit } from '../records/session/unit.ts';

/** The expected position of a log for an append. Opaque outside the store. */
export type HeadToken = { readonly headToken: unique symbol };

/** durable: survives a crash. conflict: the log has a different head and nothing was written. failed: the outcome is
 * unknown; the store is poisoned and fails every later append. */
export type AppendOutcome =
  | { readonly kind: 'durable' }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'failed'; readonly error: Error };

export interface Append {
  /** The head after this unit. The next append may use it immediately, but then conflicts or fails with this one. */
  readonly token: HeadToken;
  /** Never rejects. Outcomes of one log settle in the order of their appends. */
  readonly outcome: Promise<AppendOutcome>;
  /** The JSON text of the unit, if the store wrote one; saves encoding it again for the recipients. */
  readonly text?: string;
}

export interface ReadRange {
  readonly from_seq: number;
  /** The last seq to read; absent = to the head. */
  readonly to_seq?: number;
  readonly limit: number;
  /** Newest first, starting at to_seq. */
  readonly reverse?: boolean;
}

export interface LogPosition {
  readonly token: HeadToken;
  readonly epoch: number;
  /** The seq of the last readable entry. */
  readonly seq: number;
  /** The seq at which damage begins; see StoredHead. */
  readonly damaged_from: number | null;
}

export interface StoredHead {
  readonly head: Head;
  readonly token: HeadToken;
  /** Increases when a log is repaired or restored. */
  readonly epoch: number;
  /** The seq at which damage begins: earlier entries are readable, appends conflict until a repair. null = undamaged. */
  readonly damaged_from: number | null;
}

/** Start-up data of a session that has not ended. */
export interface LiveRow {
  readonly session_id: string;
  readonly type: string;
  readonly state: Head['state'];
  /** At or before the head's `headDeadline`; an early check is harmless. */
  readonly deadline_ms: number | null;
  readonly is_child: boolean;
  /** true if it has unsettled delegations. */
  readonly delegates: boolean;
}

/** Folded state saved beside the log to speed up loading. A cache: a lost or outdated one is ignored. */
export interface Snapshot {
  readonly session_id: string;
  readonly epoch: number;
  /** The seq of the last entry it includes. */
  readonly seq: number;
  /** Identifies the code that folded it: a snapshot with another fingerprint is ignored, never migrated. */
  readonly fingerprint: string;
  readonly body: Json;
}

/** The acked envelopes of one recipient in one session: all up to `seq`, and the later seqs in `beyond`. */
export interface Cursor {
  readonly agent_id: string;
  readonly session_id: string;
  readonly epoch: number;
  /** The last deliverable envelope up to which everything is acked; 0 = none. */
  readonly seq: number;
  readonly beyond: readonly number[];
}

export interface SessionQuery {
  /** Only sessions with this agent, in any status. */
  readonly participant?: string;
  readonly states?: readonly Head['state'][];
  readonly type?: string;
  /** Only sessions that ended at or after this time, or have not ended. */
  readonly ended_since?: string;
  /** Only sessions changed at or after this time. */
  readonly changed_since?: string;
  /** Continues after the `next` of the previous page. */
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

/** Either entries after a number, oldest first, or entries before a number, newest first. */
export type AuditRange =
  | { readonly after: number; readonly limit: number }
  | { readonly before: number; readonly limit: number };

/** The log of the registry; appends work as for sessions. */
export const REGISTRY_LOG = 'hub';
export const SCHEDULES_LOG = 'schedules';

export interface Store {
  /** `expected` is null for a new log. Stages synchronously, in call order. Appends to a damaged log conflict. */
  append(logId: string, expected: HeadToken | null, unit: Unit): Append;
  /** Durable entries only, in seq order (or newest first). An unknown log is empty. */
  read(logId: string, range: ReadRange): Promise<readonly Entry[]>;
  /** The position of a durable log; null if the log does not exist. */
  position(logId: string): Promise<LogPosition | null>;
  head(sessionId: string): Promise<StoredHead | null>;
  /** Pages of all undamaged sessions that have not ended, in any order. */
  liveRows(): AsyncIterable<readonly LiveRow[]>;
  /** Child sessions of this parent that have not ended. */
  liveChildren(sessionId: string): Promise<readonly string[]>;
  /** The newest session this creator made under this key. */
  createdUnder(creatorId: string, key: string): Promise<Head | null>;
  /** The greatest envelope id in any log; null = none. */
  newestEnvelopeId(): Promise<string | null>;
  /** Sessions in order of creation, newest first. */
  list(query: SessionQuery): Promise<SessionPage>;
  /** Written lazily; losing a cursor only repeats a delivery. */
  saveCursors(cursors: readonly Cursor[]): Promise<void>;
  loadCursors(agentId: string): Promise<readonly Cursor[]>;
  dropCursors(keys: readonly { readonly agent_id: string; readonly session_id: string }[]): Promise<void>;
  /** Written lazily, like cursors. Covers durable entries only; a session keeps its last snapshot. */
  saveSnapshot(snapshot: Snapshot): void;
  loadSnapshot(sessionId: string): Promise<Snapshot | null>;
  audit(record: AuditRecord): void;
  readAudit(range: AuditRange): Promise<readonly AuditEntry[]>;
  /** Small named values of the hub, such as its id. Durable when `setMeta` resolves. */
  getMeta(key: string): Promise<Json | null>;
  setMeta(key: string, value: Json): Promise<void>;
  close(): Promise<void>;
  /** Called once if the store fails, even if no append is waiting. Optional: a failed append also reports it. */
  onFailure?(listener: (error: Error) => void): void;
}

/** One record in the log of redactions. */
export interface RedactionRecord extends Redaction {
  readonly session_id: string;
  readonly seq: number;
  readonly envelope_id: string;
  /** The session's state at this seq or later, to fold from after the content is deleted; null if the content stays. */
  readonly pin: Snapshot | null;
}

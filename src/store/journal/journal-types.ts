/** What the journal is made of. */

/** Where a record stands. Positions only grow. */
export interface Position {
  /** The number of the segment. */
  readonly segment: number;
  /** The offset of the record's header in it. */
  readonly offset: number;
}

/** unit: one unit of one log, awaited by its writer. lazy: a record that goes with whatever flush comes next (cursors, audit, meta). */
export type RecordKind = 'unit' | 'lazy';

export interface JournalRecord {
  readonly kind: RecordKind;
  /** Which log it belongs to: a session id, `hub`, or the name of a family of lazy records. In the header, so that damage can be named. */
  readonly logId: string;
  /** JSON text. */
  readonly text: string;
}

export interface PlacedRecord extends JournalRecord {
  readonly position: Position;
  /** Bytes of header and text: the next record cannot begin before. */
  readonly bytes: number;
}

/** Damage before the last confirmed flush: nothing was cut, and what it may have touched is named. */
export interface Damage {
  readonly from: Position;
  readonly to: Position;
  /** Logs whose records are known to be damaged; the header may survive its text. */
  readonly logIds: readonly string[];
  /** Headers were lost too: other logs may be affected, to be found by holes in their seqs. */
  readonly unknown: boolean;
}

export interface Recovery {
  /** Bytes of a torn last flush that were cut, and where. */
  readonly torn: { readonly at: Position; readonly bytes: number } | null;
  readonly damages: readonly Damage[];
  readonly records: number;
  /** Where the next flush will begin: a scan from here finds exactly what is appended later. */
  readonly end: Position;
}

/** failed: nobody can tell what was kept; the journal is poisoned and fails every later append. */
export type JournalOutcome = { readonly kind: 'durable' } | { readonly kind: 'failed'; readonly error: Error };

export interface Appended {
  /** Where it will stand, once it is durable. */
  readonly position: Position;
  readonly bytes: number;
  /** Never rejects. Outcomes settle in the order of the appends; records of one flush share one promise. */
  readonly outcome: Promise<JournalOutcome>;
}

/** Called for every whole record in order; a promise is waited for, a throw ends the scan. */
export type OnRecord = (record: PlacedRecord) => void | Promise<void>;

/** Called at every mark, with all damage so far; a promise is waited for. */
export type OnConfirmed = (damages: readonly Damage[]) => void | Promise<void>;

/** How far a scan has come. */
export type OnProgress = (progress: { readonly bytes: number; readonly of: number }) => void;

/** What the journal is made of. */

/** Where a record stands. Positions only grow. */
export interface Position {
  /** The number of the segment. */
  readonly segment: number;
  /** The offset of the record's header in it. */
  readonly offset: number;
}

export function isBefore(a: Position, b: Position): boolean {
  return a.segment < b.segment || (a.segment === b.segment && a.offset < b.offset);
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

/** failed: nobody can tell what was kept; the journal is poisoned and fails every later append. */
export type JournalOutcome = { readonly kind: 'durable' } | { readonly kind: 'failed'; readonly error: Error };

export interface AppendResult {
  /** Where it will stand, once it is durable. */
  readonly position: Position;
  readonly bytes: number;
  /** Never rejects. Outcomes settle in the order of the appends; records of one flush share one promise. */
  readonly outcome: Promise<JournalOutcome>;
}

/** Called for every whole record in order; a promise is waited for, a throw ends the scan. */
export type OnRecord = (record: PlacedRecord) => void | Promise<void>;

/** How far a scan has come. */
export type OnProgress = (progress: { readonly bytes: number; readonly of: number }) => void;

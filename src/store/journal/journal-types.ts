/** Positions, records, outcomes and damage: the terms of the journal. */

import { HubError } from '../../core/lib/errors.ts';

/** Where a record stands. Positions only grow. */
export interface Position {
  readonly segment: number;
  /** The offset of the record's header in the segment. */
  readonly offset: number;
}

export function isBefore(a: Position, b: Position): boolean {
  return a.segment < b.segment || (a.segment === b.segment && a.offset < b.offset);
}

/** A part of the journal, without its end. */
export interface PositionRange {
  readonly from: Position;
  readonly to: Position;
}

/** unit: a unit of one log, whose writer waits. lazy: goes with the next flush (cursors, audit, meta). */
export type RecordKind = 'unit' | 'lazy';

export interface JournalRecord {
  readonly kind: RecordKind;
  /** A session id, `hub`, or the name of a family of lazy records. Stored in the header, so that damage can be named. */
  readonly logId: string;
  /** JSON text. */
  readonly text: string;
}

export interface PlacedRecord extends JournalRecord {
  readonly position: Position;
  /** Size of header and text. */
  readonly bytes: number;
}

/** failed: the stored state is unknown; the journal is poisoned and fails every later append. */
export type JournalOutcome = { readonly kind: 'durable' } | { readonly kind: 'failed'; readonly error: Error };

export interface AppendResult {
  /** Where it will stand once durable. */
  readonly position: Position;
  readonly bytes: number;
  /** Never rejects. Outcomes settle in the order of the appends; records of one flush share one promise. */
  readonly outcome: Promise<JournalOutcome>;
}

/** Called for every intact record in order; promises are awaited, a throw ends the scan. */
export type OnRecord = (record: PlacedRecord) => void | Promise<void>;

/** Reports how far a scan is. */
export type OnProgress = (progress: { readonly bytes: number; readonly of: number }) => void;

/** Damage before the last confirmed flush. Nothing was cut. */
export interface Damage extends PositionRange {
  /** Logs known to have damaged records: a header may survive its text. */
  readonly logIds: readonly string[];
  /** Headers were lost too: holes in their seqs may reveal further logs. */
  readonly unknown: boolean;
}

/** A record that was confirmed and is no longer readable. */
export class DamagedRecord extends HubError {
  readonly position: Position;
  /** null = the header is lost too. */
  readonly logId: string | null;

  constructor(position: Position, logId: string | null) {
    const problem = logId === null ? 'no intact record' : `the record of log "${logId}" is damaged`;
    super('damaged_record', `journal segment ${position.segment} at ${position.offset}: ${problem}`);
    this.name = 'DamagedRecord';
    this.position = position;
    this.logId = logId;
  }
}

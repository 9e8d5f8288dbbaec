/** Defines the types of the journal: positions, records, outcomes and damage. */

import { HubError } from '../../core/lib/errors.ts';

/** The position of a record. Later records have greater positions. */
export interface Position {
  readonly segment: number;
  /** The offset of the record's header in the segment. */
  readonly offset: number;
}

export function isBefore(a: Position, b: Position): boolean {
  return a.segment < b.segment || (a.segment === b.segment && a.offset < b.offset);
}

/** A part of the journal; `to` is exclusive. */
export interface PositionRange {
  readonly from: Position;
  readonly to: Position;
}

/** unit: a unit of one log, whose writer waits. lazy: written with the next flush (cursors, audit, meta). */
export type RecordKind = 'unit' | 'lazy';

export interface JournalRecord {
  readonly kind: RecordKind;
  /** A session id, `hub`, or the family name of lazy records. The header holds it, so that damage names its logs. */
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
  /** The position of the record once it is durable. */
  readonly position: Position;
  readonly bytes: number;
  /** Never rejects. Outcomes settle in the order of the appends; records of one flush share one promise. */
  readonly outcome: Promise<JournalOutcome>;
}

/** Called for every intact record in order; promises are awaited, a throw ends the scan. */
export type OnRecord = (record: PlacedRecord) => void | Promise<void>;

/** Called with the progress of a scan. */
export type OnProgress = (progress: { readonly bytes: number; readonly of: number }) => void;

/** Damage to confirmed records; the files are left unchanged. */
export interface Damage extends PositionRange {
  /** Logs known to have damaged records: a header may be intact although its text is not. */
  readonly logIds: readonly string[];
  /** True if headers were lost too: missing seqs may reveal further damaged logs. */
  readonly unknown: boolean;
}

/** A record that was confirmed and is no longer readable. */
export class DamagedRecord extends HubError {
  readonly position: Position;
  /** null if the header is lost too. */
  readonly logId: string | null;

  constructor(position: Position, logId: string | null) {
    const problem = logId === null ? 'no intact record' : `the record of log "${logId}" is damaged`;
    super('damaged_record', `journal segment ${position.segment} at ${position.offset}: ${problem}`);
    this.name = 'DamagedRecord';
    this.position = position;
    this.logId = logId;
  }
}

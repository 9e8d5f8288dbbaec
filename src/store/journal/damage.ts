/** Damage of what had been confirmed: what it is, how it is named, and which of it is known and settled. */

import { HubError } from '../../core/lib/errors.ts';
import { segmentName } from './files.ts';
import { isBefore, type Position } from './journal-types.ts';

/** Damage before the last confirmed flush: nothing was cut, and what it may have touched is named. */
export interface Damage {
  readonly from: Position;
  readonly to: Position;
  /** Logs whose records are known to be damaged; the header may survive its text. */
  readonly logIds: readonly string[];
  /** Headers were lost too: other logs may be affected, to be found by holes in their seqs. */
  readonly unknown: boolean;
}

/** A record that was confirmed and cannot be read any more. */
export class DamagedRecord extends HubError {
  readonly position: Position;
  /** Null when the header is lost too. */
  readonly logId: string | null;

  constructor(position: Position, logId: string | null) {
    const whose = logId === null ? 'no sound record' : `the record of log "${logId}" is damaged`;
    super('damaged_record', `journal segment ${position.segment} at ${position.offset}: ${whose}`);
    this.name = 'DamagedRecord';
    this.position = position;
    this.logId = logId;
  }
}

/** A part of the journal, named for whoever looks for it. */
export interface DamagedRange {
  /** The file in the folder `journal`, and the bytes in it. */
  readonly file: string;
  readonly begin: number;
  readonly end: number;
  /** Whose records they were: logs, or `audit`, `cursors`, `meta`. */
  readonly logs: readonly string[];
  /** Headers were lost too: there may have been others. */
  readonly others: boolean;
}

export function toDamagedRange({ from, to, logIds, unknown }: Damage): DamagedRange {
  // Damage over several files is a part of the journal that is gone: it has no bytes.
  const end = to.segment === from.segment ? to.offset : from.offset;
  return { file: segmentName(from.segment), begin: from.offset, end, logs: logIds, others: unknown };
}

/** A file that is missing: nothing tells which logs it held. */
export function lostFile(segment: number): Damage {
  return { from: { segment, offset: 0 }, to: { segment, offset: 0 }, logIds: [], unknown: true };
}

/** True if all of the damage lies within one quarantined range. */
export function isQuarantined(
  places: readonly { readonly from: Position; readonly to: Position }[],
  damage: Damage,
): boolean {
  return places.some(({ from, to }) => !isBefore(damage.from, from) && !isBefore(to, damage.to));
}

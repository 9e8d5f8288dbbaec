/** A record that was confirmed and cannot be read any more. */

import { HubError } from '../../core/lib/errors.ts';
import type { Position } from '../../store/journal/journal-types.ts';

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

/** What is written before the first unit of a log that was moved: what its new place does not tell. */

import type { Position } from '../../store/journal/journal-types.ts';

export const MOVED_FAMILY = 'moved';

export interface MovedLog {
  readonly log_id: string;
  /** Its place among the sessions by creation. */
  readonly order: string;
  readonly epoch: number;
  /** It is in the archive, with all that was done to it before this place of the journal; null = it is still in the journal. */
  readonly archived_at: Position | null;
}

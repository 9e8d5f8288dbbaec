/** The entries of the schedules' log, what they fold to, and why one is refused. */

import { type Entry, HUB_ID, PLAIN } from '../core/records/session/envelope.ts';
import { WireError } from '../core/lib/errors.ts';
import type { JsonObject } from '../core/lib/json.ts';
import type { Limits } from '../core/records/access/limits.ts';
import type { ScheduleDefinition } from '../core/records/work/schedule.ts';
import type { Stamp } from '../core/records/session/stamp.ts';
import { SCHEDULES_LOG } from '../core/ports/store.ts';
import type { Judgement } from './log/staged-log.ts';

/** All there are after an entry of the log. There are few, and they change seldom, so each change copies the map. */
export interface ScheduleBook {
  readonly seq: number;
  readonly envelope_id: string | null;
  readonly byId: ReadonlyMap<string, ScheduleDefinition>;
}

export const NO_SCHEDULES: ScheduleBook = { seq: 0, envelope_id: null, byId: new Map() };

export type ScheduleEntryType = 'schedule.created' | 'schedule.updated' | 'schedule.deleted';

export function foldSchedule(book: ScheduleBook, { envelope }: Entry): ScheduleBook {
  const { seq, envelope_id, event_type, event_data } = envelope;
  const byId = new Map(book.byId);
  const scheduleId = String(event_data.schedule_id);
  if (event_type === 'schedule.deleted') byId.delete(scheduleId);
  // Written by `entryOf` from a definition.
  else byId.set(scheduleId, event_data as unknown as ScheduleDefinition);
  return { seq, envelope_id, byId };
}

/** One entry with the answer it gives. */
export function scheduleEntry<T>(
  book: ScheduleBook,
  stamp: Stamp,
  event_type: ScheduleEntryType,
  definition: ScheduleDefinition,
  answer: T,
): Judgement<ScheduleBook, T> {
  const draft = { session_id: SCHEDULES_LOG, sender_id: HUB_ID, audience: [], event_type, ...PLAIN };
  // A definition is JSON: texts, flags and a template that came as JSON.
  const event_data = definition as unknown as JsonObject;
  const entry: Entry = { envelope: { ...draft, event_data, ...stamp, seq: book.seq + 1, depth: 0 }, turn: null };
  return { kind: 'accept', unit: { entries: [entry] }, after: foldSchedule(book, entry), answer };
}

/** Why a schedule of this name cannot be added to the book. */
export function roomRefusal(
  { byId }: ScheduleBook,
  { maxSchedules, maxSchedulesPerCreator }: Limits,
  creatorId: string,
): WireError | null {
  const own = [...byId.values()].filter(({ creator_id }) => creator_id === creatorId).length;
  if (own >= maxSchedulesPerCreator) return tooMany('you may have', maxSchedulesPerCreator);
  return byId.size >= maxSchedules ? tooMany('this hub takes', maxSchedules) : null;
}

/** Names are unique among those of one creator, so that a repeated request makes no second one. */
export function nameRefusal({ byId }: ScheduleBook, wanted: ScheduleDefinition): WireError | null {
  for (const { schedule_id, creator_id, name } of byId.values()) {
    if (creator_id !== wanted.creator_id || name !== wanted.name || schedule_id === wanted.schedule_id) continue;
    const message = `params.name: you have a schedule "${name}" already; update it, or take another name`;
    return new WireError('conflict', message, { field: 'params.name', schedule_id });
  }
  return null;
}

export function noSchedule(scheduleId: string): WireError {
  return new WireError('not_found', `no schedule ${scheduleId}`);
}

function tooMany(who: string, most: number): WireError {
  return new WireError('too_large', `${who} at most ${most} schedules; delete one first`, { most });
}

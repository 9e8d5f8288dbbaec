import { describe, expect, it } from 'vitest';
import type { MissedTimes, ScheduleDefinition } from '../../../src/core/records/work/schedule.ts';
import { dueTime } from '../../../src/hub/schedules/next-run.ts';

const HOURLY: ScheduleDefinition = {
  schedule_id: 's',
  creator_id: 'a',
  name: 'hourly',
  template: { type: 'conversation', participants: [] },
  expression: '0 * * * *',
  zone: 'UTC',
  missed: 'skip',
  overlap: false,
  paused: false,
  created_at: '',
  updated_at: '',
  counts_from: '',
};

const ms = (time: string) => Date.parse(`2026-01-01T${time}Z`);
const shown = (at: number | null | undefined) => (at == null ? null : new Date(at).toISOString().slice(11, 19));

describe('the due time', () => {
  it.each<[string, MissedTimes, string, string | null]>([
    ['before the first', 'skip', '00:59:59', null],
    ['in time', 'skip', '01:00:00', '01:00:00 runs'],
    ['as late as may be', 'skip', '01:01:00', '01:00:00 runs'],
    ['too late', 'skip', '01:01:01', '01:00:00 missed since 01:00:00'],
    ['too late, to be made up for', 'once', '01:01:01', '01:00:00 runs'],
    ['too late for three', 'skip', '03:30:00', '03:00:00 missed since 01:00:00'],
    ['too late for three, to be made up for', 'once', '03:30:00', '03:00:00 runs since 01:00:00'],
    ['too late for two, and in time for a third', 'skip', '03:00:30', '03:00:00 runs since 01:00:00'],
  ])('[SC8] %s (%s) at %s', (_what, missed, now, expected) => {
    const due = dueTime({ ...HOURLY, missed }, ms('00:00:00'), ms(now), 60_000);
    const since = due?.missed_since_ms == null ? '' : ` since ${shown(due.missed_since_ms)}`;
    expect(due === null ? null : `${shown(due.at_ms)} ${due.runs ? 'runs' : 'missed'}${since}`).toBe(expected);
  });
});

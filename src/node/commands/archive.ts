/** `parley archive`. */

import { durationMs } from '../../core/time.ts';
import { systemClock } from '../system-clock.ts';
import { sizeOf, withStore } from './care.ts';
import type { Command } from './command.ts';
import { EXIT } from './exit-codes.ts';
import { wrongValue } from './trouble.ts';

export const archive: Command = {
  name: 'archive',
  summary: 'Pack sessions that ended long ago: disk space is given back, and they stay readable.',
  options: [
    {
      name: 'ended-before',
      value: 'time',
      help: 'Only those that ended before this: 2026-01-31, or an age such as 30d (30d).',
    },
  ],
  on: 'folder',
  examples: ['parley archive --ended-before 90d', 'parley archive --ended-before 2026-01-01'],
  json: '{"data", "ended_before", "sessions", "freed_bytes"}.',
  run(asked, io) {
    const ended_before = timeOf(asked.values['ended-before'] ?? '30d');
    return withStore(asked, io, async (store, data) => {
      const { sessions, freedBytes } = await store.archive({
        endedBefore: ended_before,
        onProgress: io.progress('archiving'),
      });
      io.put({ data, ended_before, sessions, freed_bytes: freedBytes });
      io.say(`${sessions} sessions that ended before ${ended_before}; ${sizeOf(Math.max(0, freedBytes))} given back`);
      return EXIT.done;
    });
  },
};

function timeOf(given: string): string {
  if (/^\d{4}-\d{2}-\d{2}/.test(given) && Number.isFinite(Date.parse(given))) return new Date(given).toISOString();
  if (!/^\d+(\.\d+)?[smhd]$/.test(given))
    throw wrongValue('--ended-before', 'a date such as 2026-01-31 or an age such as 30d', given);
  return new Date(systemClock.now() - durationMs(given, '--ended-before')).toISOString();
}

/** `parley archive`. */

import { durationMs } from '../../core/time.ts';
import { systemClock } from '../../system/clock.ts';
import { besideHub, sizeOf } from './with-store.ts';
import type { Command } from '../terminal/command.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { wrongValue } from '../terminal/command-error.ts';

export const archive: Command = {
  name: 'archive',
  summary: 'Pack sessions that ended long ago: disk space is given back, and they stay readable.',
  details: 'While a hub runs on the folder (parley up), that hub does it, and goes on meanwhile.',
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
  async run(asked, io) {
    const ended_before = timeOf(asked.values['ended-before'] ?? '30d');
    const request = { endedBefore: ended_before };
    const { folder: data, answer } = await besideHub(asked, io, 'archive', request, 'archiving', (store) =>
      store.archive({ ...request, onProgress: io.progress('archiving') }),
    );
    const { sessions, freedBytes } = answer;
    io.put({ data, ended_before, sessions, freed_bytes: freedBytes });
    io.say(
      `${sessions} ${sessions === 1 ? 'session' : 'sessions'} that ended before ${ended_before}; ${sizeOf(Math.max(0, freedBytes))} given back`,
    );
    return EXIT.done;
  },
};

function timeOf(given: string): string {
  if (/^\d{4}-\d{2}-\d{2}/.test(given) && Number.isFinite(Date.parse(given))) return new Date(given).toISOString();
  if (!/^\d+(\.\d+)?[smhd]$/.test(given))
    throw wrongValue('--ended-before', 'a date such as 2026-01-31 or an age such as 30d', given);
  return new Date(systemClock.now() - durationMs(given, '--ended-before')).toISOString();
}

/** `parley archive`: compresses ended sessions. */

import { durationMs } from '../../core/lib/time.ts';
import { systemClock } from '../../system/clock.ts';
import type { Command } from '../terminal/command.ts';
import { invalidValueError } from '../terminal/command-error.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { formatBytes, viaHubOrStore } from './with-store.ts';

export const archive: Command = {
  name: 'archive',
  summary: 'Compress ended sessions to free disk space; they stay readable',
  details: 'If a hub runs on the folder ("parley up"), that hub does it while it serves.',
  options: [
    { name: 'ended-before', value: 'time', help: 'Only sessions that ended before a date or an age (default: 30d)' },
  ],
  on: 'folder',
  examples: [
    ['Archive by age', 'parley archive --ended-before 90d'],
    ['Archive by date', 'parley archive --ended-before 2026-01-01'],
  ],
  json: '{"data", "ended_before", "sessions", "freed_bytes"}.',
  async run(args, io) {
    const ended_before = timeOf(args.values['ended-before'] ?? '30d');
    const request = { endedBefore: ended_before };
    const { folder: data, answer } = await viaHubOrStore(args, io, 'archive', request, 'archiving', (store) =>
      store.archive({ ...request, onProgress: io.progress('archiving') }),
    );
    const { sessions, freedBytes } = answer;
    io.put({ data, ended_before, sessions, freed_bytes: freedBytes });
    const count = `${sessions} ${sessions === 1 ? 'session' : 'sessions'}`;
    io.say(`${count} that ended before ${ended_before}; ${formatBytes(Math.max(0, freedBytes))} freed`);
    return EXIT.done;
  },
};

function timeOf(value: string): string {
  if (/^\d{4}-\d{2}-\d{2}/.test(value) && Number.isFinite(Date.parse(value))) return new Date(value).toISOString();
  if (!/^\d+(\.\d+)?[smhd]$/.test(value))
    throw invalidValueError('--ended-before', 'a date such as 2026-01-31 or an age such as 30d', value);
  return new Date(systemClock.now() - durationMs(value, '--ended-before')).toISOString();
}

/** `parley backup` and `parley restore`. */

import { existsSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import { copyOperatorToken } from '../../server/auth/operator-token.ts';
import { dataFolder } from '../connecting/hub-target.ts';
import type { Command } from '../terminal/command.ts';
import { invalidValueError, notFoundError } from '../terminal/command-error.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { formatBytes, viaHubOrStore } from './with-store.ts';

export const backup: Command = {
  name: 'backup',
  summary: 'Copy everything of a data folder into a new folder.',
  details:
    "The operator's token goes with it. While a hub runs on it (parley up), that hub makes the copy, as its own user, and goes on meanwhile.",
  args: [{ name: 'target', help: 'The folder to make; outside of the data folder.', values: 'folder' }],
  on: 'folder',
  examples: ['parley backup /backups/hub-2026-01-31'],
  json: '{"data", "target", "bytes"}.',
  async run(args, io) {
    const target = args.positionals.target ?? '';
    const request = { target: resolve(target) };
    const { folder: data, answer } = await viaHubOrStore(
      args,
      io,
      'backup',
      request,
      'copying',
      async (store, folder) => {
        assertOutside(folder, target);
        const done = await store.backup(target, { onProgress: io.progress('copying') });
        await copyOperatorToken(folder, target);
        return done;
      },
    );
    const { bytes } = answer;
    io.put({ data, target, bytes });
    io.say(
      `${target}: ${formatBytes(bytes)}; "parley restore ${target} --data <new folder>" makes a data folder of it`,
    );
    return EXIT.done;
  },
};

function assertOutside(data: string, target: string): void {
  const within = relative(resolve(data), resolve(target));
  if (within.startsWith('..') || isAbsolute(within)) return;
  const hint = 'A copy inside would go with it.';
  throw invalidValueError('<target>', `a folder outside of the data folder ${data}`, target, hint);
}

export const restore: Command = {
  name: 'restore',
  summary: 'Make a data folder of a backup.',
  details: 'The data folder must not be there yet, or be empty. Clients see every session from its beginning again.',
  args: [{ name: 'backup', help: 'The folder that "parley backup" made.', values: 'folder' }],
  on: 'folder',
  examples: ['parley restore /backups/hub-2026-01-31 --data .parley'],
  json: '{"backup", "data", "bytes"}.',
  async run(args, io) {
    const from = args.positionals.backup ?? '';
    const data = dataFolder(args, io);
    if (!existsSync(from)) {
      throw notFoundError('no_file', `there is no folder ${from}`, 'Give the folder that "parley backup" made.');
    }
    const { restoreBackup } = await import('../../store/restore.ts');
    const { bytes } = await restoreBackup(from, data, { onProgress: io.progress('copying') });
    await copyOperatorToken(from, data);
    io.put({ backup: from, data, bytes });
    io.say(`${data}: ${formatBytes(bytes)}; "parley up --data ${data}" runs it`);
    return EXIT.done;
  },
};

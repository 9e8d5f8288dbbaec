/** `parley backup` and `parley restore`: copy a data folder, and create one from a backup. */

import { existsSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import { copyOperatorToken } from '../../server/auth/operator-token.ts';
import type { DurableStore } from '../../store/durable-store.ts';
import type { BackupResult } from '../../store/maintenance/backup.ts';
import { dataFolder } from '../connecting/hub-target.ts';
import type { Command } from '../terminal/command.ts';
import { invalidValueError, notFoundError } from '../terminal/command-error.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { formatBytes, viaHubOrStore } from './with-store.ts';

export const backup: Command = {
  name: 'backup',
  summary: 'Copy a data folder to a new folder',
  details:
    'The copy includes the operator token. If a hub runs on the folder ("parley up"), that hub makes the copy and keeps serving; the files then belong to the hub\'s user.',
  args: [{ name: 'target', help: 'Folder to create, outside the data folder', values: 'folder' }],
  on: 'folder',
  examples: [['Back up the hub in this folder', 'parley backup /backups/hub-2026-01-31']],
  json: '{"data", "target", "bytes"}.',
  async run(args, io) {
    const target = args.positionals.target ?? '';
    const request = { target: resolve(target) };
    const copy = async (store: DurableStore, folder: string): Promise<BackupResult> => {
      assertOutside(folder, target);
      const done = await store.backup(target, { onProgress: io.progress('copying') });
      await copyOperatorToken(folder, target);
      return done;
    };
    const { folder: data, answer } = await viaHubOrStore(args, io, 'backup', request, 'copying', copy);
    const { bytes } = answer;
    io.put({ data, target, bytes });
    const next = `"parley restore ${target} --data <new folder>" creates a data folder from it`;
    io.say(`${target}: ${formatBytes(bytes)}; ${next}`);
    return EXIT.done;
  },
};

function assertOutside(data: string, target: string): void {
  const within = relative(resolve(data), resolve(target));
  if (within.startsWith('..') || isAbsolute(within)) return;
  const hint = 'A copy inside would be lost with the data.';
  throw invalidValueError('<target>', `a folder outside the data folder ${data}`, target, hint);
}

export const restore: Command = {
  name: 'restore',
  summary: 'Create a data folder from a backup',
  details: 'The data folder must be empty or not exist yet. Clients reload every session from its beginning.',
  args: [{ name: 'backup', help: 'Folder that "parley backup" created', values: 'folder' }],
  on: 'folder',
  examples: [['Restore into this folder', 'parley restore /backups/hub-2026-01-31 --data .parley']],
  json: '{"backup", "data", "bytes"}.',
  async run(args, io) {
    const from = args.positionals.backup ?? '';
    const data = dataFolder(args, io);
    if (!existsSync(from)) {
      throw notFoundError('no_file', `folder ${from} does not exist`, 'Give the folder that "parley backup" created.');
    }
    const { restoreBackup } = await import('../../store/restore.ts');
    const { bytes } = await restoreBackup(from, data, { onProgress: io.progress('copying') });
    await copyOperatorToken(from, data);
    io.put({ backup: from, data, bytes });
    io.say(`${data}: ${formatBytes(bytes)}; "parley up --data ${data}" runs it`);
    return EXIT.done;
  },
};

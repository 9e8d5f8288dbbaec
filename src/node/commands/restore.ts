/** `parley restore`. */

import { existsSync } from 'node:fs';
import { copyOperatorToken } from '../operator-token.ts';
import { sizeOf } from '../../cli/maintenance/with-store.ts';
import type { Command } from '../../cli/terminal/command.ts';
import { EXIT } from '../../cli/terminal/exit-codes.ts';
import { Trouble } from '../../cli/terminal/command-error.ts';
import { dataFolder } from '../../cli/connecting/hub-target.ts';

export const restore: Command = {
  name: 'restore',
  summary: 'Make a data folder of a backup.',
  details: 'The data folder must not be there yet, or be empty. Clients see every session from its beginning again.',
  args: [{ name: 'backup', help: 'The folder that "parley backup" made.', values: 'folder' }],
  on: 'folder',
  examples: ['parley restore /backups/hub-2026-01-31 --data .parley'],
  json: '{"backup", "data", "bytes"}.',
  async run(asked, io) {
    const from = asked.args.backup ?? '';
    const data = dataFolder(asked, io);
    if (!existsSync(from)) {
      throw new Trouble(
        'notFound',
        'no_file',
        `there is no folder ${from}`,
        'Give the folder that "parley backup" made.',
      );
    }
    const { restoreBackup } = await import('../../store/restore.ts');
    const { bytes } = await restoreBackup(from, data, { onProgress: io.progress('copying') });
    await copyOperatorToken(from, data);
    io.put({ backup: from, data, bytes });
    io.say(`${data}: ${sizeOf(bytes)}; "parley up --data ${data}" runs it`);
    return EXIT.done;
  },
};

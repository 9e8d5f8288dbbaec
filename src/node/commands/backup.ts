/** `parley backup`. */

import { isAbsolute, relative, resolve } from 'node:path';
import { copyOperatorToken } from '../operator-token.ts';
import { besideHub, sizeOf } from '../../cli/maintenance/with-store.ts';
import type { Command } from '../../cli/terminal/command.ts';
import { EXIT } from '../../cli/terminal/exit-codes.ts';
import { wrongValue } from '../../cli/terminal/command-error.ts';

export const backup: Command = {
  name: 'backup',
  summary: 'Copy everything of a data folder into a new folder.',
  details:
    "The operator's token goes with it. While a hub runs on it (parley up), that hub makes the copy, as its own user, and goes on meanwhile.",
  args: [{ name: 'target', help: 'The folder to make; outside of the data folder.', values: 'folder' }],
  on: 'folder',
  examples: ['parley backup /backups/hub-2026-01-31'],
  json: '{"data", "target", "bytes"}.',
  async run(asked, io) {
    const target = asked.args.target ?? '';
    const request = { target: resolve(target) };
    const { folder: data, answer } = await besideHub(asked, io, 'backup', request, 'copying', async (store, folder) => {
      assertOutside(folder, target);
      const done = await store.backup(target, { onProgress: io.progress('copying') });
      await copyOperatorToken(folder, target);
      return done;
    });
    const { bytes } = answer;
    io.put({ data, target, bytes });
    io.say(`${target}: ${sizeOf(bytes)}; "parley restore ${target} --data <new folder>" makes a data folder of it`);
    return EXIT.done;
  },
};

function assertOutside(data: string, target: string): void {
  const within = relative(resolve(data), resolve(target));
  if (within.startsWith('..') || isAbsolute(within)) return;
  const hint = 'A copy inside would go with it.';
  throw wrongValue('<target>', `a folder outside of the data folder ${data}`, target, hint);
}

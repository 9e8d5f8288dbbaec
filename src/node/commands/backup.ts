/** `parley backup`. */

import { isAbsolute, relative, resolve } from 'node:path';
import { copyOperatorToken } from '../operator-token.ts';
import { sizeOf, withStore } from './care.ts';
import type { Command } from './command.ts';
import { EXIT } from './exit-codes.ts';
import { wrongValue } from './trouble.ts';

export const backup: Command = {
  name: 'backup',
  summary: 'Copy everything of a data folder into a new folder.',
  details: "The operator's token goes with it. While a hub runs, hub.backup() of its process copies all but that.",
  args: [{ name: 'target', help: 'The folder to make; outside of the data folder.', values: 'folder' }],
  on: 'folder',
  examples: ['parley backup /backups/hub-2026-01-31'],
  json: '{"data", "target", "bytes"}.',
  run(asked, io) {
    return withStore(asked, io, async (store, data) => {
      const target = asked.args.target ?? '';
      const within = relative(resolve(data), resolve(target));
      if (!within.startsWith('..') && !isAbsolute(within)) {
        throw wrongValue(
          '<target>',
          `a folder outside of the data folder ${data}`,
          target,
          'A copy inside would go with it.',
        );
      }
      const { bytes } = await store.backup(target, { onProgress: io.progress('copying') });
      await copyOperatorToken(data, target);
      io.put({ data, target, bytes });
      io.say(`${target}: ${sizeOf(bytes)}; "parley restore ${target} --data <new folder>" makes a data folder of it`);
      return EXIT.done;
    });
  },
};

/** `parley repair`. */

import { withStore } from './care.ts';
import type { Command } from './command.ts';
import { EXIT } from './exit-codes.ts';

export const repair: Command = {
  name: 'repair',
  summary: 'Cut damaged logs to what is sound of them.',
  details:
    'What is cut is lost: make a "parley backup" first. Without --session all that are damaged; sound ones are left alone.',
  options: [{ name: 'session', value: 'id', help: 'Only this one, by its whole id.', isMany: true }],
  on: 'folder',
  examples: ['parley repair', 'parley repair --session 0192f3b27a3c4d5e8f90a1b2c3d4e5f6'],
  json: '{"data", "repaired": [{"log_id", "kept_seq", "epoch"}]}.',
  run(asked, io) {
    return withStore(asked, io, async (store, data) => {
      const repaired = await store.repair(asked.lists.session, { onProgress: io.progress('reading') });
      io.put({ data, repaired });
      for (const { log_id, kept_seq } of repaired) io.say(`${log_id}: kept up to seq ${kept_seq}`);
      if (repaired.length === 0) io.say('nothing is damaged');
      return EXIT.done;
    });
  },
};

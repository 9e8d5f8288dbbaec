/** `parley repair`. */

import { join } from 'node:path';
import { withStore } from '../../cli/maintenance/with-store.ts';
import type { Command } from '../../cli/terminal/command.ts';
import { EXIT } from '../../cli/terminal/exit-codes.ts';
import { sayDamage } from './say-damage.ts';

export const repair: Command = {
  name: 'repair',
  summary: 'Cut damaged logs to what is sound of them, and set aside what is damaged of the audit.',
  details:
    'Nobody reads what is cut any more: make a "parley backup" first. Without --session all that are damaged; sound ones are left alone. Damaged records of the audit, and what else no log needs, are set aside: the bytes are kept in a file beside the journal, and "parley verify" is content.',
  options: [{ name: 'session', value: 'id', help: 'Only this one, by its whole id.', isMany: true }],
  on: 'folder',
  examples: ['parley repair', 'parley repair --session 0192f3b27a3c4d5e8f90a1b2c3d4e5f6'],
  json: '{"data", "repaired": [{"log_id", "kept_seq", "epoch"}], "set_aside": [{"file", "begin", "end", "logs", "others", "copy"}]}.',
  run(asked, io) {
    return withStore(asked, io, async (store, data) => {
      const { session } = asked.lists;
      const repaired = await store.repair(session, { onProgress: io.progress('reading') });
      const isSome = session !== undefined;
      const set_aside = await store.setAside({ onProgress: io.progress('reading again'), isSome });
      io.put({ data, repaired, set_aside });
      for (const { log_id, kept_seq } of repaired) io.say(`${log_id}: kept up to seq ${kept_seq}`);
      for (const damage of set_aside) {
        const { copy } = damage;
        io.say(
          `${sayDamage(damage)}: set aside${copy === null ? '' : `; a copy is in ${join(data, 'journal', copy)}`}`,
        );
      }
      if (repaired.length + set_aside.length === 0) io.say('nothing is damaged');
      return EXIT.done;
    });
  },
};

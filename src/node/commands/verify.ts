/** `parley verify`. */

import { withStore } from './care.ts';
import type { Command } from './command.ts';
import { EXIT } from './exit-codes.ts';

export const verify: Command = {
  name: 'verify',
  summary: 'Read a data folder again from its beginning, and compare with what is kept of it.',
  details: 'It changes nothing. Exit code 8 says that something does not agree.',
  on: 'folder',
  examples: ['parley verify --data /var/lib/parley'],
  json: '{"data", "ok", "records", "logs", "damages", "problems", "damaged"}.',
  run(asked, io) {
    return withStore(asked, io, async (store, data) => {
      const found = await store.verify({ onProgress: io.progress('verifying') });
      const { records, logs, damages, problems } = found;
      const ok = problems.length === 0 && damages.length === 0;
      io.put({ data, ok, ...found });
      io.say(
        `${records} records, ${logs} logs: ${ok ? 'all as it should be' : `${problems.length + damages.length} problems`}`,
      );
      for (const { log_id, problem } of problems) io.say(`  ${log_id}: ${problem}`);
      if (!ok) io.note('"parley backup" keeps a copy as it is; "parley repair" cuts damaged logs to what is sound');
      return ok ? EXIT.done : EXIT.found;
    });
  },
};

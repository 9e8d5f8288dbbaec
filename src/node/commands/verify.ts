/** `parley verify`. */

import { placeOf } from '../store/set-aside.ts';
import { besideHub } from '../../cli/maintenance/with-store.ts';
import type { Command } from '../../cli/terminal/command.ts';
import { EXIT } from '../../cli/terminal/exit-codes.ts';
import { sayDamage } from './say-damage.ts';

export const verify: Command = {
  name: 'verify',
  summary: 'Read a data folder again from its beginning, and compare with what is kept of it.',
  details:
    'It changes nothing, and works beside a hub that runs on the folder (parley up). What is damaged is named by its file, its place in it and what it belonged to. Exit code 8 says that something does not agree.',
  on: 'folder',
  examples: ['parley verify --data /var/lib/parley'],
  json: '{"data", "ok", "records", "logs", "damages": [{"file", "begin", "end", "logs", "others"}], "problems", "damaged", "set_aside"}.',
  async run(asked, io) {
    const { folder: data, answer: found } = await besideHub(asked, io, 'verify', {}, 'verifying', (store) =>
      store.verify({ onProgress: io.progress('verifying') }),
    );
    const { records, logs, problems, set_aside } = found;
    const damages = found.damages.map(placeOf);
    const ok = problems.length === 0 && damages.length === 0;
    io.put({ data, ok, ...found, damages });
    const count = problems.length + damages.length;
    io.say(`${records} records, ${logs} logs: ${ok ? 'all as it should be' : problemsIn(count)}`);
    for (const damage of damages) io.say(`  ${sayDamage(damage)}`);
    for (const { log_id, problem } of problems) io.say(`  ${log_id}: ${problem}`);
    if (set_aside > 0) io.say(`  damage that "parley repair" set aside before: ${set_aside}`);
    if (!ok) io.note('"parley backup" keeps a copy as it is; "parley repair" cuts damaged logs to what is sound');
    return ok ? EXIT.done : EXIT.found;
  },
};

function problemsIn(count: number): string {
  return count === 1 ? '1 problem' : `${count} problems`;
}

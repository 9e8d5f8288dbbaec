/** `parley verify` and `parley repair`. */

import { join } from 'node:path';
import { type DamagedRange, toDamagedRange } from '../../store/journal/damage.ts';
import type { Command } from '../terminal/command.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { viaHubOrStore, withStore } from './with-store.ts';

export const verify: Command = {
  name: 'verify',
  summary: 'Read a data folder again from its beginning, and compare with what is kept of it.',
  details:
    'It changes nothing, and works beside a hub that runs on the folder (parley up). What is damaged is named by its file, its place in it and what it belonged to. Exit code 8 says that something does not agree.',
  on: 'folder',
  examples: ['parley verify --data /var/lib/parley'],
  json: '{"data", "ok", "records", "logs", "damages": [{"file", "begin", "end", "logs", "others"}], "problems", "damaged", "set_aside"}.',
  async run(args, io) {
    const { folder: data, answer: found } = await viaHubOrStore(args, io, 'verify', {}, 'verifying', (store) =>
      store.verify({ onProgress: io.progress('verifying') }),
    );
    const { records, logs, problems, set_aside } = found;
    const damages = found.damages.map(toDamagedRange);
    const ok = problems.length === 0 && damages.length === 0;
    io.put({ data, ok, ...found, damages });
    const count = problems.length + damages.length;
    io.say(`${records} records, ${logs} logs: ${ok ? 'all as it should be' : problemsIn(count)}`);
    for (const damage of damages) io.say(`  ${describeDamage(damage)}`);
    for (const { log_id, problem } of problems) io.say(`  ${log_id}: ${problem}`);
    if (set_aside > 0) io.say(`  damage that "parley repair" set aside before: ${set_aside}`);
    if (!ok) io.note('"parley backup" keeps a copy as it is; "parley repair" cuts damaged logs to what is sound');
    return ok ? EXIT.done : EXIT.found;
  },
};

function problemsIn(count: number): string {
  return count === 1 ? '1 problem' : `${count} problems`;
}

export const repair: Command = {
  name: 'repair',
  summary: 'Cut damaged logs to what is sound of them, and set aside what is damaged of the audit.',
  details:
    'Nobody reads what is cut any more: make a "parley backup" first. Without --session all that are damaged; sound ones are left alone. Damaged records of the audit, and what else no log needs, are set aside: the bytes are kept in a file beside the journal, and "parley verify" is content.',
  options: [{ name: 'session', value: 'id', help: 'Only this one, by its whole id.', isMany: true }],
  on: 'folder',
  examples: ['parley repair', 'parley repair --session 0192f3b27a3c4d5e8f90a1b2c3d4e5f6'],
  json: '{"data", "repaired": [{"log_id", "kept_seq", "epoch"}], "set_aside": [{"file", "begin", "end", "logs", "others", "copy"}]}.',
  run(args, io) {
    return withStore(args, io, async (store, data) => {
      const { session } = args.lists;
      const repaired = await store.repair(session, { onProgress: io.progress('reading') });
      const isSome = session !== undefined;
      const set_aside = await store.setAside({ onProgress: io.progress('reading again'), isSome });
      io.put({ data, repaired, set_aside });
      for (const { log_id, kept_seq } of repaired) io.say(`${log_id}: kept up to seq ${kept_seq}`);
      for (const damage of set_aside) {
        const { copy } = damage;
        io.say(
          `${describeDamage(damage)}: set aside${copy === null ? '' : `; a copy is in ${join(data, 'journal', copy)}`}`,
        );
      }
      if (repaired.length + set_aside.length === 0) io.say('nothing is damaged');
      return EXIT.done;
    });
  },
};

const NAMES: Readonly<Record<string, string>> = {
  audit: 'the audit log',
  cursors: 'how far agents have read',
  meta: 'named values of the hub',
  hub: 'the list of identities',
  store: 'what was repaired or restored',
  moved: 'where logs were moved to',
};

function describeDamage({ file, begin, end, logs, others }: DamagedRange): string {
  const whose = [...logs.map((log) => NAMES[log] ?? log), ...(others ? ['what has lost its name'] : [])];
  const where =
    begin === end ? `journal/${file} from byte ${begin} on is gone` : `journal/${file}, bytes ${begin} to ${end}`;
  return `${where}: ${whose.join(', ') || 'a mark'}`;
}

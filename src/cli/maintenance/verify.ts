/** `parley verify` and `parley repair`: verify a data folder, and truncate damaged logs. */

import { join } from 'node:path';
import { type DamagedRange, toDamagedRange } from '../../store/journal/damage.ts';
import type { Command } from '../terminal/command.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { viaHubOrStore, withStore } from './with-store.ts';

export const verify: Command = {
  name: 'verify',
  summary: 'Verify the integrity of a data folder',
  details:
    'Reads all records again and compares them with the index and the snapshots, also while a hub runs ("parley up"). Changes nothing. Names damage by file, position and log. Exits with 8 if there are problems.',
  on: 'folder',
  examples: [['Verify a data folder', 'parley verify --data /var/lib/parley']],
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
    const result = ok ? 'no problems' : count === 1 ? '1 problem' : `${count} problems`;
    io.say(`${records} records, ${logs} logs: ${result}`);
    for (const damage of damages) io.say(`  ${describeDamage(damage)}`);
    for (const { log_id, problem } of problems) io.say(`  ${log_id}: ${problem}`);
    if (set_aside > 0) io.say(`  damage quarantined by "parley repair" before: ${set_aside}`);
    if (!ok)
      io.note('keep a copy with "parley backup"; then "parley repair" truncates damaged logs to their valid part');
    return ok ? EXIT.done : EXIT.found;
  },
};

export const repair: Command = {
  name: 'repair',
  summary: 'Truncate damaged logs to their valid part and quarantine damaged audit records',
  details:
    'Truncated entries are lost: run "parley backup" first. Repairs all damaged logs, or those of --session. Damaged records that no log needs, such as those of the audit trail, are quarantined: their bytes are kept in a file beside the journal.',
  options: [{ name: 'session', value: 'id', help: 'Only this session, by its complete id', isMany: true }],
  on: 'folder',
  examples: [
    ['Repair all damaged logs', 'parley repair'],
    ['Repair one session', 'parley repair --session 0192f3b27a3c4d5e8f90a1b2c3d4e5f6'],
  ],
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
        const copy = damage.copy === null ? '' : `; a copy is in ${join(data, 'journal', damage.copy)}`;
        io.say(`${describeDamage(damage)}: quarantined${copy}`);
      }
      if (repaired.length + set_aside.length === 0) io.say('nothing is damaged');
      return EXIT.done;
    });
  },
};

const NAMES: Readonly<Record<string, string>> = {
  audit: 'the audit log',
  cursors: 'cursors of agents',
  meta: 'named values of the hub',
  hub: 'the list of identities',
  store: 'the list of repairs and restores',
  moved: 'the positions of moved logs',
};

function describeDamage({ file, begin, end, logs, others }: DamagedRange): string {
  const whose = [...logs.map((log) => NAMES[log] ?? log), ...(others ? ['records of unknown logs'] : [])];
  const where =
    begin === end ? `journal/${file} is missing from byte ${begin} on` : `journal/${file}, bytes ${begin} to ${end}`;
  return `${where}: ${whose.join(', ') || 'a mark'}`;
}

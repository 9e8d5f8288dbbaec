/** `parley doctor`. */

import type { Asked, Command } from '../../cli/terminal/command.ts';
import { type Check, checksOf } from '../../cli/operating/doctor-checks.ts';
import { lookAtConfig } from './doctor-config.ts';
import { EXIT } from '../../cli/terminal/exit-codes.ts';
import type { Io } from '../../cli/terminal/io.ts';

export const doctor: Command = {
  name: 'doctor',
  summary: 'Look whether a hub can run here, or runs well: environment, config file, folder, port, disk, clock.',
  details:
    'It writes and removes a small file in the data folder, or beside it, to time the disk. Exit code 8 says that something is wrong.',
  options: [
    {
      name: 'config',
      value: 'file',
      help: 'A config file to look at; the one in this folder unless told. Scripts in it are loaded, nobody joins.',
      values: 'file',
    },
    { name: 'as', value: 'name', help: 'Who asks; a token for one name knows it by itself.' },
  ],
  on: 'hub',
  examples: ['parley doctor', 'parley doctor --config team.yaml', 'parley doctor --data /var/lib/parley --json'],
  json: '{"ok", "checks": [{"name", "ok", "found", "hint"}]}.',
  async run(asked: Asked, io: Io) {
    const checks: Check[] = [];
    const { check, around } = await lookAtConfig(asked, io);
    const looks = checksOf(around, io);
    for (const look of check === null ? looks : [async () => check, ...looks]) {
      const check = await look();
      checks.push(check);
      if (!io.isJson) print(io, check);
    }
    const ok = checks.every((check) => check.ok);
    io.put({ ok, checks });
    return ok ? EXIT.done : EXIT.found;
  },
};

function print(io: Io, { name, ok, found, hint }: Check): void {
  const { paint } = io.terminal;
  const lines = found.replaceAll('\n', `\n${' '.repeat(20)}`);
  io.say(`${ok ? paint('ok   ', 'green') : paint('wrong', 'red')}  ${name.padEnd(12)} ${lines}`);
  if (!ok) io.say(paint(`                     ${hint}`, 'yellow'));
}

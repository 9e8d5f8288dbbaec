/** `parley doctor`. */

import type { Asked, Command } from './command.ts';
import { type Check, checksOf } from './doctor-checks.ts';
import { EXIT } from './exit-codes.ts';
import type { Io } from './io.ts';

export const doctor: Command = {
  name: 'doctor',
  summary: 'Look whether a hub can run here, or runs well: environment, folder, port, disk, clock.',
  details:
    'It writes and removes a small file in the data folder, or beside it, to time the disk. Exit code 8 says that something is wrong.',
  options: [{ name: 'as', value: 'name', help: 'Who asks; a token for one name knows it by itself.' }],
  on: 'hub',
  examples: ['parley doctor', 'parley doctor --data /var/lib/parley --json'],
  json: '{"ok", "checks": [{"name", "ok", "found", "hint"}]}.',
  async run(asked: Asked, io: Io) {
    const checks: Check[] = [];
    for (const look of checksOf(asked, io)) {
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
  io.say(`${ok ? paint('ok   ', 'green') : paint('wrong', 'red')}  ${name.padEnd(12)} ${found}`);
  if (!ok) io.say(paint(`                     ${hint}`, 'yellow'));
}

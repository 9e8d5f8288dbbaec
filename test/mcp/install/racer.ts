/** A process that installs an entry for each home read from stdin, and prints the result. */

import { createInterface } from 'node:readline';
import { CommandError } from '../../../src/cli/terminal/command-error.ts';
import { Workshop } from './workshop.ts';

const entry = process.argv[2] ?? '';
for await (const root of createInterface({ input: process.stdin })) {
  const shop = Workshop.at(root);
  const said = await shop.run('cursor', { yes: true, entry, name: entry }).then(
    () => 'done',
    (thrown) => (thrown instanceof CommandError ? thrown.code : String(thrown)),
  );
  process.stdout.write(`${said}\n`);
}

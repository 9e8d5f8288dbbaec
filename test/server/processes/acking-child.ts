/**
 * A hub under strace: each line of its input is posted, and when the post is answered a line goes out with one call to the
 * system, at once. `--no-sync`: a mutant whose files say they synced and did not.
 */

import fs, { writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { createInterface } from 'node:readline';
import { createHub } from '../../../src/server/create-hub.ts';
import { openStore } from '../../../src/store/open-store.ts';

const [, , folder = '', flag] = process.argv;
if (flag === '--no-sync') await withoutSync();

const { store } = await openStore(folder, { segmentBytes: 64 * 1024 });
const hub = await createHub({ store });
await hub.agent('bob');
const session = await (await hub.agent('alice')).open('conversation', ['bob']);

writeSync(1, 'ready\n');
const answered: Promise<void>[] = [];
for await (const line of createInterface({ input: process.stdin })) {
  answered.push(session.send(line).then(() => void writeSync(1, `ack ${line}\n`)));
}
await Promise.all(answered);
await hub.stop();

async function withoutSync(): Promise<void> {
  const handle = await open(process.execPath);
  Object.assign(Object.getPrototypeOf(handle), { datasync: async () => {}, sync: async () => {} });
  await handle.close();
  const { open: reallyOpen } = fs.promises;
  const unsynced = (flags: string | number | undefined) =>
    typeof flags === 'number' ? flags & ~fs.constants.O_DSYNC : flags;
  Object.assign(fs.promises, {
    open: (path: string, flags?: string | number, mode?: number) => reallyOpen(path, unsynced(flags), mode),
  });
  Object.assign(fs, { fdatasync: (_fd: number, done: (error: null) => void) => void setImmediate(done, null) });
  syncBuiltinESMExports();
}

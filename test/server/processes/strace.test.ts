// The system calls of the hub and their order: nothing is announced before it is synced.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { required } from '../../package/repository.ts';
import { sharedScript } from '../../support/shared-script.ts';
import { sharedFolder } from '../../support/temp-folder.ts';
import { callsIn, faultsIn, unsyncedFolders } from './system-trace.ts';

const canTrace = spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0;
const skips = !canTrace && !required('strace');
const why = canTrace ? '' : ' (skipped: strace is missing or may not trace here)';

const built = sharedScript('test/server/processes/acking-child.ts');
const root = sharedFolder();

describe('the calls of a hub to the system', () => {
  it.skipIf(skips)(
    `[DS5, L1] every answer is written after its post is on the disk: its write through returned, or the fdatasync that follows its write${why}`,
    async () => {
      expect(canTrace, 'PARLEY_REQUIRE asks for strace').toBe(true);
      const { words, trace } = await traced();
      const calls = callsIn(trace);
      expect(faultsIn(calls, words)).toEqual([]);
      const syncs = calls.filter(
        ({ name, target, through }) =>
          target.endsWith('.journal') && (name === 'fdatasync' || (through && name.startsWith('pwrite'))),
      );
      expect(syncs.length).toBeGreaterThan(10);
      // Some waited for a sync together.
      expect(syncs.length).toBeLessThan(words.length);
      // The index is a cache: it may be lost with its name.
      const unsynced = unsyncedFolders(trace, 'ready').filter((name) => !name.endsWith('/index'));
      expect(unsynced).toEqual([]);
    },
    60_000,
  );

  it.skipIf(skips)(
    `[DS5] a process whose files do not sync is found out by its trace${why}`,
    async () => {
      const { words, trace } = await traced('--no-sync');
      expect(faultsIn(callsIn(trace), words)).toEqual(words.map((word) => `"${word}" was never synced`));
      expect(unsyncedFolders(trace, 'ready').map((name) => basename(name))).toContain('journal');
    },
    60_000,
  );

  it('[DS5] a trace in which an answer overtakes its sync, or a sync began before its write returned, is found out', () => {
    const write = '7 10:00:00.000001 pwrite64(20</d/00000001.journal>, "..\\"text\\":\\"one\\"..", 90, 0) = 90';
    const begun = '8 10:00:00.000002 fdatasync(20</d/00000001.journal> <unfinished ...>';
    const resumed = '8 10:00:00.000004 <... fdatasync resumed>) = 0';
    const answer = '7 10:00:00.000003 write(1<pipe:[9]>, "ack one\\n", 8) = 8';
    const check = (...lines: readonly string[]) => faultsIn(callsIn(lines.join('\n')), ['one']);
    expect(check(write, begun, resumed, answer)).toEqual([]);
    expect(check(write, begun, answer, resumed)).toEqual(['"one" was answered before its sync returned']);
    expect(check(begun, write, resumed, answer)).toEqual(['"one" was never synced']);
    expect(check(begun, resumed, answer)).toEqual(['"one" is in no write to the journal']);
    expect(check(write, begun, resumed)).toEqual(['"one" was not answered']);
    const opened =
      '7 10:00:00.000000 openat(AT_FDCWD</d>, "/d/00000001.journal", O_RDWR|O_DSYNC|O_CLOEXEC) = 20</d/00000001.journal>';
    const [writing, written] = [
      write.replace(/, 90, 0.*/, ' <unfinished ...>'),
      '7 10:00:00.000009 <... pwrite64 resumed>) = 90',
    ];
    const otherAnswer = answer.replace(/^7/, '9');
    expect(check(opened, write, answer)).toEqual([]);
    expect(check(opened, writing, otherAnswer, written)).toEqual(['"one" was answered before its write returned']);
    expect(check(opened.replace('|O_DSYNC', ''), write, answer)).toEqual(['"one" was never synced']);
    expect(check(opened, opened.replace('|O_DSYNC', ''), write, answer)).toEqual(['"one" was never synced']);
  });
});

/** Posts one after the other, and then many at once. */
async function traced(...flags: readonly string[]): Promise<{ words: readonly string[]; trace: string }> {
  const folder = await mkdtemp(join(root.path, 'run-'));
  const output = join(folder, 'trace');
  const calls = 'trace=openat,write,pwrite64,pwritev,fdatasync,fsync,mkdir,mkdirat';
  const options = ['-f', '-tt', '-y', '-s', '100000', '-e', calls, '-o', output];
  const command = [process.execPath, built.path, join(folder, 'deep', 'data'), ...flags];
  const child = spawn('strace', [...options, ...command], { stdio: ['pipe', 'pipe', 'inherit'] });
  // Without its input it ends by itself, also when a test fails here.
  onTestFinished(() => void child.stdin.destroy());
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect(await lines.next()).toMatchObject({ value: 'ready' });
  const words: string[] = [];
  const post = (word: string) => {
    words.push(word);
    child.stdin.write(`${word}\n`);
  };
  for (let i = 0; i < 12; i++) {
    post(`single-${i}-of-many`);
    expect(await lines.next()).toMatchObject({ value: `ack single-${i}-of-many` });
  }
  for (let i = 0; i < 48; i++) post(`burst-${i}-of-many`);
  child.stdin.end();
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
  return { words, trace: await readFile(output, 'utf8') };
}

// Durability: the order of system calls, as strace shows it.

import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { required } from '../../package/repository.ts';
import { builtScript } from '../../support/built-script.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const canTrace = spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0;
const skips = !canTrace && !required('strace');
const why = canTrace ? '' : ' (skipped: strace is missing or may not trace here)';

/** Calls that concern the folder or stdout, in order, as `name what`. */
async function callsOf(folder: string): Promise<readonly string[]> {
  const script = await builtScript('test/governed/files/syncing-child.ts');
  onTestFinished(() => script.remove());
  const output = join(folder, 'trace');
  const calls = 'trace=write,pwrite64,fsync,fdatasync,rename,renameat,renameat2';
  execFileSync('strace', ['-f', '-y', '-e', calls, '-o', output, process.execPath, script.path, folder]);
  return readFileSync(output, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, name = '', rest = ''] = /^\d+ +(\w+)\((.*)$/.exec(line) ?? [];
      const said = name === 'write' ? /^1<.*>, "(\w+)\\n"/.exec(rest)?.[1] : undefined;
      if (said !== undefined) return [`said ${said}`];
      return rest.includes(folder) ? [`${name} ${shown(rest, folder)}`] : [];
    });
}

function shown(rest: string, folder: string): string {
  if (rest.includes('state.json"')) return 'state.json';
  if (/\.new[>"]/.test(rest)) return 'draft';
  return rest.includes('hook-audit.jsonl>') ? 'audit' : rest.includes(`<${folder}>`) ? 'folder' : 'other';
}

it.skipIf(skips)(
  `[GF11, GH7] syncs a file before its rename, the rename before the answer, and a line before it counts${why}`,
  async () => {
    const folder = realpathSync(tempFolder('synced'));
    expect(await callsOf(folder)).toEqual([
      expect.stringMatching(/^p?write(64)? draft$/),
      'fsync draft',
      expect.stringMatching(/^rename(at2?)? state\.json$/),
      'fsync folder',
      'said written',
      expect.stringMatching(/^p?write(64)? audit$/),
      'fdatasync audit',
      'said appended',
    ]);
  },
  60_000,
);

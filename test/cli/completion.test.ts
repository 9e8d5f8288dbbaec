// The completion scripts, in the shells they are for.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { COMPLETIONS, type Shell } from '../../src/cli/completion.ts';
import { COMMANDS } from '../../src/cli/table.ts';
import { zshOffers } from './zsh-offers.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-completion-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const has = (shell: Shell): boolean => spawnSync(shell, ['-c', 'true']).status === 0;
const without = (shell: Shell): string => (has(shell) ? '' : ` (skipped: there is no ${shell} here)`);

function scriptFile(shell: Shell): string {
  const file = join(folder, `parley.${shell}`);
  writeFileSync(file, COMPLETIONS[shell](COMMANDS));
  return file;
}

/** What bash offers for the last of these words. */
function bashOffers(...words: readonly string[]): readonly string[] {
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const ask = `source '${scriptFile('bash')}'; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _parley; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', ask], { encoding: 'utf8', cwd: folder });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.split('\n').filter((line) => line !== '');
}

it.skipIf(!has('bash'))(`[CM13] bash completes commands, their options, values and files${without('bash')}`, () => {
  expect(bashOffers('parley', '')).toEqual([...COMMANDS.map(({ name }) => name), '--help', '--version']);
  expect(bashOffers('parley', 'se')).toEqual(['send', 'sessions', 'search']);
  expect(bashOffers('parley', 'show', '--a')).toEqual(['--as', '--at']);
  expect(bashOffers('parley', 'export', 'last', '--format', '')).toEqual(['jsonl', 'md', 'html']);
  expect(bashOffers('parley', 'token', 'c')).toEqual(['create']);
  expect(bashOffers('parley', 'open', 'con')).toEqual(['consulting', 'conversation']);
  writeFileSync(join(folder, 'support.yaml'), '');
  expect(bashOffers('parley', 'open', 'workflow', '--graph', 'sup')).toEqual(['support.yaml']);
  expect(bashOffers('parley', 'graph', 'sup')).toEqual(['support.yaml']);
  expect(bashOffers('parley', 'send', 'last', '--key', '')).toEqual([]);
});

/** The same is asked of each; bash is asked by itself above. */
const ASKED: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ['parley se', ['search', 'send', 'sessions']],
  ['parley --v', ['--version']],
  ['parley show --a', ['--as', '--at']],
  ['parley export last --format ', ['html', 'jsonl', 'md']],
  ['parley token c', ['create']],
  ['parley open con', ['consulting', 'conversation']],
  ['parley open workflow --to a --to b --la', ['--label']],
  ['parley open workflow --graph sup', ['support.yaml']],
  ['parley graph sup', ['support.yaml']],
  ['parley backup somew', ['somewhere']],
  ['parley verify --data somew', ['somewhere']],
  ['parley send last --key ', []],
  // A word of a message that is called like a command.
  ['parley send show --a', ['--as']],
];

function someFiles(): void {
  writeFileSync(join(folder, 'support.yaml'), '');
  mkdirSync(join(folder, 'somewhere'), { recursive: true });
  writeFileSync(join(folder, 'somewhat'), '');
}

it.skipIf(!has('zsh')).each(['fpath', 'source'] as const)(
  `[CM13] zsh completes commands, their options, values and files, at the first try, loaded by %s${without('zsh')}`,
  (loading) => {
    someFiles();
    writeFileSync(join(folder, '_parley'), COMPLETIONS.zsh(COMMANDS));
    const offered = ASKED.map(([line]) => [line, [...zshOffers(folder, line, loading)].sort()]);
    expect(offered).toEqual(ASKED);
  },
);

it.skipIf(!has('fish'))(`[CM13] fish completes commands, their options, values and files${without('fish')}`, () => {
  someFiles();
  const script = scriptFile('fish');
  const offered = ASKED.map(([line]) => {
    const ask = `source '${script}'; complete -C '${line}'`;
    const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', ask], { encoding: 'utf8', cwd: folder });
    expect(stderr).toBe('');
    const words = stdout.split('\n').map((one) => (one.split('\t')[0] ?? '').replace(/\/$/, ''));
    return [line, words.filter((word) => word !== '').sort()];
  });
  expect(offered).toEqual(ASKED);
});

it('[CM1, CM13] every command and every option is in each script', () => {
  for (const shell of Object.keys(COMPLETIONS) as Shell[]) {
    const script = COMPLETIONS[shell](COMMANDS);
    for (const { name, options = [] } of COMMANDS) {
      expect(script).toContain(name);
      for (const option of options) expect(script).toContain(option.name);
    }
  }
});

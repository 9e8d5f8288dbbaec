// `parley mcp install` at a terminal, and with a token in a file.

import { spawn, spawnSync } from 'node:child_process';
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { required } from '../../package/repository.ts';
import { CommandLine, Joined } from '../../support/command-line.ts';
import { itDeep } from '../../support/size.ts';

const hasPty = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;
const skips = !hasPty && !required('pty');
const why = hasPty ? '' : ' (skipped: the command "script" of util-linux is missing)';

let line: CommandLine;
beforeAll(async () => {
  line = await CommandLine.open();
  await line.startHub();
});
afterAll(() => line.close());

const own = () => ({ HOME: line.folder, CODEX_HOME: '', XDG_CONFIG_HOME: '', NO_COLOR: '1' });
const file = () => join(line.folder, '.codex', 'config.toml');

function atTerminal(...args: readonly string[]): Joined {
  const words = [process.execPath, line.command.path, 'mcp', 'install', 'codex', ...args].map((word) => `'${word}'`);
  return new Joined(spawn('script', ['-qefc', words.join(' '), '/dev/null'], { env: { ...line.env, ...own() } }));
}

it.skipIf(skips)(`[MI4] shows the change and asks; anything but yes means no${why}`, async () => {
  for (const answer of ['n', '', 'yep']) {
    const asked = atTerminal();
    await asked.says('+ [mcp_servers.parley]');
    await asked.says('Write this change? [y/N]');
    asked.type(answer);
    await asked.says('nothing was written');
    expect(await asked.ended).toBe(1);
    await expect(access(file())).rejects.toThrow('ENOENT');
  }
  const asked = atTerminal();
  await asked.says('Write this change? [y/N]');
  asked.type('y');
  expect(await asked.ended).toBe(0);
  expect(await readFile(file(), 'utf8')).toContain('[mcp_servers.parley]');
  const again = atTerminal();
  expect(await again.ended).toBe(0);
  expect(again.out).toContain('nothing to change');
});

it('[MI4] without a terminal, shows the change and names --yes', async () => {
  const { code, out, err } = await line.run(['mcp', 'install', 'cursor'], own());
  expect(code).toBe(2);
  expect(out).toContain('+     "parley": {');
  expect(err).toContain('cannot ask for confirmation: not a terminal; nothing was written\nRun again with --yes.');
  await expect(access(join(line.folder, '.cursor'))).rejects.toThrow('ENOENT');
});

itDeep('[MI5, CM5] reads the token from a file in every command that connects to a hub', async () => {
  const [made] = await line.json('token', 'create', '--name', 'dora');
  const kept = join(line.folder, 'dora.token');
  await writeFile(kept, `${String(made?.token)}\n`);
  const none = { PARLEY_DATA: join(line.folder, 'none'), PARLEY_TOKEN: 'not-it' };
  const words = ['agents', '--as', 'dora', '--json', '--token-file', kept];
  const { code, out } = await line.run(words, none);
  expect({ code, names: out.includes('"dora"') }).toEqual({ code: 0, names: true });
  const refused = await line.run(['agents', '--token-file', join(line.folder, 'no.token')], none);
  expect(refused).toMatchObject({ code: 5, out: '' });
});

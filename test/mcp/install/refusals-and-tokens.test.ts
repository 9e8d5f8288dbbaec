// `parley mcp install` asks before it writes, refuses what it cannot do safely, and keeps tokens in files of their own.

import { chmod, mkdir, readdir, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { prepareInstall } from '../../../src/mcp/install/install.ts';
import { resolveRequest } from '../../../src/mcp/install/request.ts';
import { TOOLS } from '../../../src/mcp/install/tools.ts';
import { JSON_FILE, toolNamed, Workshop, YES } from './workshop.ts';

let shop: Workshop;
beforeEach(async () => {
  shop = await Workshop.open();
});

describe('what is refused, with nothing written', () => {
  it.each([
    ['claude', '{"a": 1,\n "mcpServers": {"x": }}', ':2:22: it is not JSON: value expected'],
    ['cursor', '[]', 'the file should be an object, and is a list'],
    ['gemini', '{"mcpServers": null}', '"mcpServers" should be an object, and is null'],
    ['opencode', '{"mcp": [1]}', '"mcp" should be an object, and is a list'],
    ['claude', '{"mcpServers": {}, "mcpServers": {"a": {}}}', 'is a name in it twice?'],
    ['codex', 'a = 1\n[b', ':2:3: it is not TOML'],
    ['codex', 'a = 1\na = 2\n', ':2:1: it is not TOML'],
    ['codex', 'mcp_servers = { a = { command = "x" } }\n', ':1:1: "mcp_servers" is an inline table'],
    [
      'codex',
      '[mcp_servers]\nparley = { command = "parley", args = ["mcp", "--name", "a"] }\n',
      'is not a table of its own',
    ],
  ])('[MI3] %s: %s', async (tool, text, problem) => {
    const file = shop.file(tool);
    await shop.write(file, text);
    const before = await shop.files();
    const trouble = await shop.refusal(tool, YES);
    expect(trouble).toMatchObject({ exit: 'failed', code: 'broken_config' });
    expect(trouble.message).toContain(problem);
    expect(trouble.message).toContain(file);
    expect(await shop.read(file)).toBe(text);
    expect(await shop.files()).toEqual(before);
  });

  it.each([
    ['claude', '{"mcpServers": {"parley": {"command": "npx", "args": ["parley-chess"]}}}'],
    ['claude', '{"mcpServers": {"parley": null}}'],
    ['codex', '[mcp_servers.parley]\nurl = "https://example.com/mcp"\n'],
    ['opencode', '{"mcp": {"parley": {"type": "remote", "url": "https://example.com/mcp"}}}'],
  ])("[MI3] %s: somebody else's entry of that name, also by undo: %s", async (tool, text) => {
    const file = shop.file(tool);
    await shop.write(file, text);
    for (const given of [YES, { ...YES, undo: true }] as const) {
      expect(await shop.refusal(tool, given)).toMatchObject({ exit: 'inUse', code: 'entry_in_use' });
    }
    expect(await shop.read(file)).toBe(text);
    await shop.run(tool, { ...YES, entry: 'hub-2' });
    expect(await shop.read(file)).toContain('hub-2');
    await shop.run(tool, { ...YES, entry: 'hub-2', undo: true });
    expect(await shop.read(file)).toBe(text);
  });

  it('[MI3] a read-only file, a folder, a link that leads nowhere, and what is not UTF-8', async () => {
    await shop.write(shop.file('claude'), '{}');
    await chmod(shop.file('claude'), 0o400);
    await shop.write(join(shop.file('cursor'), 'x'), '');
    await shop.write(join(shop.file('gemini'), '..', 'x'), '');
    await symlink(join(shop.root, 'none'), shop.file('gemini'));
    await shop.write(shop.file('codex'), new Uint8Array([0x61, 0xff]));
    const before = await shop.files();
    const told = new Map<string, string>();
    for (const tool of ['claude', 'cursor', 'gemini', 'codex']) {
      const { code, message } = await shop.refusal(tool, YES);
      expect(code).toBe('unusable_config');
      told.set(tool, message);
    }
    expect([...told.values()].map((message) => message.split(': ')[1])).toEqual([
      'it is read-only; nothing was written',
      'it is not a file; nothing was written',
      'it is a link that leads nowhere; nothing was written',
      'it is not UTF-8; nothing was written',
    ]);
    expect(await shop.files()).toEqual(before);
  });

  it('[MI3] a file that the tool writes between the question and the answer', async () => {
    const file = shop.file('claude');
    await shop.write(file, '{}');
    const asked = { positionals: {}, values: {}, lists: {}, switches: new Set<string>() };
    const change = await prepareInstall(await resolveRequest(toolNamed('claude'), asked, { env: {} }, shop.places));
    await shop.write(file, '{"n": 1}');
    await expect(change.carryOut()).rejects.toMatchObject({ code: 'config_changed' });
    expect(await shop.read(file)).toBe('{"n": 1}');
  });

  it.each([
    [{ entry: 'a.b' }, '--entry'],
    [{ name: 'Not A Name' }, '--name'],
    [{ name: 'hub' }, '--name'],
    [{ 'max-wait': '11m' }, '--max-wait'],
  ])('[MI3] %s', async (given, where) => {
    const trouble = await shop.refusal('claude', { ...YES, ...given });
    expect(trouble).toMatchObject({ exit: 'wrong', code: 'wrong_value' });
    expect(trouble.message.startsWith(where)).toBe(true);
  });
});

describe('consent', () => {
  it('[MI4] without a terminal it shows the change, and needs --yes', async () => {
    await shop.write(shop.file('cursor'), JSON_FILE);
    const before = await shop.files();
    expect(await shop.refusal('cursor')).toMatchObject({ exit: 'wrong', code: 'needs_yes' });
    expect(await shop.files()).toEqual(before);
    expect(await shop.read(shop.file('cursor'))).toBe(JSON_FILE);
  });

  it('[MI4] --dry-run shows the change and makes none, of a token neither', async () => {
    await shop.write(shop.file('cursor'), JSON_FILE);
    const before = await shop.files();
    const { out, values } = await shop.run('cursor', { 'dry-run': true, token: 'secret-of-mine' });
    expect(out).toContain('+         "parley": {');
    expect(values[0]).toMatchObject({ tool: 'cursor', action: 'added', done: false, file: shop.file('cursor') });
    expect(await shop.files()).toEqual(before);
  });

  it('[MI4] what is shown hides the secrets of others', async () => {
    await shop.write(shop.file('cursor'), JSON_FILE);
    const { out, values } = await shop.run('cursor', YES);
    expect(out).toContain('"API_TOKEN": "…"');
    expect(out + JSON.stringify(values)).not.toContain('hush');
  });
});

describe('the token', () => {
  const token = 'parley_0123456789abcdef_abcdefghijklmnopqrstuvwxyz0123456789ABCD';

  for (const { name } of TOOLS) {
    it(`[MI5] ${name}: goes into a file of its own for its owner alone, never into the tool's, and goes with the entry`, async () => {
      shop.env = { PARLEY_TOKEN: token };
      const { out, notes, values } = await shop.run(name, YES);
      expect(out + notes.join() + JSON.stringify(values)).not.toContain(token);
      const files = await shop.files();
      const kept = files.filter((file) => file.endsWith('.token'));
      expect(kept).toHaveLength(1);
      expect(await shop.read(kept[0] ?? '')).toBe(`${token}\n`);
      expect((await stat(kept[0] ?? '')).mode & 0o777).toBe(0o600);
      const config = await shop.read(shop.file(name));
      expect(config).toContain('--token-file');
      expect(config).toContain(kept[0]);
      expect(config).not.toContain(token);
      await shop.run(name, { ...YES, undo: true });
      expect(await shop.files()).toEqual([shop.script]);
      expect(await readdir(shop.home)).toEqual([]);
    });
  }

  it('[MI1] undo leaves folders in which something is, and one that the environment names', async () => {
    shop.env = { CODEX_HOME: join(shop.home, 'codex') };
    await mkdir(shop.env.CODEX_HOME ?? '');
    await shop.write(join(shop.home, '.config', 'other'), '');
    await shop.run('codex', { ...YES, token });
    await shop.run('codex', { ...YES, undo: true });
    expect((await readdir(shop.home, { recursive: true })).sort()).toEqual(['.config', '.config/other', 'codex']);
  });

  it('[MI4] where there is nothing to undo, no change is told', async () => {
    await shop.write(shop.file('cursor'), JSON_FILE);
    const { values } = await shop.run('cursor', { ...YES, undo: true });
    expect(values).toMatchObject([{ action: 'unchanged', change: [] }]);
  });

  it('[MI5] a new one for an entry that stays as it is', async () => {
    await shop.run('codex', { ...YES, token: 'one' });
    const { out } = await shop.run('codex', { ...YES, token: 'two' });
    expect(out).toContain('nothing to change');
    const [kept = ''] = (await shop.files()).filter((file) => file.endsWith('.token'));
    expect(await shop.read(kept)).toBe('two\n');
  });

  it('[MI5] a file that somebody else keeps is named, and stays at undo', async () => {
    const file = join(shop.root, 'mine.token');
    await shop.write(file, token);
    await shop.run('claude', { ...YES, 'token-file': file });
    expect(await shop.read(shop.file('claude'))).toContain(file);
    await shop.run('claude', { ...YES, undo: true });
    expect(await shop.read(file)).toBe(token);
  });

  it("[MI5] a second run without one keeps the one the entry has, beside an operator's too, and its other settings", async () => {
    await shop.write(join(shop.root, 'data', 'operator-token'), 'operator');
    await shop.run('codex', { ...YES, token, name: 'reviewer', url: 'ws://h:1', 'max-wait': '50s' });
    const before = await shop.read(shop.file('codex'));
    expect(before).toContain('"--max-wait", "50s"');
    const { out } = await shop.run('codex', YES);
    expect(out).toContain('nothing to change');
    await shop.run('codex', { ...YES, name: 'other' });
    expect(await shop.read(shop.file('codex'))).toBe(before.replace('reviewer', 'other'));
  });

  it('[MI5] a token is kept for the hub it is for, and not where its file is gone or --data is said', async () => {
    const given = { ...YES, token, url: 'ws://h:1' };
    for (const more of [{ url: 'ws://other:1' }, { data: join(shop.root, 'data') }]) {
      await shop.run('codex', given);
      await shop.run('codex', { ...YES, ...more });
      expect(await shop.read(shop.file('codex'))).not.toContain('--token-file');
    }
    const file = join(shop.root, 'mine.token');
    await shop.run('codex', { ...YES, 'token-file': file });
    await shop.run('codex', YES);
    expect(await shop.read(shop.file('codex'))).not.toContain('--token-file');
  });

  it('[MI5] undo removes the file that was made, whatever the entry names now, and where it is gone', async () => {
    await shop.run('codex', { ...YES, token });
    await shop.run('codex', { ...YES, data: join(shop.root, 'data') });
    await shop.run('codex', { ...YES, undo: true });
    expect(await shop.files()).toEqual([shop.script]);
    await shop.run('codex', { ...YES, token });
    await shop.write(shop.file('codex'), '');
    await shop.run('codex', { ...YES, undo: true });
    expect(new Set(await shop.files())).toEqual(new Set([shop.file('codex'), shop.script]));
  });

  it('[MI5] without one, the data folder is named, and it is said where there is none', async () => {
    const { notes } = await shop.run('claude', { ...YES });
    expect(notes.join()).toContain('no token found');
    expect((await shop.run('', { print: true })).notes).toEqual(notes);
    await shop.write(join(shop.root, 'data', 'operator-token'), token);
    const again = await shop.run('claude', { ...YES, entry: 'two' });
    expect(again.notes).toEqual([]);
    expect(await shop.read(shop.file('claude'))).toContain(join(shop.root, 'data'));
  });
});

// `parley mcp install` asks before it writes, refuses unsafe changes, and keeps tokens in separate files.

import { chmod, mkdir, readdir, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { TOOLS } from '../../../src/mcp/install/tools.ts';
import { JSON_FILE, Workshop, YES } from './workshop.ts';

let shop: Workshop;
beforeEach(async () => {
  shop = await Workshop.open();
});

describe('refuses without writing', () => {
  it.each([
    ['claude', '{"a": 1,\n "mcpServers": {"x": }}', ':2:22: invalid JSON: value expected'],
    ['cursor', '[]', 'the file: expected an object, got a list'],
    ['gemini', '{"mcpServers": null}', '"mcpServers": expected an object, got null'],
    ['opencode', '{"mcp": [1]}', '"mcp": expected an object, got a list'],
    ['claude', '{"mcpServers": {}, "mcpServers": {"a": {}}}', 'does it contain a name twice?'],
    ['codex', 'a = 1\n[b', ':2:3: invalid TOML'],
    ['codex', 'a = 1\na = 2\n', ':2:1: invalid TOML'],
    ['codex', 'mcp_servers = { a = { command = "x" } }\n', ':1:1: "mcp_servers" is an inline table'],
    [
      'codex',
      '[mcp_servers]\nparley = { command = "parley", args = ["mcp", "--name", "a"] }\n',
      'expected a table [mcp_servers.parley]',
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
  ])('[MI3] %s: a foreign entry of that name, also in undo: %s', async (tool, text) => {
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

  it('[MI3] a read-only file, a folder, a broken link, and a file that is not UTF-8', async () => {
    await shop.write(shop.file('claude'), '{}');
    await chmod(shop.file('claude'), 0o400);
    await shop.write(join(shop.file('cursor'), 'x'), '');
    await shop.write(join(shop.file('gemini'), '..', 'x'), '');
    await symlink(join(shop.root, 'none'), shop.file('gemini'));
    await shop.write(shop.file('codex'), new Uint8Array([0x61, 0xff]));
    const before = await shop.files();
    for (const [tool, problem] of [
      ['claude', 'read-only'],
      ['cursor', 'not a file'],
      ['gemini', 'a broken link'],
      ['codex', 'not UTF-8'],
    ] as const) {
      const { code, message } = await shop.refusal(tool, YES);
      expect(code).toBe('unusable_config');
      expect(message.split(': ')[1]).toBe(`${problem}; nothing was written`);
    }
    expect(await shop.files()).toEqual(before);
  });

  it('[MI3] a file that the tool writes during the confirmation', async () => {
    const file = shop.file('claude');
    await shop.write(file, '{}');
    const change = await shop.planInstall('claude');
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
  it('[MI4] without a terminal, requires --yes', async () => {
    await shop.write(shop.file('cursor'), JSON_FILE);
    const before = await shop.files();
    expect(await shop.refusal('cursor')).toMatchObject({ exit: 'wrong', code: 'needs_yes' });
    expect(await shop.files()).toEqual(before);
    expect(await shop.read(shop.file('cursor'))).toBe(JSON_FILE);
  });

  it('[MI4] shows the change with --dry-run and writes nothing, not even a token', async () => {
    await shop.write(shop.file('cursor'), JSON_FILE);
    const before = await shop.files();
    const { out, values } = await shop.run('cursor', { 'dry-run': true, token: 'secret-of-mine' });
    expect(out).toContain('+         "parley": {');
    expect(values[0]).toMatchObject({ tool: 'cursor', action: 'added', done: false, file: shop.file('cursor') });
    expect(await shop.files()).toEqual(before);
  });

  it('[MI4] hides foreign secrets in its output', async () => {
    await shop.write(shop.file('cursor'), JSON_FILE);
    const { out, values } = await shop.run('cursor', YES);
    expect(out).toContain('"API_TOKEN": "…"');
    expect(out + JSON.stringify(values)).not.toContain('hush');
  });
});

describe('the token', () => {
  const token = 'parley_0123456789abcdef_abcdefghijklmnopqrstuvwxyz0123456789ABCD';

  for (const { name } of TOOLS) {
    it(`[MI5] ${name}: is kept in a private file, never in the tool's, and is deleted with the entry`, async () => {
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

  it('[MI1] stays out of the way: undo keeps non-empty folders and those the environment names', async () => {
    shop.env = { CODEX_HOME: join(shop.home, 'codex') };
    await mkdir(shop.env.CODEX_HOME ?? '');
    await shop.write(join(shop.home, '.config', 'other'), '');
    await shop.run('codex', { ...YES, token });
    await shop.run('codex', { ...YES, undo: true });
    expect((await readdir(shop.home, { recursive: true })).sort()).toEqual(['.config', '.config/other', 'codex']);
  });

  it('[MI4] is unaffected by an undo without an entry, which reports no change', async () => {
    await shop.write(shop.file('cursor'), JSON_FILE);
    const { values } = await shop.run('cursor', { ...YES, undo: true });
    expect(values).toMatchObject([{ action: 'unchanged', change: [] }]);
  });

  it('[MI5] is replaced without a change of the entry', async () => {
    await shop.run('codex', { ...YES, token: 'one' });
    const { out } = await shop.run('codex', { ...YES, token: 'two' });
    expect(out).toContain('nothing to change');
    const [kept = ''] = (await shop.files()).filter((file) => file.endsWith('.token'));
    expect(await shop.read(kept)).toBe('two\n');
  });

  it('[MI5] in a foreign file is referenced, and kept by undo', async () => {
    const file = join(shop.root, 'mine.token');
    await shop.write(file, token);
    await shop.run('claude', { ...YES, 'token-file': file });
    expect(await shop.read(shop.file('claude'))).toContain(file);
    await shop.run('claude', { ...YES, undo: true });
    expect(await shop.read(file)).toBe(token);
  });

  it("[MI5] is kept with the other settings by a second run without one, even beside an operator's token", async () => {
    await shop.write(join(shop.root, 'data', 'operator-token'), 'operator');
    await shop.run('codex', { ...YES, token, name: 'reviewer', url: 'ws://h:1', 'max-wait': '50s' });
    const before = await shop.read(shop.file('codex'));
    expect(before).toContain('"--max-wait", "50s"');
    const { out } = await shop.run('codex', YES);
    expect(out).toContain('nothing to change');
    await shop.run('codex', { ...YES, name: 'other' });
    expect(await shop.read(shop.file('codex'))).toBe(before.replace('reviewer', 'other'));
  });

  it('[MI5] is kept only for its hub, while its file exists, and without --data', async () => {
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

  it('[MI5] is deleted by undo, even if the entry changed or is gone', async () => {
    await shop.run('codex', { ...YES, token });
    await shop.run('codex', { ...YES, data: join(shop.root, 'data') });
    await shop.run('codex', { ...YES, undo: true });
    expect(await shop.files()).toEqual([shop.script]);
    await shop.run('codex', { ...YES, token });
    await shop.write(shop.file('codex'), '');
    await shop.run('codex', { ...YES, undo: true });
    expect(new Set(await shop.files())).toEqual(new Set([shop.file('codex'), shop.script]));
  });

  it('[MI5] is replaced by the data folder if missing, with a note if there is none', async () => {
    const { notes } = await shop.run('claude', { ...YES });
    expect(notes.join()).toContain('no token found');
    expect((await shop.run('', { print: true })).notes).toEqual(notes);
    await shop.write(join(shop.root, 'data', 'operator-token'), token);
    const again = await shop.run('claude', { ...YES, entry: 'two' });
    expect(again.notes).toEqual([]);
    expect(await shop.read(shop.file('claude'))).toContain(join(shop.root, 'data'));
  });
});

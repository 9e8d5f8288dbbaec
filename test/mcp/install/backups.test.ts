// The original file is never lost, and a refusal changes nothing.

import { readdir, symlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { BrokenConfig } from '../../../src/mcp/install/config-editor.ts';
import { jsonConfig } from '../../../src/mcp/install/json-config.ts';
import { isParleyCommand } from '../../../src/mcp/install/server-command.ts';
import { Workshop, YES } from './workshop.ts';

const UNDO = { yes: true, undo: true } as const;
const PRISTINE = '{"v": 1, "mcpServers": {"a": {"command": "x"}}}\n';

let shop: Workshop;
let file: string;
beforeEach(async () => {
  shop = await Workshop.open();
  file = shop.file('cursor');
});

const backup = () => shop.read(`${file}.before-parley`);
const beside = async () => (await readdir(dirname(file))).sort();

describe('the original', () => {
  it('[MI2] stays in the backup across foreign edits, undo and reinstall', async () => {
    await shop.write(file, PRISTINE);
    await shop.run('cursor', YES);
    await shop.write(file, (await shop.read(file)).replace('"v": 1', '"v": 2'));
    await shop.run('cursor', UNDO);
    expect(await backup()).toBe(PRISTINE);
    const edited = await shop.read(file);
    await shop.run('cursor', YES);
    expect(await backup()).toBe(PRISTINE);
    expect(await shop.read(`${file}.before-parley-2`)).toBe(edited);
    await shop.run('cursor', UNDO);
    expect(await shop.read(file)).toBe(edited);
    expect(await beside()).toEqual(['mcp.json', 'mcp.json.before-parley']);
  });

  it('[MI2] stays in the backup with a second entry, and returns when both are removed', async () => {
    await shop.write(file, PRISTINE);
    await shop.run('cursor', YES);
    const { out } = await shop.run('cursor', { ...YES, entry: 'two', name: 'two' });
    expect(out).not.toContain('.before-parley');
    expect(await backup()).toBe(PRISTINE);
    await shop.run('cursor', { ...UNDO, entry: 'two' });
    expect(await backup()).toBe(PRISTINE);
    await shop.run('cursor', UNDO);
    expect(await shop.read(file)).toBe(PRISTINE);
    expect(await beside()).toEqual(['mcp.json']);
  });

  it('[MI2] is backed up beside a foreign file with the backup name', async () => {
    for (const own of ['mine', new Uint8Array([0xff, 0xfe])]) {
      await shop.write(file, PRISTINE);
      await shop.write(`${file}.before-parley`, own);
      const { values } = await shop.run('cursor', YES);
      expect(values[0]).toMatchObject({ backup: `${file}.before-parley-2` });
      expect(await shop.read(`${file}.before-parley-2`)).toBe(PRISTINE);
      await shop.run('cursor', UNDO);
      expect(await shop.read(file)).toBe(PRISTINE);
      expect(await beside()).toEqual(['mcp.json', 'mcp.json.before-parley']);
    }
  });

  it.each(['cursor', 'codex', 'opencode'])(
    '[MI1] leaves nothing of a file created for two entries, in any order of removal: %s',
    async (tool) => {
      for (const order of [
        ['one', 'two'],
        ['two', 'one'],
      ]) {
        const before = await shop.files();
        for (const entry of ['one', 'two']) {
          const { values } = await shop.run(tool, { ...YES, entry, name: entry });
          expect(values[0]).toMatchObject({ backup: null });
        }
        for (const entry of order) await shop.run(tool, { ...UNDO, entry });
        expect(await shop.files()).toEqual(before);
      }
    },
  );

  it('[MI2] is not mistaken for a link with the backup name', async () => {
    await shop.write(file, PRISTINE);
    const elsewhere = `${shop.root}/elsewhere.json`;
    await shop.write(elsewhere, PRISTINE);
    await symlink(elsewhere, `${file}.before-parley`);
    const { values } = await shop.run('cursor', YES);
    expect(values[0]).toMatchObject({ backup: `${file}.before-parley-2` });
    await shop.run('cursor', UNDO);
    expect(await beside()).toEqual(['mcp.json', 'mcp.json.before-parley']);
    expect(await shop.read(file)).toBe(PRISTINE);
  });

  it('[MI2] is backed up at a change only if no older backup exists', async () => {
    await shop.write(file, PRISTINE);
    await shop.run('cursor', { ...YES, name: 'one' });
    await shop.run('cursor', { ...YES, name: 'other' });
    expect(await backup()).toBe(PRISTINE);
    await shop.run('cursor', UNDO);
    const own = '{"mcpServers": {"parley": {"command": "parley", "args": ["mcp", "--name", "me"]}, "b": {}}}';
    await shop.write(file, own);
    await shop.run('cursor', { ...YES, name: 'other' });
    expect(await backup()).toBe(own);
  });
});

describe('a refusal', () => {
  it('[MI3] keeps a file that the tool changed meanwhile, and leaves no token', async () => {
    const { request, ...change } = await shop.planInstall('cursor', { token: 'secret' });
    await shop.write(file, '{"n": 1}');
    const before = await shop.files();
    await expect(change.carryOut()).rejects.toMatchObject({ code: 'config_changed' });
    expect(await shop.files()).toEqual(before);
    // An existing token file keeps its content.
    await shop.write(request.secret?.file ?? '', 'older');
    await expect(change.carryOut()).rejects.toMatchObject({ code: 'config_changed' });
    expect(await shop.read(request.secret?.file ?? '')).toBe('older');
  });

  it.each([
    ['deleted', null],
    ['restored', PRISTINE],
  ])('[MI3] keeps a file changed during the confirmation of undo, and its backup: %s', async (action, text) => {
    if (text !== null) await shop.write(file, text);
    await shop.run('cursor', YES);
    const change = await shop.planUndo('cursor');
    expect(change.outcome.action).toBe(action);
    await shop.write(file, '{"n": 1}');
    await expect(change.carryOut()).rejects.toMatchObject({ code: 'config_changed' });
    expect(await shop.read(file)).toBe('{"n": 1}');
    if (text !== null) expect(await backup()).toBe(text);
  });

  it('[MI5] leaves no token if the configuration cannot be written', async () => {
    await shop.write(file, PRISTINE);
    // A foreign draft is in the way.
    await shop.write(`${file}.new-${process.pid}`, '');
    const before = await shop.files();
    await expect(shop.run('cursor', { ...YES, token: 'secret' })).rejects.toMatchObject({ code: 'EEXIST' });
    expect(await shop.files()).toEqual(before);
    expect(await shop.read(file)).toBe(PRISTINE);
  });

  it('[MI3] rejects __proto__ as a name, also in undo', async () => {
    for (const given of [YES, UNDO]) {
      const { code, message } = await shop.refusal('cursor', { ...given, entry: '__proto__' });
      expect(code).toBe('wrong_value');
      expect(message).toMatch(/^--entry: expected a name .*not __proto__/);
    }
  });

  it('[MI3] rejects an inline table of servers with its position', async () => {
    const codex = shop.file('codex');
    await shop.write(codex, '# mine\nmcp_servers = { a = { command = "x" } }\n');
    const { code, message } = await shop.refusal('codex', YES);
    expect(code).toBe('broken_config');
    expect(message).toContain(
      `${codex}:2:1: "mcp_servers" is an inline table, which [mcp_servers.parley] cannot extend`,
    );
  });

  it('[MI3] rejects a file that is nested too deeply', async () => {
    const deep = `{"a": ${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    await shop.write(file, deep);
    const { code, message } = await shop.refusal('cursor', YES);
    expect(code).toBe('broken_config');
    expect(message).toContain(`${file}: nested too deeply`);
    expect(await shop.read(file)).toBe(deep);
  });

  it.each(['a\nb', 'a b', 'é', ''])('[MI5] rejects an invalid token without showing it: %j', async (token) => {
    const before = await shop.files();
    const { code, message } = await shop.refusal('cursor', { ...YES, token });
    expect(code).toBe('wrong_value');
    expect(message).toContain('--token');
    if (token.length > 1) expect(message).not.toContain(token);
    expect(await shop.files()).toEqual(before);
  });

  it('[MI3] recognises entries that start parley mcp, and no similar ones', () => {
    expect(isParleyCommand(['parley', 'mcp', '--name', 'me'])).toBe(true);
    expect(isParleyCommand(['parley', 'mcp'])).toBe(true);
    expect(isParleyCommand(['npx', 'parley', 'mcp', '--url', 'ws://h:1'])).toBe(true);
    expect(isParleyCommand(['node', '/x/cli.js', 'mcp', '--name=me'])).toBe(true);
    expect(isParleyCommand(['node', '/x/main.js', 'mcp', '--name=me'])).toBe(true);
    expect(isParleyCommand(['node', '/x/cli.js', 'mcp'])).toBe(false);
    expect(isParleyCommand(['parley', 'mcp', 'install', 'claude'])).toBe(false);
    expect(isParleyCommand(['parley', '--name', 'mcp', 'x'])).toBe(false);
  });

  it('[MI2] corrects an entry without a name, and removes it by undo', async () => {
    await shop.write(file, '{"v": 1, "mcpServers": {"parley": {"command": "parley", "args": ["mcp"]}}}');
    await shop.run('cursor', { ...YES, name: 'reviewer' });
    expect(await shop.read(file)).toContain('"reviewer"');
    await shop.run('cursor', UNDO);
    expect(jsonConfig.read(await shop.read(file), [])).toEqual({ v: 1, mcpServers: {} });
  });

  it('[MI3] rejects the removal of a duplicate name', () => {
    const text = '{"s": {"parley": {"a": 1}}, "s": {"parley": {"a": 2}}}';
    expect(() => jsonConfig.remove(text, ['s', 'parley'])).toThrow(BrokenConfig);
  });
});

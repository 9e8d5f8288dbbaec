// `parley mcp install` on typical files: install, repeat, undo.

import { chmod, readdir, readlink, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { TOOLS } from '../../../src/mcp/install/tools.ts';
import { root } from '../../package/repository.ts';
import { JSON_FILE, toolNamed, Workshop, YES } from './workshop.ts';

let shop: Workshop;
beforeEach(async () => {
  shop = await Workshop.open();
});

const words = () => [process.execPath, shop.script, 'mcp', '--name', 'reviewer', '--data', join(shop.root, 'data')];

describe('a tool without a file', () => {
  const args = () => words().slice(1);
  const wanted: Readonly<Record<string, () => unknown>> = {
    claude: () => ({ mcpServers: { parley: { type: 'stdio', command: process.execPath, args: args() } } }),
    codex: () => ({ mcp_servers: { parley: { command: process.execPath, args: args() } } }),
    cursor: () => ({ mcpServers: { parley: { command: process.execPath, args: args() } } }),
    gemini: () => ({ mcpServers: { parley: { command: process.execPath, args: args() } } }),
    opencode: () => ({ mcp: { parley: { type: 'local', command: words(), enabled: true, timeout: 60_000 } } }),
  };

  for (const { name, format } of TOOLS) {
    it(`[MI1] ${name}: gets a private file with the server, which undo deletes`, async () => {
      const before = await shop.files();
      const { out } = await shop.run(name, { ...YES, name: 'reviewer' });
      expect(out).toContain('reviewer');
      const file = shop.file(name);
      expect(format.read(await shop.read(file), [])).toEqual(wanted[name]?.());
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      await shop.run(name, { ...YES, undo: true });
      expect(await shop.files()).toEqual(before);
      // Undo deletes created folders too.
      expect(await readdir(shop.home)).toEqual([]);
    });

    it(`[MI1] ${name}: gets a file in the project with --scope project`, async () => {
      await shop.run(name, { ...YES, scope: 'project' });
      expect(await shop.files()).toContain(shop.file(name, 'project'));
      expect(shop.file(name, 'project').startsWith(shop.project)).toBe(true);
    });
  }

  it('[MI1] uses the paths that the tools read', () => {
    const inHome = TOOLS.map(({ name }) => shop.file(name).slice(shop.home.length));
    expect(inHome).toEqual([
      '/.claude.json',
      '/.codex/config.toml',
      '/.cursor/mcp.json',
      '/.gemini/settings.json',
      '/.config/opencode/opencode.json',
    ]);
    const inProject = TOOLS.map(({ name }) => shop.file(name, 'project').slice(shop.project.length));
    expect(inProject).toEqual([
      '/.mcp.json',
      '/.codex/config.toml',
      '/.cursor/mcp.json',
      '/.gemini/settings.json',
      '/opencode.json',
    ]);
    shop.env = { CLAUDE_CONFIG_DIR: '/c', CODEX_HOME: '/x', GEMINI_CLI_HOME: '/m', XDG_CONFIG_HOME: '/g' };
    expect(['claude', 'codex', 'gemini', 'opencode'].map((name) => shop.file(name))).toEqual([
      '/c/.claude.json',
      '/x/config.toml',
      '/m/.gemini/settings.json',
      '/g/opencode/opencode.json',
    ]);
  });
});

const TOML_FILE = `# mine
model = "m" # and this

[mcp_servers.other]
command = "x"
args = [
  "a", # odd
]

[mcp_servers.other.env]
API_TOKEN = "hush"
TEXT = """
[mcp_servers.parley]
command = "no"
"""
`;
const OPENCODE_FILE = JSON_FILE.replace('mcpServers', 'mcp');
const fileFor = (tool: string) => (tool === 'codex' ? TOML_FILE : tool === 'opencode' ? OPENCODE_FILE : JSON_FILE);

describe('an existing file', () => {
  for (const { name } of TOOLS) {
    for (const [what, write, eol] of [
      ['as it is', (text: string) => text, '\n'],
      ['with CRLF and a byte order mark', (text: string) => `\ufeff${text.replaceAll('\n', '\r\n')}`, '\r\n'],
    ] as const) {
      it(`[MI2] ${name}, ${what}: keeps every line, does not change on a second run, and is restored by undo`, async () => {
        const file = shop.file(name);
        const before = write(fileFor(name));
        await shop.write(file, before);
        await chmod(file, 0o640);
        await shop.run(name, YES);
        const after = await shop.read(file);
        expect(after).not.toBe(before);
        const young = new Set(after.split(eol));
        expect(before.split(eol).filter((line) => !young.has(line))).toEqual([]);
        expect(after.replaceAll(eol, '')).not.toMatch(/[\r\n]/);
        expect((await stat(file)).mode & 0o777).toBe(0o640);
        expect(await shop.read(`${file}.before-parley`)).toBe(before);
        const { out } = await shop.run(name, YES);
        expect(out).toContain('nothing to change');
        expect(await shop.read(file)).toBe(after);
        await shop.run(name, { ...YES, undo: true });
        expect(await shop.read(file)).toBe(before);
        expect(await shop.files()).not.toContain(`${file}.before-parley`);
      });
    }

    it(`[MI2] ${name}: changes only the command for another name, and keeps additions`, async () => {
      const file = shop.file(name);
      await shop.write(file, fileFor(name));
      await shop.run(name, { ...YES, name: 'reviewer' });
      const first = await shop.read(file);
      const own =
        name === 'codex'
          ? `${first}startup_timeout_sec = 20 # slow\n`
          : first.replace('"command"', '"note": 1, "command"');
      await shop.write(file, own);
      await shop.run(name, { ...YES, name: 'critic' });
      expect(await shop.read(file)).toBe(own.replace('"reviewer"', '"critic"'));
    });

    it(`[MI2] ${name}: loses only the entry by undo after foreign edits`, async () => {
      const file = shop.file(name);
      await shop.write(file, fileFor(name));
      await shop.run(name, YES);
      const more = (text: string) => (name === 'codex' ? `x = 1\n${text}` : text.replace('"theme"', '"x": 1, "theme"'));
      await shop.write(file, more(await shop.read(file)));
      await shop.run(name, { ...YES, undo: true });
      const { format } = toolNamed(name);
      expect(format.read(await shop.read(file), [])).toEqual(format.read(more(fileFor(name)), []));
      const left = new Set((await shop.read(file)).split('\n'));
      expect(
        fileFor(name)
          .split('\n')
          .filter((line) => /#|\/[/*]/.test(line) && !left.has(line) && !left.has(more(line))),
      ).toEqual([]);
    });
  }

  it('[MI2] keeps its indentation style', async () => {
    const file = shop.file('cursor');
    await shop.write(file, '{\n\t"mcpServers": {\n\t\t"a": { "command": "x" }\n\t}\n}\n');
    await shop.run('cursor', YES);
    expect(await shop.read(file)).toContain('\n\t\t"parley": {\n\t\t\t"command"');
  });

  it.each([
    ['no text', ''],
    ['only comments', '// none yet'],
    ['an empty object', '{}'],
  ])('[MI2] may have %s', async (_, text) => {
    const file = shop.file('gemini');
    await shop.write(file, text);
    await shop.run('gemini', YES);
    expect((await shop.read(file)).startsWith(text.slice(0, 1))).toBe(true);
    const { format } = toolNamed('gemini');
    expect(format.read(await shop.read(file), ['mcpServers', 'parley', 'command'])).toBe(process.execPath);
    await shop.run('gemini', { ...YES, undo: true });
    expect(await shop.read(file)).toBe(text);
  });

  it('[MI2] is changed through a link, which stays', async () => {
    const file = shop.file('codex');
    const real = join(shop.root, 'dotfiles', 'codex.toml');
    await shop.write(real, TOML_FILE);
    await shop.write(join(file, '..', 'x'), '');
    await symlink(real, file);
    await shop.run('codex', YES);
    expect(await readlink(file)).toBe(real);
    expect(await shop.read(real)).toContain('[mcp_servers.parley]\ncommand = ');
    expect(await shop.read(`${real}.before-parley`)).toBe(TOML_FILE);
  });

  it('[MI2] opencode: prefers the file with comments, and nests servers deeper in version 2', async () => {
    const file = join(shop.home, '.config', 'opencode', 'opencode.jsonc');
    await shop.write(file, '{ "mcp": { "servers": { "a": { "type": "local", "command": ["x"] } } } }\n');
    await shop.run('opencode', YES);
    const { format } = toolNamed('opencode');
    const entry = format.read(await shop.read(file), ['mcp', 'servers', 'parley']);
    expect(entry).toMatchObject({ type: 'local' });
  });
});

describe('the claim of an agent', () => {
  it('[MC15] is written, kept by a second run, and changed by new options', async () => {
    const can = () => wordsIn(shop.file('cursor'));
    await shop.run('cursor', { ...YES, capability: ['review', 'typescript'], summary: 'Reads code.' });
    const first = ['--capability', 'review', '--capability', 'typescript', '--summary', 'Reads code.'];
    expect(await can()).toEqual(expect.arrayContaining(first));
    const { out } = await shop.run('cursor', YES);
    expect(out).toContain('nothing to change');
    await shop.run('cursor', { ...YES, capability: ['law'] });
    expect((await can()).filter((_, i, all) => all[i - 1] === '--capability')).toEqual(['law']);
    expect(await can()).toContain('Reads code.');
  });

  async function wordsIn(file: string): Promise<readonly unknown[]> {
    const tool = toolNamed('cursor');
    return tool.wordsOf(tool.format.read(await shop.read(file), ['mcpServers', 'parley']) as never);
  }
});

describe('--print', () => {
  it('[MI6] prints what an install writes for each tool, and writes nothing', async () => {
    const { values, out } = await shop.run('', { print: true, name: 'reviewer' });
    expect(await shop.files()).toEqual([shop.script]);
    expect(values.map(({ tool }) => tool)).toEqual(TOOLS.map(({ name }) => name));
    for (const { tool, file, snippet } of values as { tool: string; file: string; snippet: string }[]) {
      await shop.run(tool, { ...YES, name: 'reviewer' });
      expect(await shop.read(file)).toBe(snippet);
      expect(out).toContain(file);
    }
  });

  it('[MI6] prints the commands of tools that have one', async () => {
    const { values } = await shop.run('', { print: true, name: 'reviewer', url: 'ws://h:1' });
    const server = `${process.execPath} ${shop.script} mcp --name reviewer --url ws://h:1 --data ${join(shop.root, 'data')}`;
    expect(values.map(({ command }) => command)).toEqual([
      `claude mcp add --scope user parley -- ${server}`,
      `codex mcp add parley -- ${server}`,
      null,
      `gemini mcp add --scope user parley ${server}`,
      null,
    ]);
  });

  it('[MI6] prints "parley" if PATH resolves to this program, else Node and its script', async () => {
    const bin = join(shop.root, 'bin');
    await shop.write(join(bin, 'x'), '');
    await chmod(shop.script, 0o755);
    await symlink(shop.script, join(bin, 'parley'));
    shop.env = { PATH: `${join(shop.root, 'none')}:${bin}` };
    const [first] = (await shop.run('codex', { print: true })).values;
    expect(first?.snippet).toContain('command = "parley"\nargs = ["mcp", "--name", "codex"');
    const other = join(shop.root, 'bin2', 'parley');
    await shop.write(other, '');
    await chmod(other, 0o755);
    shop.env = { PATH: `${join(shop.root, 'bin2')}:${bin}` };
    const [second] = (await shop.run('codex', { print: true })).values;
    expect(second?.snippet).toContain(`command = "${process.execPath}"`);
  });
});

it('[MI6] agrees with docs/guides/mcp-install.md', async () => {
  const document = await shop.read(join(root, 'docs/guides/mcp-install.md'));
  for (const tool of TOOLS) {
    const servers = tool.servers(undefined);
    const given = ['parley', 'mcp', '--name', 'reviewer', '--data', '/path/to/.parley'];
    const { start, usual } = tool.entry(given, servers);
    const snippet = tool.format.alone([...servers, 'parley'], { ...start, ...usual });
    expect(document).toContain(`\`\`\`${tool.language}\n${snippet}\`\`\``);
    expect(document).toContain(tool.command('parley', given, 'user') ?? tool.title);
  }
});

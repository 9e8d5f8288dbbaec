// `parley mcp install` on files as people have them: in, again, and out.

import { chmod, mkdir, readdir, readlink, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TOOLS } from '../../../src/mcp/install/tools.ts';
import { root } from '../../package/repository.ts';
import { toolNamed, Workshop } from './workshop.ts';

const YES = { yes: true } as const;

let shop: Workshop;
beforeEach(async () => {
  shop = await Workshop.open();
});
afterEach(() => shop.close());

const words = (...more: readonly string[]) => [
  process.execPath,
  shop.script,
  'mcp',
  '--name',
  'reviewer',
  ...more,
  '--data',
  join(shop.root, 'data'),
];

describe('a tool that has no file yet', () => {
  const args = () => words().slice(1);
  const wanted: Readonly<Record<string, () => unknown>> = {
    claude: () => ({ mcpServers: { parley: { type: 'stdio', command: process.execPath, args: args() } } }),
    codex: () => ({ mcp_servers: { parley: { command: process.execPath, args: args() } } }),
    cursor: () => ({ mcpServers: { parley: { command: process.execPath, args: args() } } }),
    gemini: () => ({ mcpServers: { parley: { command: process.execPath, args: args() } } }),
    opencode: () => ({ mcp: { parley: { type: 'local', command: words(), enabled: true, timeout: 60_000 } } }),
  };

  for (const { name, format } of TOOLS) {
    it(`[MI1] ${name}: gets one with the server in it, for its owner alone, and loses it again`, async () => {
      const before = await shop.files();
      const { out } = await shop.run(name, { ...YES, name: 'reviewer' });
      expect(out).toContain('reviewer');
      const file = shop.file(name);
      expect(format.read(await shop.read(file), [])).toEqual(wanted[name]?.());
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      await shop.run(name, { ...YES, undo: true });
      expect(await shop.files()).toEqual(before);
      // The folders that were made for it too.
      expect(await readdir(shop.home)).toEqual([]);
    });

    it(`[MI1] ${name}: in a project, in a file of the project`, async () => {
      await shop.run(name, { ...YES, scope: 'project' });
      expect(await shop.files()).toContain(shop.file(name, 'project'));
      expect(shop.file(name, 'project').startsWith(shop.project)).toBe(true);
    });
  }

  it('[MI1] files are where the tools look for them', () => {
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

const JSON_FILE = `// mine
{
    /* kept */
    "theme": "dark", // and this
    "mcpServers": {
        "other": { "command": "x", "env": { "API_TOKEN": "hush" }, },
    },
}
`;
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

describe('a file that is there', () => {
  for (const { name } of TOOLS) {
    for (const [what, write, eol] of [
      ['as it is', (text: string) => text, '\n'],
      ['with CRLF and a byte order mark', (text: string) => `\ufeff${text.replaceAll('\n', '\r\n')}`, '\r\n'],
    ] as const) {
      it(`[MI2] ${name}, ${what}: every line stays, a second run changes nothing, undo gives back every byte`, async () => {
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

    it(`[MI2] ${name}: another name changes its own words and nothing else; what was added to it stays`, async () => {
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

    it(`[MI2] ${name}: undo after others have changed it takes out the entry alone`, async () => {
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

  it('[MI2] of another layout: it is indented as the rest is', async () => {
    const file = shop.file('cursor');
    await shop.write(file, '{\n\t"mcpServers": {\n\t\t"a": { "command": "x" }\n\t}\n}\n');
    await shop.run('cursor', YES);
    expect(await shop.read(file)).toContain('\n\t\t"parley": {\n\t\t\t"command"');
  });

  it.each([
    ['nothing', ''],
    ['comments alone', '// none yet'],
    ['an empty object', '{}'],
  ])('[MI2] with %s in it', async (_, text) => {
    const file = shop.file('gemini');
    await shop.write(file, text);
    await shop.run('gemini', YES);
    expect((await shop.read(file)).startsWith(text.slice(0, 1))).toBe(true);
    expect(toolNamed('gemini').format.read(await shop.read(file), ['mcpServers', 'parley', 'command'])).toBe(
      process.execPath,
    );
    await shop.run('gemini', { ...YES, undo: true });
    expect(await shop.read(file)).toBe(text);
  });

  it('[MI2] what a link leads to is changed; the link stays one', async () => {
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

  it('[MI2] opencode: the file with comments comes first, and the second version has its servers deeper', async () => {
    const file = join(shop.home, '.config', 'opencode', 'opencode.jsonc');
    await shop.write(file, '{ "mcp": { "servers": { "a": { "type": "local", "command": ["x"] } } } }\n');
    await shop.run('opencode', YES);
    expect(toolNamed('opencode').format.read(await shop.read(file), ['mcp', 'servers', 'parley'])).toMatchObject({
      type: 'local',
    });
  });
});

describe('what the agent can do', () => {
  it('[MC15] is passed on, kept by a second run, and changed by one that says it anew', async () => {
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
    const { prepareInstall } = await import('../../../src/mcp/install/install.ts');
    const { requestOf } = await import('../../../src/mcp/install/request.ts');
    const file = shop.file('claude');
    await shop.write(file, '{}');
    const asked = { args: {}, values: {}, lists: {}, switches: new Set<string>() };
    const change = await prepareInstall(await requestOf(toolNamed('claude'), asked, { env: {} }, shop.places));
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
    expect(notes.join()).toContain('no token was found');
    expect((await shop.run('', { print: true })).notes).toEqual(notes);
    await shop.write(join(shop.root, 'data', 'operator-token'), token);
    const again = await shop.run('claude', { ...YES, entry: 'two' });
    expect(again.notes).toEqual([]);
    expect(await shop.read(shop.file('claude'))).toContain(join(shop.root, 'data'));
  });
});

describe('by hand', () => {
  it('[MI6] --print gives for each tool what an install writes, and writes nothing', async () => {
    const { values, out } = await shop.run('', { print: true, name: 'reviewer' });
    expect(await shop.files()).toEqual([shop.script]);
    expect(values.map(({ tool }) => tool)).toEqual(TOOLS.map(({ name }) => name));
    for (const { tool, file, snippet } of values as { tool: string; file: string; snippet: string }[]) {
      await shop.run(tool, { ...YES, name: 'reviewer' });
      expect(await shop.read(file)).toBe(snippet);
      expect(out).toContain(file);
    }
  });

  it('[MI6] with the commands of the tools that have one', async () => {
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

  it('[MI6] "parley" where the path leads to this very program, else Node and its file', async () => {
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

it('[MI6] docs/mcp-install.md has the same', async () => {
  const document = await shop.read(join(root, 'docs/mcp-install.md'));
  for (const tool of TOOLS) {
    const servers = tool.servers(undefined);
    const given = ['parley', 'mcp', '--name', 'reviewer', '--data', '/path/to/.parley'];
    const { start, usual } = tool.entry(given, servers);
    const snippet = tool.format.alone([...servers, 'parley'], { ...start, ...usual });
    expect(document).toContain(`\`\`\`${tool.language}\n${snippet}\`\`\``);
    expect(document).toContain(tool.command('parley', given, 'user') ?? tool.title);
  }
});

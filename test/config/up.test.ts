// `parley up` with a config file, `parley join --model` and `parley doctor`, as real processes.

import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'parley-hub/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StubModel, stall, whole } from '../participants/models/stub-model.ts';
import { CommandLine, Joined, linesOf } from '../support/command-line.ts';
import { itDeep } from '../support/size.ts';

const KEY = 'zq-9f8e7d6c5b4a-key';
const answer = whole({
  id: 'x',
  model: 'm-1',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Four.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
});

let line: CommandLine;
let stub: StubModel;
beforeAll(async () => {
  line = await CommandLine.open();
  stub = await StubModel.start(() => 0);
});
afterAll(async () => {
  await stub.stop();
  await line.close();
});

async function project(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(line.folder, name);
  await mkdir(folder);
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
  return folder;
}

function run(cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Joined {
  return new Joined(line.spawn(args, { PARLEY_DATA: undefined, PARLEY_URL: undefined, ...env }, cwd));
}

async function filesIn(folder: string): Promise<string> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = files.map((one) => (one.isFile() ? readFile(join(one.parentPath, one.name), 'latin1') : ''));
  return (await Promise.all(texts)).join('\n');
}

async function ask(url: string, data: string, whom: string, question: string) {
  const token = (await readFile(join(data, 'operator-token'), 'utf8')).trim();
  const alice = await connect(url, { name: 'alice', token, onMessage() {} });
  const session = await alice.open('consulting', [whom]);
  await session.send(question);
  return { alice, session };
}

async function urlOf(up: Joined): Promise<string> {
  await up.says('Press Ctrl-C to stop');
  return /listens on (ws:\S+)/.exec(up.out)?.[1] ?? '';
}

describe('parley up with a config file', () => {
  itDeep(
    '[CF1, CF4, CF6, CF8] starts the config of its folder, joins all agents, and ends them before the hub',
    async () => {
      const config = `{
  // Everything in one file.
  "hub": { "port": "\${PORT:-0}", "data": "hub" },
  "agents": {
    "bob": { "script": "yes.json" },
    "sol": { "model": "openai:m-1", "baseUrl": "${stub.origin}/v1", "apiKey": "\${MY_KEY}" },
  },
  "schedules": { "daily": { "as": "bob", "type": "conversation", "participants": ["sol"], "cron": "@daily" } },
}
`;
      const folder = await project('one', { 'parley.config.json': config, 'yes.json': '["Yes."]' });
      const up = run(folder, ['up'], { MY_KEY: KEY });
      const url = await urlOf(up);
      expect(up.err).toContain('config file: parley.config.json\n');
      // The agents joined before anyone could connect.
      expect(up.out).toMatch(/^bob joined \(script\)\nsol joined \(openai m-1\)\nschedule daily: made\nParley listens/);
      const data = join(folder, 'hub');
      stub.will(answer, stall('data: {"choices": [{"index": 0, "delta": {"content": "Fo"}}]}\n\n'));
      const first = await ask(url, data, 'sol', 'How much?');
      expect(await first.session.ended()).toMatchObject({ reason: 'consulting_complete' });
      expect(stub.asked.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
      const second = await ask(url, data, 'sol', 'And now?');
      await stub.until(() => stub.asked.length === 2);
      expect(await readFile(`/proc/${up.child.pid}/cmdline`, 'utf8')).not.toContain(KEY);
      up.child.kill('SIGINT');
      expect(await up.ended).toBe(0);
      // The open request was cancelled, and its turn waits for the next start.
      await stub.until(() => stub.hungUp === 1);
      expect(up.out).toMatch(/stopped\n$/);
      second.alice.close();
      first.alice.close();
      expect([up.out, up.err, await filesIn(data)].join()).not.toContain(KEY);
    },
  );

  it('[CF2, CF6] exits with 2, reports every problem and creates nothing', async () => {
    const config = 'hub: { port: 0, data: hub }\nagents:\n  bob: { script: none.mjs }\n  sol: { command: ./none }\n';
    const folder = await project('two', { 'team.yaml': config });
    const up = run(folder, ['up', '--config', 'team.yaml', '--json']);
    expect(await up.ended).toBe(2);
    const [{ error } = {}] = linesOf(up.err);
    expect(error).toMatchObject({
      code: 'bad_config',
      message: 'team.yaml: 2 problems',
      problems: [
        expect.stringMatching(/^team\.yaml:3:18: agents\.bob\.script: .*none\.mjs does not exist$/),
        expect.stringMatching(/^team\.yaml:4:19: agents\.sol\.command: .*none: no such program$/),
      ],
    });
    expect(existsSync(join(folder, 'hub'))).toBe(false);
    const told = run(folder, ['up', '--config', 'team.yaml']);
    await told.ended;
    expect(told.err).toMatch(
      /^parley: team\.yaml: 2 problems\n {2}team\.yaml:3:18: .*\n {2}team\.yaml:4:19: .*\nSee docs\/reference\/config\.md/,
    );
  });

  it('[CF14] names a module or a script that ends the process, and exits with 2', async () => {
    const folder = await project('ends', {
      'ends.mjs': 'process.exit(0);\n',
      'script.yaml': 'hub: {port: 0, data: hub}\nagents: {bob: {script: ends.mjs}}\n',
    });
    const runs = [run(folder, ['doctor', '--config', 'ends.mjs']), run(folder, ['up', '--config', 'script.yaml'])];
    for (const one of runs) {
      expect(await one.ended).toBe(2);
      expect(one.err).toMatch(
        /^parley: \S*ends\.mjs: expected it to load, and it ended the process \(exit code 0\)\n$/,
      );
    }
    expect(existsSync(join(folder, 'hub'))).toBe(false);
  });

  it('[CF12] doctor checks the file and its hub', async () => {
    const folder = await project('three', {
      'parley.config.yaml': 'hub: {data: here}\nagents: {bob: {script: yes.json}}\n',
      'yes.json': '["Yes."]',
      'bad.yaml': 'hub: {prot: 1}\nagents: {bob: {}}\n',
    });
    const well = run(folder, ['doctor', '--json']);
    await well.ended;
    const [{ checks } = {}] = linesOf(well.out);
    expect(checks).toMatchObject([
      { name: 'config', ok: true, found: 'parley.config.yaml; agents bob' },
      { name: 'environment' },
      { name: 'folder', found: `${join(folder, 'here')} does not exist yet; "parley up" creates it` },
      {},
      {},
      {},
      {},
    ]);
    const ill = run(folder, ['doctor', '--config', 'bad.yaml']);
    expect(await ill.ended).toBe(8);
    expect(ill.out).toMatch(
      /^wrong {2}config {7}bad\.yaml: 2 problems\n {20}bad\.yaml:1:7: hub\.prot: .*\n {20}bad\.yaml:2:10: agents\.bob/,
    );
  });
});

describe('parley join --model', () => {
  itDeep('[CF11] joins a model with a key from the environment, or without one on a local server', async () => {
    await line.startHub();
    const seen = stub.asked.length;
    stub.will(answer, answer, answer, answer);
    const env = { ...line.env, MY_KEY: KEY, OPENAI_API_KEY: '' } as Record<string, string>;
    const words = [
      '--model',
      'openai:m-1',
      '--base-url',
      `${stub.origin}/v1`,
      '--max-tokens',
      '40',
      '--timeout',
      '20s',
    ];
    const sun = run(line.folder, ['join', '--name', 'sun', ...words, '--key-env', 'MY_KEY'], env);
    const moon = run(line.folder, ['join', ...words, '--name', 'moon', '--json'], env);
    await sun.says('sun joined');
    await moon.says('"joined"');
    for (const name of ['sun', 'moon']) {
      const { alice, session } = await ask(line.url, line.data, name, 'How much?');
      await session.ended();
      alice.close();
    }
    const asked = stub.asked.slice(seen);
    expect(asked.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`, undefined]);
    expect(asked[0]?.body).toMatchObject({ model: 'm-1', max_completion_tokens: 40 });
    for (const one of [sun, moon]) {
      one.child.kill('SIGINT');
      expect(await one.ended).toBe(0);
      expect(one.out + one.err).not.toContain(KEY);
    }
    const agents = await line.json('agents');
    expect(agents).toContainEqual(expect.objectContaining({ name: 'sun', provider: 'openai', model: 'm-1' }));
    await line.stopHub();
  });

  it('[CF11] does not connect without the key', async () => {
    const { PARLEY_URL: _, ...env } = line.env;
    const lost = run(line.folder, ['join', '--model', 'anthropic:m-1', '--url', 'ws://127.0.0.1:9'], {
      ...env,
      ANTHROPIC_API_KEY: '',
    } as Record<string, string>);
    expect(await lost.ended).toBe(2);
    expect(lost.err).toMatch(/^parley: the model requires a key: ANTHROPIC_API_KEY is not set\n.*--key-env/);
  });
});

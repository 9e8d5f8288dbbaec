// How the values of a config file fit together: names, programs, keys, roles, rules and schedules.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { checkConfigFile } from '../../src/cli/operating/doctor.ts';
import type { CommandArgs } from '../../src/cli/terminal/command.ts';
import type { Io } from '../../src/cli/terminal/io.ts';
import { configFolder } from './configs.ts';

const folder = configFolder();

describe('values that must fit together', () => {
  const MODEL_FORM = 'anthropic:<model>, openai:<model> or responses:<model>, or a cli or command to use it';

  it.each<readonly [string, object, readonly string[]]>([
    ['no program', {}, ['expected one of model, cli, command and script']],
    [
      'two programs',
      { cli: 'claude', script: 'x' },
      ['.script: cli and script exclude each other: an agent has one program'],
    ],
    ['a model without its API', { model: 'sonnet' }, [`.model: expected ${MODEL_FORM}, got "sonnet"`]],
    ['an unknown API', { model: 'gemini:pro' }, [`.model: expected ${MODEL_FORM}, got "gemini:pro"`]],
    [
      'a model without a key',
      { model: 'anthropic:x' },
      ['.model: set apiKey, or ANTHROPIC_API_KEY in the environment'],
    ],
    ['an empty key', { model: 'openai:x', apiKey: '' }, ['.apiKey: expected a key, got nothing']],
    [
      'a remote server without a key',
      { model: 'openai:x', baseUrl: 'https://127.0.0.1.example.com/v1' },
      ['.model: set apiKey, or OPENAI_API_KEY in the environment'],
    ],
    [
      'a password in an address',
      { model: 'openai:x', apiKey: 'k', baseUrl: 'https://u:p@h/v1' },
      [
        '.baseUrl: expected an http or https address without a user, such as https://api.example.com/v1, got a text that is not shown',
      ],
    ],
    ['a key for a script', { script: 'x', apiKey: 'k' }, ['.apiKey: has no effect with script; it applies to model']],
    [
      'permissions of a command',
      { command: 'cat', permissions: 'safe' },
      ['.permissions: has no effect with command; it applies to cli'],
    ],
    [
      'a model that is not passed on',
      { command: ['cat', '-'], model: 'x' },
      ['.model: has no effect: the command has no {model}'],
    ],
    [
      'an unknown role',
      { script: 'x', role: 'reviewr' },
      ['.role: expected one of roles, got "reviewr"; did you mean reviewer?'],
    ],
    [
      'an unknown view',
      { script: 'x', view: 'all' },
      ['.view: expected one of full_transcript, windowed_summary, token_budget, since_my_last_turn'],
    ],
    [
      'a view without its parameter',
      { script: 'x', view: { name: 'token_budget', params: { most: 1 } } },
      [expect.stringMatching(/^\.view: .*token_budget/)],
    ],
    [
      'tools of a program',
      { cli: 'claude', tools: true },
      ['.tools: has no effect with cli; it applies to model, script'],
    ],
    [
      'an unknown tool',
      { script: 'x', tools: ['shout'] },
      [expect.stringMatching(/^\.tools.*: expected .*say, delegate.*, got "shout"$/)],
    ],
    [
      'an invalid budget',
      { script: 'x', budget: { total: { usd: -1 }, perTurn: { turns: 1 }, perSession: { tokens: 1.5 } } },
      [
        '.budget.total.usd: expected dollars >= 0, got -1',
        '.budget.perTurn.turns: unknown setting; valid settings: usd, tokens',
        '.budget.perSession.tokens: expected a whole number from 0 to 1000000000000000, got 1.5',
      ],
    ],
    ['a budget', { script: 'x', budget: { total: { usd: 1.5, turns: 3 }, unpriced: 'count_as_zero' } }, []],
    ['a local server', { model: 'openai:x', baseUrl: 'http://localhost:11434/v1' }, []],
    ['the IPv6 loopback', { model: 'openai:x', baseUrl: 'http://[::1]:8080' }, []],
    ['a command with its model', { command: 'x -m {model}', model: 'y' }, []],
    ['a view', { script: 'x', view: { name: 'token_budget', params: { max_tokens: 100 } } }, []],
  ])('[CF5] %s', async (_, agent, problems) => {
    const text = JSON.stringify({ agents: { a: agent }, roles: { reviewer: { prompt: 'x' } } });
    const found = await folder.wrong('fit.json', text);
    expect(found.map((line) => line.replace(/^fit\.json:\d+:\d+: agents\.a(: )?/, ''))).toEqual(problems);
  });

  it('[CF5] checks roles and rules', async () => {
    const text =
      'roles:\n  a: {}\n  b: {prompt: x, promptFile: y}\nrules:\n  "*": {}\n  bobb: {}\n  carol: {access: {inbound: [x]}, grants: [rule]}\nagents:\n  bob: {script: x}\n';
    expect(await folder.wrong('r.yaml', text)).toEqual([
      'r.yaml:2:3: roles.a: expected a prompt or a promptFile',
      'r.yaml:3:18: roles.b.promptFile: expected one of prompt and promptFile, got both',
      'r.yaml:6:3: rules.bobb: expected * or the name of one of agents; did you mean bob?',
      'r.yaml:7:3: rules.carol: expected * or the name of one of agents',
      'r.yaml:7:20: rules.carol.access.inbound: unknown setting; did you mean inbound_from?',
      'r.yaml:7:44: rules.carol.grants[0]: expected one of operate, observe, rules, enrol, approve, got "rule"',
    ]);
  });

  it('[CF5] checks schemas, and that extract settings have an effect', async () => {
    const roles = {
      a: { prompt: 'x', extract: { corrections: 1 } },
      b: { prompt: 'x', schema: { type: 'array' } },
      c: { prompt: 'x', schema: { type: 'object', if: {} } },
      d: { prompt: 'x', schema: { type: 'object' }, extract: { strategies: ['guess'], model: 'x', instruct: 1 } },
      e: { prompt: 'x', schema: { type: 'object' }, extract: { model: { model: 'openai:x', apiKey: '' } } },
    };
    const config = { extract: { model: 'anthropic:x', corrections: 2 }, roles };
    const found = await folder.wrong('x.json', JSON.stringify(config));
    expect(found.map((line) => line.replace(/^x\.json:\d+:\d+: /, ''))).toEqual([
      'extract.model: set apiKey, or ANTHROPIC_API_KEY in the environment',
      'extract.corrections: expected 0 or 1, got 2',
      'roles.a.extract: has no effect without a schema',
      'roles.b.schema: expected a JSON Schema of an object: {"type": "object", …}',
      'roles.c.schema: expected a supported JSON Schema: Conditional schemas (if/then/else) are not supported',
      'roles.d.extract.strategies[0]: expected one of answer, schema, tool, model, got "guess"',
      expect.stringMatching(/^roles\.d\.extract\.model: expected anthropic:<model>/),
      'roles.d.extract.instruct: expected true or false, got 1',
    ]);
  });

  it('[CF5] checks files, folders, variables and programs before anything starts', async () => {
    const agents = {
      ann: { script: 'none.mjs' },
      ben: { command: './none --fast' },
      cid: { cli: 'claude' },
      dan: { command: 'node', passEnv: ['PATH', 'NOT_SET'] },
      eve: { command: 'node', cwd: 'none' },
      fay: { command: "node 'x" },
      gus: { script: 'ok.json', role: 'lost' },
    };
    await folder.write('ok.json', '["Yes."]');
    const file = await folder.write('needs.yaml', stringify({ agents, roles: { lost: { promptFile: 'none.md' } } }));
    const bin = process.execPath.replace(/\/[^/]*$/, '');
    const lines = (await folder.problems(file, { PATH: bin })).map((line) =>
      line.replace(/^needs\.yaml:\d+:\d+: /, ''),
    );
    expect(lines).toEqual([
      'agents.ann.script: none.mjs does not exist',
      'agents.ben.command: none: no such program',
      'agents.cid.cli: claude: not found in PATH',
      'agents.dan.passEnv[1]: the variable NOT_SET is not set',
      'agents.eve.cwd: expected an existing folder',
      expect.stringMatching(/^agents\.fay\.command: .*quotes are closed/),
      'roles.lost.promptFile: none.md cannot be read',
    ]);
  });

  it('[CF2, CF5] reports missing files together with problems in the file itself', async () => {
    const text = `agents:
  ann: { script: none.mjs }
  ben: { script: ok.json, prompt: "\${UNSET}" }
  cid: { command: ./none }
roles:
  nobody: { promptFile: none.md }
schedules:
  s: { as: ann, type: discussion, participants: [ben], cron: "@daily", zone: Nowhere }
  t: { as: ann, type: discussion, participants: [ben], cron: "@daily", knobs: { rounds: 0 } }
`;
    const file = await folder.write('both.yaml', text);
    expect(await folder.problems(file)).toEqual([
      'both.yaml:2:18: agents.ann.script: none.mjs does not exist',
      'both.yaml:3:35: agents.ben.prompt: the variable UNSET is not set',
      'both.yaml:4:19: agents.cid.command: none: no such program',
      'both.yaml:6:25: roles.nobody.promptFile: none.md cannot be read',
      expect.stringMatching(/^both\.yaml:8:78: schedules\.s\.zone: expected a time zone .*, got "Nowhere"$/),
      expect.stringMatching(/^both\.yaml:9:89: schedules\.t\.knobs\.rounds: expected .*, got 0$/),
    ]);
  });

  it('[CF5] tries schedules before anything is created, and reports key and line', async () => {
    await folder.write('ok.json', '["Yes."]');
    const text = `agents: { a: { script: ok.json }, b: { script: ok.json } }
schedules:
  s1: { as: a, type: nope, participants: [b], cron: "@daily" }
  s2: { as: a, type: consulting, participants: [b, b], cron: "@daily" }
  s3:
    as: a
    type: discussion
    participants: [b]
    cron: "@daily"
    requiredAcks: 7
    knobs:
      rounds: "\${R}"
  s4: { as: a, type: consulting, participants: [b], cron: "0 0 30 2 *" }
  s5: { as: a, type: consulting, participants: [b], cron: "@daily", labels: { schedule: x } }
  s6: { as: a, type: consulting, participants: [{ capability: any }], cron: "@daily" }
  s7: { as: a, type: consulting, participants: [strange], cron: "@daily" }
`;
    const file = await folder.write('times.yaml', text);
    const expected = [
      'times.yaml:3:22: schedules.s1.type: no adapter "nope"; this hub has consulting, conversation, discussion, governed, workflow',
      'times.yaml:4:52: schedules.s2.participants[1]: "b" is listed twice',
      'times.yaml:10:19: schedules.s3.requiredAcks: expected 1 to 1, got 7',
      'times.yaml:12:15: schedules.s3.knobs.rounds: expected a number, got "${R}"',
      'times.yaml:13:59: schedules.s4.cron: expected a time within ten years, got "0 0 30 2 *"',
      expect.stringMatching(/^times\.yaml:14:89: schedules\.s5\.labels\.schedule: expected another label/),
    ];
    expect(await folder.problems(file, { R: 'many' })).toEqual(expected);
    const data = { requested: join(folder.path, 'none-yet'), fallback: '' };
    expect(await folder.problems(file, { R: 'many' }, { data })).toEqual([
      ...expected,
      'times.yaml:16:49: schedules.s7.participants[0]: "strange" is neither one of agents nor registered with the hub',
    ]);
  });

  it('[CF12] doctor reports the same, including unknown participants in a new folder', async () => {
    await folder.write('ok.json', '["Yes."]');
    const schedules = {
      s: { as: 'a', type: 'discussion', participants: ['zed'], cron: '@daily', knobs: { rounds: 0 } },
    };
    const config = await folder.write('doctor.yaml', stringify({ agents: { a: { script: 'ok.json' } }, schedules }));
    const asked = { values: { config, data: join(folder.path, 'none-yet') } } as unknown as CommandArgs;
    const { check } = await checkConfigFile(asked, { env: {} } as Io);
    expect(check).toMatchObject({ name: 'config', ok: false });
    expect(check?.found).toMatch(
      /participants\[0\]: "zed" is neither[\s\S]*schedules\.s\.knobs\.rounds: expected at least 1/,
    );
  });

  it('[CF15] rejects a USD budget for agents that cannot report their cost', async () => {
    await folder.write('ok.json', '["Yes."]');
    await folder.write('told.json', '[{"text": "Yes.", "cost_usd": 0.1}]');
    const usd = { perSession: { turns: 3 }, total: { usd: 1 } };
    const local = { model: 'openai:qwen-local', baseUrl: 'http://127.0.0.1:9/v1', budget: usd };
    const free = {
      as_of: '2026-11-01',
      prices: [{ models: ['qwen-local'], tiers: [{ above: 0, input: 0, output: 0 }] }],
    };
    const agents = {
      a: { script: 'ok.json', budget: usd },
      b: { command: 'node', budget: usd },
      c: local,
      d: { script: 'ok.json', budget: { ...usd, unpriced: 'count_as_zero' } },
      e: { script: 'told.json', budget: usd },
      f: { command: 'node', output: 'json', budget: usd },
      g: { ...local, prices: free },
      h: { ...local, model: 'openai:gpt-4o-mini' },
      i: { ...local, budget: { total: { tokens: 5 } } },
    };
    const bin = { PATH: process.execPath.replace(/\/[^/]*$/, '') };
    const found = await folder.problems(await folder.write('usd.yaml', stringify({ agents })), bin);
    expect(found.map((line) => line.replace(/^usd\.yaml:\d+:\d+: /, ''))).toEqual([
      'agents.a.budget.total.usd: a list of texts reports no cost, so a limit in USD cannot be enforced; use answers with a cost_usd, or budget.unpriced: count_as_zero',
      'agents.b.budget.total.usd: a command reports no cost with output text, so a limit in USD cannot be enforced; use output json, or budget.unpriced: count_as_zero',
      'agents.c.budget.total.usd: qwen-local has no known price, so a limit in USD cannot be enforced; set its prices, or budget.unpriced: count_as_zero',
    ]);
    const all = await folder.write('usd.yaml', stringify({ agents: { c: local }, prices: free }));
    expect(await folder.problems(all, bin)).toEqual([]);
  });

  it('[CF15] passes model settings from the file, and checks prices by key', async () => {
    const tiers = [{ above: 0, input: 'much', output: 1 }];
    const model = { model: 'openai:x', baseUrl: 'http://127.0.0.1:9/v1' };
    const agents = {
      a: { ...model, stream: false, maxRounds: 3, headers: { 'x-team': 'blue' } },
      b: { ...model, stream: 'no', maxRounds: 0, headers: { 'x-team': 7 } },
      c: { ...model, prices: { as_of: '2026-11-01', prices: [{ models: ['x'], tiers }] } },
      d: { script: 'ok.json', stream: true },
      e: { ...model, apiKey: 'ключ' },
    };
    const file = await folder.write('m.yaml', stringify({ prices: { as_of: 'soon', prices: [] }, agents }));
    const lines = (await folder.problems(file)).map((line) => line.replace(/^m\.yaml:\d+:\d+: /, ''));
    expect(lines).toEqual([
      'prices.as_of: expected a day such as 2026-10-07, got "soon"',
      'agents.b.stream: expected true or false, got "no"',
      'agents.b.maxRounds: expected a whole number from 1 to 1000, got 0',
      'agents.b.headers.x-team: expected text, got a value that is not text',
      'agents.c.prices.prices[0].tiers[0].input: expected a number >= 0, got "much"',
      'agents.d.stream: has no effect with script; it applies to model',
      'agents.e.apiKey: expected one line of visible ASCII characters',
    ]);
  });

  it('[CF5] resolves paths relative to the file', async () => {
    const { config } = await folder.load(
      'p.yaml',
      'hub: {data: d, tls: {cert: c.pem, key: /k.pem}, auth: {jwt: {issuer: i, audience: a, jwks: k.json}}}\n',
    );
    expect(config.hub).toEqual({
      data: join(folder.path, 'd'),
      tls: { cert: join(folder.path, 'c.pem'), key: '/k.pem' },
      auth: { jwt: { issuer: 'i', audience: 'a', jwks: join(folder.path, 'k.json') } },
    });
  });
});

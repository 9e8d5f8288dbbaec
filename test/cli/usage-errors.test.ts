// Every command with a wrong argument: an exit code of the table, what is wrong, and what to type next.

import { existsSync } from 'node:fs';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/table.ts';
import { CommandLine } from '../support/command-line.ts';

let line: CommandLine;
beforeAll(async () => {
  line = await CommandLine.open();
  await line.startHub();
  await writeFile(join(line.folder, 'graph.yaml'), 'initial_speaker: 7\n');
  const rule = '{when: {name: from_speaker, args: {agent_id: ann}}, then: {name: agent, args: {agent_id: ben}}}';
  const odd = '{when: {name: not, args: {condition: {name: is_urgent}}}, then: {name: nobody_knows}}';
  await writeFile(join(line.folder, 'condition.yaml'), `initial_speaker: ann\ntransitions: [${rule}, ${odd}]\n`);
  const wrong = rule.replace('agent_id: ann', 'speaker: ann');
  await writeFile(join(line.folder, 'arguments.yaml'), `initial_speaker: ann\ntransitions: [${wrong}]\n`);
  await writeFile(join(line.folder, 'broken.yaml'), '{');
  await writeFile(join(line.folder, 'hub.yaml'), 'hub: { prot: 1 }\n');
  await writeFile(join(line.folder, 'limits.yaml'), 'hub: { limits: { maxTaskz: 3 } }\n');
  await writeFile(join(line.folder, 'sizes.yaml'), 'hub: { connectionLimits: { pingMs: -1 } }\n');
  await writeFile(
    join(line.folder, 'keys.yaml'),
    'hub: { auth: { jwt: { issuer: x, audience: y, jwks: "http://x/keys" } } }\n',
  );
  await mkdir(join(line.folder, 'full'));
  await writeFile(join(line.folder, 'full', 'x'), '');
});
afterAll(() => line.close());

/** Where the test's own folder is meant, it says %. */
type Wrong = readonly [words: string, code: number, message: RegExp, hint: RegExp];

const WRONG: Readonly<Record<string, readonly Wrong[]>> = {
  up: [
    ['--conformance-token abcdefgh --data %/unmade', 2, /expected --conformance with it/, /--help/],
    ['--conformance --host 0.0.0.0 --data %/unmade', 2, /loopback host; host is "0\.0\.0\.0"/, /--help/],
    ['--port x --data %/unmade', 2, /--port: expected a number from 0 to 65535, got "x"/, /--help/],
    ['--port 99999 --data %/unmade', 2, /port: expected a whole number from 0 to 65535, got 99999/, /--help/],
    ['--data %/hub.yaml', 2, /hub\.yaml cannot be a data folder: .*hub\.yaml is there and is no folder/, /--data/],
    ['--data %/hub.yaml/x/y', 2, /cannot be a data folder: .*hub\.yaml is there and is no folder/, /--data/],
    [
      '--config %/limits.yaml --data %/unmade',
      2,
      /limits\.yaml:1:18: hub\.limits\.maxTaskz: unknown setting; did you mean maxTasks\?/,
      /config\.md/,
    ],
    [
      '--config %/sizes.yaml --data %/unmade',
      2,
      /1:36: hub\.connectionLimits\.pingMs: expected a number > 0, got -1/,
      /config\.md/,
    ],
    ['--config %/keys.yaml --data %/unmade', 2, /jwt/, /config\.md/],
    [
      '--tls-cert %/no.pem --tls-key %/no.pem --data %/unmade',
      2,
      /--tls-cert: expected the path of a readable PEM file/,
      /--help/,
    ],
    ['--host 203.0.113.7 --data %/unmade', 1, /this machine has no address 203\.0\.113\.7/, /--host/],
    ['--log-level loud', 2, /--log-level: expected one of debug, info, warn, error, silent, got "loud"/, /--help/],
    ['--auth magic', 2, /--auth: expected one of tokens, none, got "magic"/, /--help/],
    ['--auth none --host 0.0.0.0 --port 0 --data %/unmade', 2, /auth\.none: expected a loopback host/, /--help/],
    ['--config %/hub.yaml', 2, /hub\.yaml:1:8: hub\.prot: unknown setting; did you mean port\?/, /config\.md/],
    ['--config %/no.yaml', 5, /--config: .* does not exist/, /file/],
    ['--prot 1', 2, /Unknown option '--prot'/, /Did you mean --port\?/],
  ],
  mcp: [
    ['--max-wait soon', 2, /--max-wait: expected a duration from 1s to 10m, got "soon"/, /50s/],
    ['serve', 2, /<action>: expected one of install, got "serve"/, /--help/],
    ['--undo', 2, /--undo is for "parley mcp install"/, /parley mcp install <tool> --undo/],
    ['--token-file %/none', 5, /--token-file: no token in .*none/, /path/],
    ['install', 2, /"mcp install" requires <tool>/, /claude, codex, cursor, gemini, opencode/],
    ['install vim', 2, /<tool>: expected one of claude, codex, cursor, gemini, opencode, got "vim"/, /--help/],
    [
      'install claude --scope all',
      2,
      /--scope: expected one of user, project, got "all"/,
      /"parley mcp --help" for its options/,
    ],
    ['install claude --max-wait 5h', 2, /--max-wait: expected a duration from 1s to 10m/, /50s/],
    ['install claude --name Bob! --dry-run', 2, /--name: expected a name of a-z/, /^$/],
  ],
  demo: [['twice', 2, /"demo" takes no arguments, got "twice"/, /--help/]],
  open: [
    ['consulting', 2, /"open" requires --to/, /parley agents/],
    ['consulting --to nobody hello', 2, /nobody/, /parley join/],
    ['nonsense --to bob', 2, /nonsense/, /parley/],
    ['workflow --to bob --graph %/broken.yaml', 2, /neither JSON nor YAML/, /Correct that/],
    ['discussion --to bob --knob rounds', 2, /--knob: expected key=value, got "rounds"/, /^$/],
    ['conversation --to bob --no-wait hello', 2, /--no-wait: a message can only be sent/, /parley send/],
  ],
  send: [
    ['', 2, /"send" requires <session>/, /parley send <session>/],
    ['last', 2, /"send" requires a text/, /--data-json/],
    ['last hello', 5, /session "last" not found/, /parley sessions/],
    [`${'a'.repeat(32)} hello`, 5, /no session/i, /parley sessions/],
    ['last --data-json 7', 2, /--data-json: expected a JSON object/, /^$/],
  ],
  close: [['xyz', 2, /<session>: expected a session id/, /parley sessions/]],
  join: [
    ['--name Bob!', 2, /name/i, /^/],
    [
      '--model sonnet',
      2,
      /--model: expected anthropic:<model>, openai:<model> or responses:<model>, got "sonnet"/,
      /--cli/,
    ],
    ['--model anthropic:x --key-env NOT_SET_HERE', 2, /NOT_SET_HERE is not set/, /--key-env/],
    [
      '--model openai:x --base-url http://a:b@c',
      2,
      /--base-url: expected an http or https address without a user/,
      /--key-env/,
    ],
    ['--model openai:x --cwd /', 2, /--cwd has no effect with --model/, /--cli or --command/],
    ['--script x.mjs --max-tokens 3', 2, /--max-tokens has no effect with --script/, /--model/],
    ['bob', 2, /"join" takes no arguments, got "bob"/, /--help/],
  ],
  sessions: [
    ['--state open', 2, /--state: expected one of INVITED/, /--help/],
    ['--limit 0', 2, /--limit: expected a whole number from 1, got "0"/, /^$/],
  ],
  agents: [['--bond', 2, /Unknown option '--bond'/, /Did you mean --bound\?/]],
  show: [
    ['abcd', 5, /session "abcd" not found/, /parley sessions/],
    ['last --at zero', 2, /--at: expected a whole number from 1, got "zero"/, /^$/],
  ],
  inbox: [['--as Al!ce', 2, /name/i, /^/]],
  tail: [['abcd', 5, /session "abcd" not found/, /parley sessions/]],
  search: [['', 2, /"search" requires <text>/, /--help/]],
  redact: [['last x', 2, /<seq>: expected a whole number from 1, got "x"/, /^$/]],
  export: [['last --format pdf', 2, /--format: expected one of jsonl, md, html, got "pdf"/, /--help/]],
  graph: [
    ['%/graph.yaml', 8, /initial_speaker/, /Correct that/],
    ['%/none.yaml', 5, /does not exist/, /JSON or YAML/],
    [
      '%/condition.yaml',
      8,
      /transitions\.1\.when\.args\.condition\.name: expected a registered condition \(.*from_speaker.*"is_urgent"/,
      /--own/,
    ],
    [
      '%/condition.yaml --own is_urgent',
      8,
      /transitions\.1\.then\.name: expected a registered target \(.*agent.*"nobody_knows"/,
      /--own/,
    ],
    ['%/arguments.yaml', 8, /transitions\.0\.when\.args\.speaker: expected one of agent_id/, /Correct that/],
  ],
  schedule: [
    ['create x --to bob --cron x', 2, /"schedule create" requires --type/, /--help/],
    ['create x --type conversation --to bob --cron never', 2, /expression/, /^/],
    ['pause x', 2, /<what>: expected the id of a schedule/, /schedule list/],
    ['stop', 2, /<action>: expected one of list, create, pause, resume, delete, got "stop"/, /--help/],
  ],
  run: [
    ['dance', 2, /<action>: expected one of init, status, .*, got "dance"/, /--help/],
    ['reject --root %', 2, /"run reject" requires --reason/, /--help/],
    ['status --note x', 2, /"run status" does not take --note/, /--help/],
    ['status --root %/none', 5, /--root: .* does not exist/, /project/],
    ['loop --root % --max-turns many', 2, /--max-turns: expected a whole number from 1, got "many"/, /^$/],
    ['assign --root %', 5, /no agentxchain\.json in/, /parley run init/],
  ],
  token: [
    ['revoke', 2, /"token revoke" requires <id>/, /token list/],
    [
      `revoke parley_${'a'.repeat(16)}_${'b'.repeat(43)}`,
      2,
      /expected the id of a token.*got "a secret"/,
      /its id is aaaaaaaaaaaaaaaa/,
    ],
    ['revoke aaaaaaaaaaaaaaaa', 5, /no token/, /parley/],
    ['create --grant all', 2, /--grant: expected one of operate/, /--help/],
  ],
  backup: [['%/copy --data %/none', 5, /is not a data folder: there is no parley\.json/, /--data/]],
  restore: [
    ['%/none --data %/new', 5, /does not exist/, /parley backup/],
    ['%/full --data %/new', 2, /backup/, /parley backup/],
  ],
  archive: [['--ended-before yesterday --data %/none', 2, /--ended-before: expected a date/, /^$/]],
  verify: [['--data %/none', 5, /is not a data folder/, /--data/]],
  repair: [['--data %/none', 5, /is not a data folder/, /--data/]],
  doctor: [['--loud', 2, /Unknown option '--loud'/, /--help/]],
  conformance: [
    ['check --target %/none', 2, /capabilities\.json: ENOENT/, /--target/],
    ['check --tier 4', 2, /--tier: expected one of 1, 2, 3, got "4"/, /--help/],
    ['check --surface lamps', 2, /--surface: expected one of .*state_machine.*got "lamps"/, /^$/],
    ['check --timeout soon', 2, /--timeout: expected a whole number/, /^$/],
    ['check --fixtures %/none', 5, /does not exist/, /--fixtures/],
    ['check --token abc', 2, /--token: expected --remote with it/, /address/],
    ['check --remote x', 2, /--remote: expected a URL/, /^$/],
    ['prove', 2, /<action>: expected one of check, got "prove"/, /--help/],
  ],
  completion: [['tcsh', 2, /<shell>: expected one of bash, zsh, fish, got "tcsh"/, /--help/]],
};

it('[CM3] every command is asked wrongly here', () => {
  expect(Object.keys(WRONG).sort()).toEqual(COMMANDS.map(({ name }) => name).sort());
});

const all = Object.entries(WRONG).flatMap(([command, cases]) => cases.map((one) => [command, ...one] as const));

describe.concurrent('asked wrongly', () => {
  it.each(all)('[CM3, CM4] parley %s %s ends with %i', async (command, words, code, message, hint) => {
    const args = [command, ...words.split(' ').filter((word) => word !== '')].map((word) =>
      word.replace('%', line.folder),
    );
    const plain = await line.here(args);
    expect({ code: plain.code, out: plain.out }, plain.err).toEqual({ code, out: '' });
    expect(plain.err).toMatch(/^parley: /m);
    expect(plain.err).not.toMatch(/\n\s+at /);
    const json = await line.here([...args, '--json']);
    expect({ code: json.code, out: json.out }).toEqual({ code, out: '' });
    const { error } = JSON.parse(json.err.trim().split('\n').at(-1) ?? '');
    expect(error).toEqual({
      code: expect.any(String),
      exit: code,
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
    expect(plain.err).toContain(error.message);
    expect(plain.err).toContain(error.hint);
  });
});

describe('errors before a hub is asked', () => {
  it('[CM3, CM4] a hub that is not there ends with 3 and says how to start one', async () => {
    const { code, err } = await line.run(['sessions', '--url', 'ws://127.0.0.1:9']);
    expect(code).toBe(3);
    expect(err).toMatch(
      /^parley: ws:\/\/127\.0\.0\.1:9 cannot be reached: .*\nIs the hub running\? "parley up" starts one/,
    );
  });

  it('[CM4, CM5] a token the hub does not know ends with 4 and says where it came from', async () => {
    const { code, err } = await line.run(['sessions', '--data', join(line.folder, 'none')]);
    expect(code).toBe(4);
    expect(err).toMatch(
      /no token: none found in .*operator-token.*\nRun it in the folder of "parley up".*--data.*--token-file.*PARLEY_TOKEN/,
    );
    expect(err).not.toMatch(/scheme|credential/);
    const wrong = await line.here(['sessions', '--token', `parley_${'a'.repeat(16)}_${'b'.repeat(43)}`]);
    expect(wrong).toMatchObject({ code: 4, out: '', err: expect.stringContaining('with --token') });
  });

  it('[CM3] an option before the command, and a command that nearly is one', async () => {
    expect(await line.here(['--loud'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('Put the command first'),
    });
    expect(await line.here(['tial'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean "parley tail"?'),
    });
    expect((await line.here(['--json', 'agents'])).code).toBe(0);
  });

  it('[CM2, CM3] treats --json after -- as a plain word', async () => {
    const plain = await line.here(['show', '--', '--json']);
    expect(plain).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/^parley: /) });
    const json = await line.here(['show', '--json', '--', '--json']);
    expect(JSON.parse(json.err).error.message).toContain('--json');
  });
});

it('[CM14] no faulty "up" created a folder', () => {
  expect(existsSync(join(line.folder, 'unmade'))).toBe(false);
});

it.skipIf(process.platform !== 'linux')('[CM14] rejects a place where no folder can be created', async () => {
  const { code, err } = await line.run(['up', '--data', '/proc/parley/x', '--port', '0']);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/cannot be a data folder.*\n.*--data/) });
});

it('[CM14] a port that is taken leaves no folder either', async () => {
  const { port } = new URL(line.url);
  const { code, err } = await line.run(['up', '--data', join(line.folder, 'unmade'), '--port', port]);
  expect({ code, err }).toEqual({ code: 7, err: expect.stringContaining('is in use by another program') });
  expect(existsSync(join(line.folder, 'unmade'))).toBe(false);
});

it.skipIf(process.platform === 'win32')('[CM14] keeps a hub’s files private to their owner', async () => {
  const modeOf = async (...path: readonly string[]) =>
    ((await stat(join(line.data, ...path))).mode & 0o777).toString(8);
  expect(await modeOf()).toBe('700');
  for (const folder of ['journal', 'index'])
    expect({ folder, mode: await modeOf(folder) }).toEqual({ folder, mode: '700' });
  for (const file of ['parley.json', 'lock', 'index-state.json', 'operator-token']) {
    expect({ file, mode: await modeOf(file) }).toEqual({ file, mode: '600' });
  }
});

it('[CM17] accepts custom conditions and targets by name', async () => {
  const names = ['--own', 'is_urgent', '--own', 'nobody_knows'];
  const { code, out } = await line.here(['graph', join(line.folder, 'condition.yaml'), ...names, '--json']);
  expect({ code, drawn: JSON.parse(out) }).toMatchObject({
    code: 0,
    drawn: { mermaid: expect.stringContaining('ann') },
  });
});

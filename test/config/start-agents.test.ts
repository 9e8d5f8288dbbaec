// A config file applied to a real hub: participants, rules and schedules.

import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { loadPlan } from '../../src/config/plan.ts';
import type { Config } from '../../src/config/shape/config.ts';
import { startAgents } from '../../src/config/start-agents.ts';
import { createHub, type LocalHub } from '../../src/server/create-hub.ts';
import { type Closeable, type UpEvent, up } from '../../src/server/up.ts';
import { StubModel, whole } from '../participants/models/stub-model.ts';
import { configFolder, linesOf } from './configs.ts';

const KEY = 'zq-9f8e7d6c5b4a-key';
const folder = configFolder();
let stub: StubModel;
let hub: LocalHub;
const open: Closeable[] = [];
beforeAll(async () => {
  stub = await StubModel.start(() => 0);
  stub.will(
    whole({
      id: 'x',
      model: 'm-1',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Four.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
    }),
  );
});
afterAll(() => stub.stop());
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
  await hub.stop();
});

/** Reported events, and log entries. */
async function bring(config: Config, reuse?: LocalHub) {
  await folder.write('yes.json', '["Yes."]');
  const file = await folder.write('parley.config.yaml', stringify(config));
  const plan = await loadPlan(file, { KEY });
  hub = reuse ?? (await createHub());
  const told: UpEvent[] = [];
  const logged: unknown[] = [];
  let failed = (): void => {};
  const turnFailed = new Promise<void>((resolve) => {
    failed = resolve;
  });
  const note = (message: string, details?: object): void => {
    logged.push({ message, ...details });
    if (message === 'a turn failed') failed();
  };
  const log = { info: note, warn: note, error: note };
  const up = await startAgents(hub, plan, (event) => told.push(event), log);
  open.push(up);
  return { told, logged, up, turnFailed };
}

async function answer(to: string, question = 'How much is it?'): Promise<string> {
  const alice = await hub.agent('alice', { onMessage() {} });
  const session = await alice.open('consulting', [to]);
  await session.send(question);
  await session.ended();
  const texts: string[] = [];
  for await (const { event_type, event_data } of session.log()) {
    if (event_type === 'msg.text') texts.push(String(event_data.text));
  }
  alice.close();
  return texts.slice(1).join();
}

describe('the participants of a config file', () => {
  it('[CF6] join in process and take their turns: a script, and a model with its role', async () => {
    const { told, logged } = await bring({
      agents: {
        bob: { script: 'yes.json', capabilities: ['review'], summary: 'Says yes.' },
        sol: {
          model: 'openai:m-1',
          baseUrl: `${stub.origin}/v1`,
          apiKey: '${KEY}',
          role: 'counter',
          prompt: 'Be brief.',
          maxTokens: 50,
        },
      },
      roles: { counter: { prompt: 'You count.' } },
    });
    expect(told).toMatchObject([
      { event: 'joined', name: 'bob', provider: 'script', model: null },
      { event: 'joined', name: 'sol', provider: 'openai', model: 'm-1' },
    ]);
    expect(await answer('bob')).toBe('Yes.');
    expect(await answer('sol')).toBe('Four.');
    const [asked] = stub.asked;
    expect(asked?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(asked?.body).toMatchObject({
      model: 'm-1',
      max_completion_tokens: 50,
      messages: [{ role: 'system', content: 'You count.\n\nBe brief.' }, { role: 'user' }],
    });
    const carol = await hub.agent('carol');
    expect(await carol.resume('bob')).toMatchObject({ claimed_capabilities: ['review'], summary: 'Says yes.' });
    expect(JSON.stringify([told, logged])).not.toContain(KEY);
  });

  it('[CF13] check the metadata of a role with a schema and attach it to messages', async () => {
    await folder.write('verdict.json', JSON.stringify(['Fine.\n\n```json meta\n{"verdict": "approve"}\n```\n']));
    await bring({
      agents: { rex: { script: 'verdict.json', role: 'reviewer' } },
      roles: {
        reviewer: {
          prompt: 'You review.',
          schema: { type: 'object', properties: { verdict: { enum: ['approve', 'reject'] } }, required: ['verdict'] },
        },
      },
      extract: { strategies: ['answer'], corrections: 0 },
    });
    const alice = await hub.agent('alice', { onMessage() {} });
    const session = await alice.open('consulting', ['rex']);
    await session.send('Is it ready?');
    await session.ended();
    const log = [];
    for await (const envelope of session.log()) log.push(envelope);
    expect(log.findLast(({ event_type }) => event_type === 'msg.text')?.event_data).toMatchObject({
      meta: { verdict: 'approve' },
    });
  });

  it('[CF13] use the common extract settings where the role has none: no correction, so the turn fails', async () => {
    await folder.write('wrong.json', JSON.stringify(['```json meta\n{"verdict": "perhaps"}\n```', 'never asked']));
    const schema = { type: 'object', properties: { verdict: { enum: ['approve'] } }, required: ['verdict'] };
    const { logged, turnFailed } = await bring({
      agents: { rex: { script: 'wrong.json', role: 'reviewer' } },
      roles: { reviewer: { prompt: 'You review.', schema, extract: { strategies: ['answer'] } } },
      extract: { strategies: ['model'], corrections: 0 },
    });
    const alice = await hub.agent('alice');
    await (await alice.open('consulting', ['rex'])).send('Is it ready?');
    await turnFailed;
    expect(JSON.stringify(logged)).toMatch(/no metadata that matches the schema: .*verdict/);
  });

  it('[CF13] use the tools and the budget of the file', async () => {
    const { logged, turnFailed } = await bring({
      agents: {
        sol: {
          model: 'openai:m-1',
          baseUrl: `${stub.origin}/v1`,
          tools: ['peers'],
          budget: { perSession: { turns: 1 }, total: { tokens: 4 } },
        },
      },
    });
    const alice = await hub.agent('alice');
    await (await alice.open('consulting', ['sol'])).send('How much?');
    await turnFailed;
    expect(JSON.stringify(logged)).toMatch(/the budget of sol in all is 4 tokens/);
    await open.pop()?.close();
    const { told } = await bring(
      { agents: { sun: { model: 'openai:m-1', baseUrl: `${stub.origin}/v1`, tools: ['peers'] } } },
      hub,
    );
    expect(told).toHaveLength(1);
    const asked = stub.asked.length;
    await (await alice.open('consulting', ['sun'])).send('How much?');
    await stub.until(() => stub.asked.length > asked);
    expect(JSON.stringify(stub.asked.at(-1)?.body.tools)).toMatch(/^\[\{[^[]*"name":"peers"/);
  });

  it('[CF6] start all or none: an unknown participant is reported before anyone joins', async () => {
    hub = await createHub();
    const config: Config = {
      agents: { bob: { script: 'yes.json' } },
      schedules: { daily: { as: 'bob', type: 'conversation', participants: ['ann'], cron: '@daily' } },
    };
    const thrown = await bring(config, hub).catch((reason: unknown) => reason);
    expect(linesOf(thrown, folder.path)).toEqual([
      'parley.config.yaml:9:9: schedules.daily.participants[0]: "ann" is neither one of agents nor registered with the hub',
    ]);
    await expect(hub.grant('bob', [])).rejects.toThrow('no agent with name or id "bob"');
  });

  it('[CF6] start all or none: a later failure is reported by key, and earlier changes are undone', async () => {
    hub = await createHub({ limits: { maxSchedulesPerCreator: 1 } });
    const daily = { as: 'bob', type: 'conversation', participants: ['ben'], cron: '@daily' };
    const agents = { bob: { script: 'yes.json' }, ben: { script: 'yes.json' } };
    const thrown = await bring({ agents, schedules: { one: daily, two: daily } }, hub).catch(
      (reason: unknown) => reason,
    );
    expect(linesOf(thrown, folder.path)).toEqual([
      expect.stringMatching(/^parley\.config\.yaml:\d+:3: schedules\.two: .*schedules/),
    ]);
    expect([hub.health().bound, hub.schedules()]).toEqual([0, []]);
    await bring({ agents, schedules: { one: daily } }, hub);
    await open.pop()?.close();
    const [before] = hub.schedules();
    const later = { ...daily, cron: '@weekly' };
    await bring({ agents, schedules: { one: later, two: daily } }, hub).catch(() => null);
    expect(hub.schedules()).toMatchObject([{ expression: '@daily', template: before?.template }]);
  });

  it('[CF4, CF6] log a failed turn without the key, and report it to the session', async () => {
    const { logged, turnFailed } = await bring({
      agents: { sol: { model: 'openai:m-1', baseUrl: 'http://127.0.0.1:9/v1?key=${KEY}', timeout: '1s' } },
    });
    const alice = await hub.agent('alice');
    const session = await alice.open('consulting', ['sol']);
    await session.send(`Is ${KEY} a key?`);
    await turnFailed;
    expect(logged).toContainEqual(
      expect.objectContaining({ message: 'a turn failed', name: 'sol', session_id: session.id }),
    );
    expect(JSON.stringify(logged)).not.toContain(KEY);
  });

  it('[CF8] end when closed, while the hub keeps running', async () => {
    const { up } = await bring({ agents: { bob: { script: 'yes.json' }, ben: { script: 'yes.json' } } });
    expect(hub.health().bound).toBe(2);
    await up.close();
    await up.close();
    expect(hub.health()).toMatchObject({ bound: 0, ready: true });
  });
});

describe('the rules of a config file', () => {
  const agents = { bob: { script: 'yes.json' }, ben: { script: 'yes.json' } };

  it('[CF9] merge an agent rule over the common one; removed rules return to the default', async () => {
    await bring({
      agents,
      rules: {
        '*': { limits: { delegation_depth: 2, inbox: { max_pending: 10 } }, grants: ['approve'] },
        bob: { access: { inbound_from: ['al*'] }, limits: { delegation_depth: 1 }, grants: ['observe'] },
      },
    });
    const [bob, ben] = await rules();
    expect(bob).toMatchObject({
      access: { inbound_from: ['al*'], outbound_to: ['*'] },
      limits: { delegation_depth: 1, inbox: { max_pending: 10, overflow: 'reject' } },
    });
    expect(ben).toMatchObject({ access: { inbound_from: ['*'] }, limits: { delegation_depth: 2 } });
    expect([await hub.grant('bob', []), await hub.grant('ben', [])]).toEqual([['observe'], ['approve']]);
    await open.pop()?.close();
    await bring({ agents, rules: { bob: { limits: { delegation_depth: 3 } } } }, hub);
    const [again, other] = await rules();
    expect(again).toMatchObject({
      access: { inbound_from: ['*'] },
      limits: { delegation_depth: 3, inbox: { max_pending: 1000 } },
    });
    expect(other).toMatchObject({ limits: { delegation_depth: 5 } });
  });

  it('[CF9] change nothing without rules in the file, or with the same file again', async () => {
    const config: Config = { agents, rules: { bob: { limits: { delegation_depth: 1 } } } };
    await bring(config);
    await open.pop()?.close();
    await bring(config, hub);
    await open.pop()?.close();
    await bring({ agents }, hub);
    const carol = await hub.agent('carol');
    await hub.grant('carol', ['rules']);
    expect(await carol.rule('bob')).toMatchObject({ version: 1, rule: { limits: { delegation_depth: 1 } } });
  });

  async function rules() {
    const carol = await hub.agent('carol');
    await hub.grant('carol', ['rules']);
    const both = [(await carol.rule('bob')).rule, (await carol.rule('ben')).rule] as const;
    carol.close();
    return both;
  }
});

describe('the schedules of a config file', () => {
  const agents = { bob: { script: 'yes.json' } };
  const daily = { as: 'bob', type: 'conversation', participants: ['ann'], cron: '0 9 * * *', zone: 'UTC' };
  const fates = (told: readonly UpEvent[]): readonly string[] =>
    told.flatMap((event) => (event.event === 'schedule' ? [`${event.name} ${event.what}`] : []));

  it('[CF10] are made, kept, changed and deleted by name; a paused one stays paused, others are untouched', async () => {
    hub = await createHub();
    const ann = await hub.agent('ann');
    const session = { type: 'conversation', participants: ['ann', 'bea'] };
    await hub.agent('bea');
    await ann.schedule('own', { expression: '0 8 * * *', zone: 'UTC', session });
    const both: Config = { agents, schedules: { daily, weekly: { ...daily, as: 'cleo', cron: '@weekly' } } };
    const steps: (readonly string[])[] = [];
    const step = async (config: Config): Promise<void> => {
      steps.push(fates((await bring(config, hub)).told));
      await open.pop()?.close();
    };
    await step(both);
    const [paused] = hub.schedules().filter(({ name }) => name === 'daily');
    await ann.call('update_schedule', { schedule_id: paused?.schedule_id ?? '', paused: true }).catch(() => null);
    await hub.grant('ann', ['operate']);
    await ann.updateSchedule(paused?.schedule_id ?? '', { paused: true });
    await step(both);
    await step({ agents, schedules: { daily: { ...daily, cron: '0 10 * * *', knobs: {} } } });
    expect(hub.schedules().find(({ name }) => name === 'daily')).toMatchObject({
      expression: '0 10 * * *',
      paused: true,
    });
    await step({ agents });
    expect(steps).toEqual([
      ['daily made', 'weekly made'],
      ['daily kept', 'weekly kept'],
      ['daily changed', 'weekly deleted'],
      ['daily deleted'],
    ]);
    expect(hub.schedules().map(({ name }) => name)).toEqual(['own']);
  });
});

it('[CF8] shuts a hub down immediately while its agents are starting', async () => {
  const told: string[] = [];
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const known = (['SIGINT', 'SIGTERM'] as const).map((name) => [name, process.listeners(name)] as const);
  const data = join(folder.path, 'early');
  const ending = up({
    data,
    port: 0,
    log: silent,
    tell: ({ event }) => told.push(event),
    startAgents() {
      told.push('begins');
      // Only the hub's listeners: the test runner has its own.
      setImmediate(() => {
        for (const listener of process.listeners('SIGINT').filter((one) => !known[0]?.[1].includes(one)))
          listener('SIGINT');
      });
      return new Promise(() => {});
    },
  });
  await ending;
  expect(told).toEqual(['begins', 'stopping', 'stopped']);
  for (const [name, before] of known)
    for (const listener of process.listeners(name)) if (!before.includes(listener)) process.off(name, listener);
});

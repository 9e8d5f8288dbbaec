// Roles in a hub, and their types.

import {
  createLlmAdapter,
  createRole,
  cursorAdapter,
  type ExtractSettings,
  joinHub,
  type MetaOf,
  type Role,
  type StandardSchema,
} from 'parley-hub/participants';
import { beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { Stage } from '../stage.ts';
import { byHand, meta, scripted } from './fixtures.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.start();
});

async function asked(name: string, role: Role<typeof byHand>) {
  const { clock } = stage.world;
  const errors: Error[] = [];
  const handlers = { onError: (error: Error) => void errors.push(error) };
  const player = await stage.done(joinHub((own) => stage.way(own), { name, role, clock, handlers }));
  const maria = await stage.client(`maria-of-${name}`);
  const session = await stage.done(maria.open('consulting', [name]));
  await stage.done(session.send('Is it good?'));
  await stage.settle();
  return { log: await stage.log(player.client.session(session.id)), errors };
}

describe('a role in a hub', () => {
  it('[RL2] posts the answer with its metadata and the cost of all calls', async () => {
    const { agent } = scripted({ text: 'Good.', cost_usd: 0.1 }, { text: meta('{"ok":true}'), cost_usd: 0.2 });
    const { log } = await asked('reviewer', createRole(agent, 'You are a reviewer.', byHand));
    const said = log.filter(({ event_type }) => event_type === 'msg.text').map(({ event_data }) => event_data);
    expect(said.at(-1)).toEqual({ text: meta('{"ok":true}'), meta: { ok: true }, cost_usd: 0.3 });
  });

  it('[RL2, RL9] posts nothing without metadata, and reports the reason to the session', async () => {
    const { log, errors } = await asked('mute', createRole(scripted('Good.', meta('{"ok":7}')).agent, 'p', byHand));
    expect(log.filter(({ event_type }) => event_type === 'msg.text')).toHaveLength(1);
    expect(errors).toMatchObject([{ name: 'ExtractError', raw: meta('{"ok":7}') }]);
    expect(log.find(({ event_type }) => event_type === 'task.failed')?.event_data).toMatchObject({
      reason: expect.stringContaining('ok: expected true or false, got 7'),
    });
  });

  it.each([
    [{}, 'agent: expected a function, or a role instead, got nothing'],
    [
      { agent: scripted().agent, role: createRole(scripted().agent, 'p', byHand) },
      'agent: expected a function, or a role instead, got "both"',
    ],
    [{ role: scripted().agent }, 'role: expected a role made by createRole'],
  ])('[RL2] joins with either an agent or a role: %#', async (options, message) => {
    const named = { name: 'x', ...options };
    const joining = Reflect.apply(joinHub, undefined, [() => Promise.reject(new Error('not asked')), named]);
    await expect(joining).rejects.toThrow(message);
  });
});

describe('[RL1] the compiler', () => {
  it('accepts the documented examples, and infers the metadata', () => {
    const extractConfig: ExtractSettings = {};
    const metaSchema = z.object({ ok: z.boolean() });
    const planner = createRole(
      createLlmAdapter({ baseUrl: 'https://api.example.com/v1', apiKey: '…', model: 'gpt-4o-mini' }),
      'You are a planner…',
      metaSchema,
      extractConfig,
    );
    const coder = createRole(cursorAdapter, 'You write code.', metaSchema, extractConfig);
    expectTypeOf(planner).toEqualTypeOf<Role<typeof metaSchema>>();
    expectTypeOf<Awaited<ReturnType<typeof coder>>['meta']>().toEqualTypeOf<{ ok: boolean }>();
    expectTypeOf<MetaOf<typeof byHand>>().toEqualTypeOf<{ readonly ok: boolean }>();
    const renamed = z.object({ n: z.string().transform(Number) });
    expectTypeOf<MetaOf<typeof renamed>>().toEqualTypeOf<{ n: number }>();
  });

  it('rejects a role without adapter, and other mistakes', () => {
    const { agent } = scripted();
    const role = createRole(agent, 'p', byHand);
    const wrong = [
      // @ts-expect-error: the adapter is missing
      () => createRole('p', byHand),
      // @ts-expect-error: undefined is no adapter
      () => createRole(undefined, 'p', byHand),
      // @ts-expect-error: nothing was imported under that name
      () => createRole(noSuchAdapter, 'p', byHand),
      // @ts-expect-error: no schema
      () => createRole(agent, 'p', { type: 'object' }),
      // @ts-expect-error: metadata has members
      () => createRole(agent, 'p', z.string()),
      // @ts-expect-error: there is no such way
      () => createRole(agent, 'p', byHand, { strategies: ['guess'] }),
      // @ts-expect-error: neither an agent nor a role
      () => joinHub((own) => stage.way(own), { name: 'x' }),
      // @ts-expect-error: both
      () => joinHub((own) => stage.way(own), { name: 'x', agent, role }),
      // @ts-expect-error: a role is called otherwise than an agent
      () => joinHub((own) => stage.way(own), { name: 'x', agent: role }),
    ];
    const typed: StandardSchema<object> = byHand;
    expect([wrong.length, typed]).toEqual([9, byHand]);
  });
});

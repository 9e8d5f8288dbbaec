// Calls beside sessions: profiles, agents, rules, search, schedules.

import { createHub } from 'parley-hub';
import { AgentClient } from 'parley-hub/client';
import type { Schedule } from 'parley-hub/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { aWorld, HOUR } from '../../hub/scene.ts';
import { expectRefused } from '../../support/expect-refused.ts';
import { S1, type ScriptedHub } from '../scripted-hub.ts';
import { agent } from '../world.ts';

/** What types forbid and callers without types do. */
// biome-ignore lint/suspicious/noExplicitAny: the point of these tests
const untyped = (value: unknown): any => value;

const found = (name: string) => ({ name });

async function requestsOf(hub: ScriptedHub): Promise<unknown[]> {
  const frames = (await hub.heard()).map((text) => JSON.parse(text));
  return frames.map(({ op, params, deadline_ms }) => [op, params, deadline_ms]);
}

describe('profiles and agents on the wire', () => {
  it('[ID1, ID4] sends profile calls with their wire names', async () => {
    const { hub, client } = await agent();
    const calls = [
      client.resume(),
      client.resume('bob'),
      client.setResume({
        claimedCapabilities: ['a'],
        domains: ['b'],
        summary: 'c',
        examples: ['d'],
        expectedVersion: 3,
      }),
      client.setResume({}),
      client.skill(),
      client.skill('bob'),
      client.setSkill('Ask.'),
      client.session(S1).leave(),
      client.session(S1).add('bob'),
      client.session(S1).add('bob', { role: 'judge', deadlineMs: 50 }),
    ];
    expect(await requestsOf(hub)).toEqual([
      ['get_resume', {}, undefined],
      ['get_resume', { agent: 'bob' }, undefined],
      [
        'set_resume',
        { claimed_capabilities: ['a'], domains: ['b'], summary: 'c', examples: ['d'], expected_version: 3 },
        undefined,
      ],
      ['set_resume', {}, undefined],
      ['get_skill', {}, undefined],
      ['get_skill', { agent: 'bob' }, undefined],
      ['set_skill', { text: 'Ask.' }, undefined],
      ['leave_session', { session_id: S1 }, undefined],
      ['add_participant', { session_id: S1, participant: 'bob' }, undefined],
      ['add_participant', { session_id: S1, participant: 'bob', role: 'judge' }, 50],
    ]);
    client.close();
    await Promise.allSettled(calls);
  });

  it('[ID7] follows next until it is null, even past an empty page', async () => {
    const { hub, client } = await agent();
    const names: string[] = [];
    const reading = (async () => {
      for await (const { name } of client.findAgents({ capability: 'x', bound: true })) names.push(name);
    })();
    for (const [after, agents, next] of [
      [undefined, [found('a'), found('b')], 'b'],
      ['b', [], 'm'],
      ['m', [found('z')], null],
    ] as const) {
      expect(await hub.answer('find_agent', { agents, next })).toEqual({
        capability: 'x',
        bound: true,
        ...(after && { after }),
      });
    }
    await reading;
    expect(names).toEqual(['a', 'b', 'z']);
  });
});

describe('client-side rejections', () => {
  it('[CL4] rejects unknown options and arguments of the wrong kind', async () => {
    const { hub, client } = await agent();
    const session = client.session(S1);
    const refusals = [
      client.setResume(untyped({ claimed_capabilities: ['a'] })),
      client.setResume(untyped(null)),
      client.setResume({ summary: untyped(() => '') }),
      client.findAgents(untyped({ name: 'bob' })).next(),
      client.findAgents(untyped('bob')).next(),
      client.resume(untyped(7)),
      client.skill(untyped({})),
      client.setSkill(untyped(5n)),
      session.add('bob', untyped({ as: 'judge' })),
      session.add('bob', { deadlineMs: 0 }),
      session.add(untyped(Number.NaN)),
    ];
    const ends = await Promise.allSettled(refusals);
    expect(ends.map((end) => untyped(end).reason?.message.replace(/ \(.*\)/, ''))).toEqual([
      'claimed_capabilities: expected a known option, got "claimed_capabilities"',
      'options: expected an object, got null',
      'summary: expected a JSON value, got a function',
      'name: expected a known option, got "name"',
      'options: expected an object, got "bob"',
      'agent: expected a name or an id, got 7',
      'agent: expected a name or an id, got an empty object',
      'text: expected a JSON value, got 5n',
      'as: expected a known option, got "as"',
      'deadlineMs: expected a whole number of milliseconds from 1 to 86400000, got 0',
      'participant: expected a finite number, got NaN',
    ]);
    expect(await hub.heard()).toEqual([]);
  });
});

describe('rules on the wire', () => {
  it('[RU1, OPR2, OPR3] sends access rules and operator requests', async () => {
    const { hub, client } = await agent();
    const rule = { access: { inbound_from: ['b*'] } };
    const session = client.session(S1);
    const calls = [
      client.rule(),
      client.rule('bob'),
      client.setRule(rule),
      client.setRule(rule, { agent: 'bob', expectedVersion: 2 }),
      session.comeBack(),
      session.hide('bob'),
      session.bringBack('bob', { deadlineMs: 50 }),
      session.remove('bob', { reason: 'noise', deadlineMs: 50 }),
    ];
    expect(await requestsOf(hub)).toEqual([
      ['get_rule', {}, undefined],
      ['get_rule', { agent: 'bob' }, undefined],
      ['set_rule', { rule }, undefined],
      ['set_rule', { rule, agent: 'bob', expected_version: 2 }, undefined],
      ['return_to_session', { session_id: S1 }, undefined],
      ['hide_participant', { session_id: S1, participant: 'bob' }, undefined],
      ['return_to_session', { session_id: S1, participant: 'bob' }, 50],
      ['remove_participant', { session_id: S1, participant: 'bob', reason: 'noise' }, 50],
    ]);
    client.close();
    await Promise.allSettled(calls);
  });

  it('[CL4] rejects values of the wrong kind by name and sends nothing', async () => {
    const { client } = await agent();
    const wrong = (value: unknown) => value as never;
    await expect(client.setRule(wrong(null))).rejects.toThrow('rule: expected an object');
    await expect(client.setRule({}, wrong({ who: 'bob' }))).rejects.toThrow('who');
    await expect(client.rule(wrong(7))).rejects.toThrow('agent: expected a name');
    await expect(client.session(S1).hide('bob', wrong({ why: 'x' }))).rejects.toThrow('why');
    await expect(client.session(S1).bringBack('bob', wrong({ why: 'x' }))).rejects.toThrow('why');
    await expect(client.session(S1).bringBack(wrong(undefined))).rejects.toThrow(
      'participant: expected a name or an id, got nothing',
    );
  });
});

async function scene() {
  const hub = await createHub({ limits: { maxSearchEntries: 3 } });
  onTestFinished(() => hub.stop());
  const alice = await hub.agent('alice');
  await hub.agent('bob');
  const session = await alice.open('conversation', ['bob']);
  return { hub, alice, session };
}

describe('searching', () => {
  it('[SR1, SR6] iterates over all matches, however many calls that takes', async () => {
    const { alice, session } = await scene();
    const expected: number[] = [];
    for (let i = 0; i < 12; i++) {
      const { seq } = await session.send(i % 3 === 0 ? 'Needle' : 'hay');
      if (i % 3 === 0) expected.unshift(seq);
    }
    const found: number[] = [];
    for await (const { seq } of alice.search('needle', { states: ['ACTIVE'] })) found.push(seq);
    expect(found).toEqual(expected);
    for await (const { seq } of alice.search('needle')) {
      expect(seq).toBe(expected[0]);
      break;
    }
  });

  it('[SR5] rejects unknown options', async () => {
    const { alice } = await scene();
    const wrong = { label: 'x' } as never;
    await expectRefused(alice.search('needle', wrong).next(), 'bad_frame', 'label');
  });

  it('[RD3] redacts with the grant `operate`, and its log shows the tombstone', async () => {
    const { hub, alice, session } = await scene();
    const { seq } = await session.send('my key is sk-live-123');
    await expect(session.redact(seq)).rejects.toMatchObject({ code: 'forbidden' });
    await hub.grant('alice', ['operate']);
    const { redacted } = await session.redact(seq, { reason: 'a key' });
    expect(redacted).toMatchObject({ by: alice.agentId, reason: 'a key' });
    const { envelopes } = await alice.call('read_log', { session_id: session.id, from_seq: seq });
    expect(envelopes[0]).toMatchObject({ event_data: { text: '[redacted]' }, redacted });
  });
});

async function joined() {
  const world = await aWorld();
  const connect = (name: string) =>
    world.answer(AgentClient.connect({ name, ids: world.ids, link: () => world.hub.connect() }));
  const alice = await connect('alice');
  const bob = await connect('bob');
  const session = { type: 'conversation', participants: ['bob'], inviteTimeout: '1h', requiredAcks: 1 };
  return { world, alice, bob, options: { expression: '0 * * * *', zone: 'UTC', session } };
}

describe('scheduling', () => {
  it('[SC4, SC6, SC12] creates, lists, updates and deletes schedules', async () => {
    const { world, alice, bob, options } = await joined();
    const made = await world.answer(alice.schedule('hourly', { ...options, missed: 'once', overlap: true }));
    expect(made).toMatchObject({
      name: 'hourly',
      missed: 'once',
      overlap: true,
      template: { type: 'conversation', participants: ['bob'], invite_timeout: '1h', required_acks: 1 },
    });
    await world.pass(HOUR);
    expect(bob.session((await all(world, alice))[0]?.last_run?.session_id ?? '').id).toMatch(/^[0-9a-f]{32}$/);
    const session = { ...options.session, ttl: '1d' };
    const changed = await world.answer(
      alice.updateSchedule(made.schedule_id, { name: 'other', session, paused: true }),
    );
    expect(changed).toMatchObject({ name: 'other', paused: true, expression: '0 * * * *', template: { ttl: '1d' } });
    await world.answer(alice.deleteSchedule(made.schedule_id));
    expect(await all(world, alice)).toEqual([]);
  });

  it('[CL4] rejects unknown options before anything is sent', async () => {
    const { world, alice, options } = await joined();
    const wrong: readonly [object, RegExp][] = [
      [{ ...options, expresion: 'x' }, /^expresion: expected a known option/],
      [{ ...options, session: undefined }, /^session: expected an object with type/],
      [{ ...options, session: { ...options.session, key: 'k' } }, /^session\.key: expected an option/],
      [{ ...options, session: { ...options.session, wait: 'created' } }, /^session\.wait/],
    ];
    for (const [given, message] of wrong) {
      const error = await alice.schedule('x', given as typeof options).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'bad_frame', message: expect.stringMatching(message) });
    }
    expect(await all(world, alice)).toEqual([]);
  });
});

async function all(world: Awaited<ReturnType<typeof aWorld>>, alice: AgentClient): Promise<Schedule[]> {
  const found: Schedule[] = [];
  const listed = alice.schedules();
  for (let next = await world.answer(listed.next()); next.done !== true; next = await world.answer(listed.next())) {
    found.push(next.value);
  }
  return found;
}

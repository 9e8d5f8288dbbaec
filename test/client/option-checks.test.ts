// Caller mistakes: each is rejected locally with place, expectation and value, and nothing is sent.

import { AgentClient, type AgentOptions, HumanClient } from 'parley-hub/client';
import { describe, expect, it } from 'vitest';
import type { CancelSignal } from '../../src/core/ports/platform.ts';
import { read, sources } from '../package/repository.ts';
import { countedIds, info, ME, metadata, notify, S1, S2, ScriptedHub } from './scripted-hub.ts';
import { agent, human, tell } from './world.ts';

/** What types forbid and callers without types do. */
// biome-ignore lint/suspicious/noExplicitAny: the point of these tests
const untyped = (value: unknown): any => value;

const circular: Record<string, unknown> = {};
circular.self = circular;

function nested(depth: number): object {
  let value = {};
  for (let i = 0; i < depth; i++) value = { a: value };
  return value;
}

class Point {
  readonly x = 1;
}

describe('values that JSON would change', () => {
  it.each<[string, unknown, string]>([
    ['NaN', { n: Number.NaN }, 'event_data.n: expected a finite number, got NaN'],
    ['undefined in a list', { l: [1, undefined] }, 'event_data.l[1]: expected a JSON value, got nothing'],
    ['a date', { d: new Date(0) }, 'event_data.d: expected a JSON value, got a Date'],
    ['a function', { f() {} }, 'event_data.f: expected a JSON value, got a function'],
    ['a map', { m: new Map() }, 'event_data.m: expected a JSON value, got a Map'],
    ['an instance', { p: new Point() }, 'event_data.p: expected a JSON value, got a Point'],
    ['a bigint', { b: 5n }, 'event_data.b: expected a JSON value, got 5n'],
    ['half a character', { t: '\ud800' }, 'event_data.t: expected well-formed Unicode text (no lone surrogate)'],
    ['a cycle', circular, 'event_data.self.self.self'],
    ['depth', nested(100_000), 'JSON nested at most 1000 deep'],
  ])('[RE2, CL4] %s is refused by name before it is sent', async (_name, event_data, message) => {
    const { hub, client } = await agent();
    const error = await client
      .session(S1)
      .send({ event_type: 'x.y', event_data: untyped(event_data) })
      .catch((thrown) => thrown);
    expect(error).toMatchObject({ name: 'WireError', code: 'bad_frame' });
    expect(error.message).toContain(message);
    expect(error.message.length).toBeLessThan(300);
    expect(error.details.field).toMatch(/^event_data\./);
    expect(await hub.heard()).toEqual([]);
  });

  it('[RE2] drops undefined members and ignores later changes by the caller', async () => {
    const { hub, client } = await agent();
    const event_data = { a: 1, b: untyped(undefined), c: { d: null } };
    const sent = client.session(S1).send({ event_type: 'x.y', event_data });
    event_data.a = 2;
    const { params } = await hub.request('post');
    expect(params.event_data).toEqual({ a: 1, c: { d: null } });
    client.close();
    await expect(sent).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('[RE2, CL4] checks every call', async () => {
    const { hub, client } = await agent();
    const knobs = untyped({ rounds: Number.POSITIVE_INFINITY });
    const refusals = [
      client.open('conversation', { participants: ['bob'], knobs }),
      client.open('conversation', [untyped(undefined)]),
      client.call('can_send', { session_id: untyped(7n) }),
      client.call('health', untyped(undefined)),
      client.call(untyped(5), {}),
    ];
    expect((await Promise.allSettled(refusals)).map((end) => untyped(end).reason.message)).toEqual([
      'knobs.rounds: expected a finite number, got Infinity',
      'participants[0]: expected a JSON value, got nothing',
      'session_id: expected a JSON value, got 7n',
      'params: expected a JSON object, got nothing',
      'op: expected the name of an operation, got 5',
    ]);
    expect(await hub.heard()).toEqual([]);
  });
});

describe('arguments of the wrong kind', () => {
  const participants = 'a list of names, or options with participants';
  const deadline = 'a whole number of milliseconds from 1 to 86400000';

  it.each<[string, (client: AgentClient) => Promise<unknown>, string]>([
    [
      'open(type)',
      (c) => c.open('consulting', untyped(undefined)),
      `participants: expected ${participants}, got nothing`,
    ],
    [
      'open(type, name)',
      (c) => c.open('consulting', untyped('bob')),
      `participants: expected ${participants}, got "bob"`,
    ],
    [
      'participants: name',
      (c) => c.open('consulting', { participants: untyped('bob') }),
      'participants: expected a list of names, got "bob"',
    ],
    [
      'an option as on the wire',
      (c) => c.open('consulting', untyped({ participants: ['bob'], required_acks: 1 })),
      'required_acks: expected a known option (deadlineMs, participants, version,',
    ],
    ['to: name', (c) => c.session(S1).send('a', { to: untyped('bob') }), 'to: expected a list of names, got "bob"'],
    ['send(5)', (c) => c.session(S1).send(untyped(5)), 'content: expected text or {event_type, event_data}, got 5'],
    [
      'send({text})',
      (c) => c.session(S1).send(untyped({ text: 'hi' })),
      'content: expected text or {event_type, event_data}, got an object with text',
    ],
    ['send(text, null)', (c) => c.session(S1).send('a', untyped(null)), 'options: expected an object, got null'],
    ['a deadline of 0', (c) => c.call('health', {}, { deadlineMs: 0 }), `deadlineMs: expected ${deadline}, got 0`],
    [
      'a deadline of -1',
      (c) => c.session(S1).send('a', { deadlineMs: -1 }),
      `deadlineMs: expected ${deadline}, got -1`,
    ],
    [
      'a deadline of text',
      (c) => c.open('x', { participants: ['bob'], deadlineMs: untyped('x') }),
      `deadlineMs: expected ${deadline}, got "x"`,
    ],
    [
      'a deadline of 1.5',
      (c) => c.session(S1).close('x', { deadlineMs: 1.5 }),
      `deadlineMs: expected ${deadline}, got 1.5`,
    ],
    ['waitFor(5)', (c) => c.session(S1).waitFor(untyped(5)), 'wanted: expected an event type or a function, got 5'],
    [
      'a wait with a timeout',
      (c) => c.session(S1).ended(untyped({ timeoutMs: 5 })),
      'timeoutMs: expected a known option (signal), got "timeoutMs"',
    ],
    [
      'a signal that is none',
      (c) => c.session(S1).waitFor('x', { signal: untyped(true) }),
      'signal: expected an AbortSignal, got true',
    ],
  ])('[RE1, CL4] rejects %s with the expectation and the value', async (_name, act, message) => {
    const { hub, client } = await agent();
    const error = untyped(await act(client).catch((thrown) => thrown));
    expect(error).toMatchObject({ name: 'WireError', code: 'bad_frame', details: { field: message.split(':')[0] } });
    expect(error.message).toContain(message);
    expect(await hub.heard()).toEqual([]);
  });

  it('[CL20] posts an envelope of another session to this one', async () => {
    const { hub, client } = await agent();
    const waiting = client.session(S1).waitFor('msg.text');
    await tell(hub, notify({ seq: 1 }));
    const sent = client.session(S2).send(await waiting);
    expect((await hub.request('post')).params.session_id).toBe(S2);
    client.close();
    await expect(sent).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('[CL24] a throwing predicate ends only its own wait', async () => {
    const { hub, client } = await agent();
    const session = client.session(S1);
    const opening = client.open('conversation', ['bob']);
    await hub.answer('create_session', { session: metadata() });
    await opening;
    const broken = expect(
      session.waitFor(() => {
        throw new Error('no such field');
      }),
    ).rejects.toThrow('no such field');
    const sound = session.waitFor('msg.text');
    await tell(hub, notify({ seq: 1 }));
    await broken;
    expect([(await sound).seq, client.state]).toEqual([1, 'open']);
  });
});

describe('options', () => {
  const connect = (options: object): Promise<AgentClient> =>
    AgentClient.connect({ link: new ScriptedHub().link, name: 'alice', ids: countedIds(), ...options });

  it.each<[object, string]>([
    [{ onMessage: 5 }, 'onMessage: expected a function, got 5'],
    [{ onTurn: 'x' }, 'onTurn: expected a function, got "x"'],
    [{ onInvite: true }, 'onInvite: expected a function, got true'],
    [{ onEvent: {} }, 'onEvent: expected a function, got an empty object'],
    [{ onGap: null }, 'onGap: expected a function, got null'],
    [{ link: undefined }, 'link: expected a function, got nothing'],
    [{ ids: {} }, 'ids: expected an object with hex32, got an empty object'],
    [{ log: console.log }, 'log: expected an object with info, warn, error, got a function'],
    [{ register: { modle: 'x' } }, 'register.modle: expected a known option (kind, owner, provider, model, cost,'],
    [{ register: { name: 'eve' } }, 'register.name: expected a known option (kind, owner, provider, model, cost,'],
    [{ register: 'yes' }, 'register: expected true, false or a passport, got "yes"'],
    [{ credentials: 'secret' }, 'credentials: expected a JSON object'],
    [{ credentials: { token: 'secret\ud800' } }, 'credentials.token: expected well-formed Unicode text'],
    [{ onMesage() {} }, 'onMesage: expected a known option (link, name, ids, credentials, register, onInvite,'],
  ])('[RE1, CL4] %j is refused at connect', async (options, message) => {
    const error = await connect(options).catch((thrown) => thrown);
    expect(error).toMatchObject({ name: 'WireError', code: 'bad_frame' });
    expect(error.message).toContain(message);
    expect(error.message).not.toContain('secret');
  });

  it('[RE1, CL4] rejects missing options and a callback that is not a function', async () => {
    await expect(AgentClient.connect(untyped(undefined))).rejects.toThrow('options: expected an object, got nothing');
    const onMessage = (): void => {};
    const given = { link: new ScriptedHub().link, name: 'ann', ids: countedIds(), onMessage };
    await expect(HumanClient.connect(given)).rejects.toThrow('onMessage: expected a known option');
    const { client } = await human();
    expect(() => client.onMessage(untyped('x'))).toThrow('callback: expected a function, got "x"');
  });

  it.each([
    ['', '""'],
    ['A', '"A"'],
    ['a'.repeat(65), '"aaa'],
    [undefined, 'nothing'],
  ])('[RE1, CL1] rejects the name %j by the common rule for names', async (name, received) => {
    const rule = 'a name of a-z 0-9 . _ - (1 to 64 characters, starting with a letter or digit)';
    const expected = name === undefined ? 'a name' : rule;
    const error = await connect({ name } as Partial<AgentOptions>).catch((thrown) => thrown);
    expect(error).toMatchObject({ name: 'WireError', code: 'bad_frame', details: { field: 'name' } });
    expect(error.message).toContain(`name: expected ${expected}, got ${received}`);
  });
});

describe('one identity', () => {
  it('[CL2] rejects registering a second identity, in every form', async () => {
    const { hub, client } = await agent();
    await expect(client.call('register', { name: 'eve' })).rejects.toMatchObject({
      name: 'HubError',
      code: 'already_bound',
      message: 'alice is already bound; connect another client to register another identity',
    });
    expect(await hub.heard()).toEqual([]);
    const told = client.session(S1).info();
    expect(await hub.request('get_session')).toMatchObject({ as: ME });
    hub.say({ kind: 'response', request_id: 'r1', ok: true, result: info() });
    await told;
  });
});

describe('signals', () => {
  it('[CL17] accepts any AbortSignal', () => {
    const given: CancelSignal = new AbortController().signal;
    expect(given.aborted).toBe(false);
  });

  it('[CL13] the signal of a message works with platform APIs', async () => {
    const signals: AbortSignal[] = [];
    const { hub } = await agent({ onMessage: ({ signal }) => void signals.push(signal) });
    await tell(hub, notify({ seq: 1 }));
    expect(signals[0]).toBeInstanceOf(AbortSignal);
  });

  it('[PK5] needs no global that an empty project lacks', () => {
    const named = sources('src/client').filter((file) => /[:<|] AbortSignal\b/.test(read(file)));
    expect(named).toEqual([]);
  });
});

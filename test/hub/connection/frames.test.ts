import { OPERATIONS, type OperationName } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import { type Random, seededRandom } from '../../../src/testing/lib/random.ts';
import { goodParams } from '../every-operation.ts';
import { aConversation, aWorld, invited, logOf, opened, recordEvents, SECOND, say, text } from '../scene.ts';
import { HELLO, wire } from './scene.ts';

describe('frames', () => {
  it('[OP7, RE1, L8] that do not parse are rejected by name; too many close only that connection', async () => {
    const { world, alice, bob, id } = await aConversation({ maxBadFrames: 4 });
    const bad = recordEvents(world, 'badFrame', ({ agent_id, error }) => `${agent_id === bob.agentId} ${error.code}`);
    const frames = ['no json', '[]', '{"kind":"shout"}'];
    for (const frame of frames) bob.send(frame);
    await world.settle();
    expect(bob.closed).toBe(false);
    expect(bob.frames.slice(-3)).toMatchObject([
      { kind: 'error', error: { code: 'bad_frame', details: { field: 'frame', received: '7 characters' } } },
      { kind: 'error', error: { code: 'bad_frame', details: { field: 'frame', received: 'an array of 0' } } },
      {
        kind: 'error',
        error: {
          code: 'bad_frame',
          details: {
            field: 'frame.kind',
            expected: 'one of hello, request, receipt, delta, ping, pong',
            received: '"shout"',
          },
        },
      },
    ]);
    // A valid frame resets the count.
    expect((await say(world, bob, id, 'still here')).seq).toBe(5);
    for (const frame of frames) bob.send(frame);
    bob.send({ kind: 'request' });
    void bob.ask('post', text(id, 'too late'));
    await world.settle();
    expect(bob.frames.slice(-2)).toMatchObject([
      { kind: 'error', error: { details: { field: 'frame.request_id' } } },
      { kind: 'goodbye', reason: 'bad_frames' },
    ]);
    expect(bob.closed).toBe(true);
    expect(bad).toEqual(Array(7).fill('true bad_frame'));
    expect((await say(world, alice, id, 'still open')).seq).toBe(6);
    expect(world.hub.health()).toMatchObject({ bound: 1, connections: 1 });
  });

  it('[OP7] with invalid parameters are answered, and are no bad frames', async () => {
    const { world, bob } = await aConversation({ maxBadFrames: 2 });
    for (let i = 0; i < 5; i++) await world.answer(bob.ask('post', { i }));
    expect(bob.closed).toBe(false);
  });

  it('[RE1, L8] that are too large are rejected before they are parsed', async () => {
    const { world, bob, id } = await aConversation({ maxFrameBytes: 1000 });
    const frame = (filler: string) => `{"kind":"ping","filler":"${filler}"}`;
    const overhead = frame('').length;
    bob.send(frame('x'.repeat(1000 - overhead)));
    bob.send(frame('x'.repeat(1001 - overhead)));
    bob.send(frame('é'.repeat((1002 - overhead) / 2)));
    await world.settle();
    expect(bob.frames.slice(-3)).toMatchObject([
      { kind: 'pong' },
      { kind: 'error', error: { code: 'too_large', details: { field: 'frame', expected: 'at most 1000 bytes' } } },
      { kind: 'error', error: { code: 'too_large' } },
    ]);
    expect((await say(world, bob, id, 'still here')).seq).toBe(5);
  });

  it('[OP1] of kind ping are answered, pongs are not', async () => {
    const world = await aWorld();
    const { send } = wire(world);
    expect(await send({ kind: 'ping' })).toEqual([{ kind: 'pong' }]);
    expect(await send({ kind: 'pong' })).toEqual([]);
  });
});

describe('a peer that sends arbitrary frames', () => {
  it.each([1, 2, 3, 4])('[L8, RE1, OP7] harms neither hub nor logs (seed %i)', async (seed) => {
    const random = seededRandom(seed);
    const { world, alice, bob, id } = await aConversation({ maxBadFrames: 100_000 });
    const pending = await invited(world, alice, [bob], { invite_timeout: '1d' });
    const theirs = await opened(world, alice, [await world.peer('carol')]);
    const before = logOf(world.store, theirs);
    const internal: string[] = [];
    world.hub.on('operationRefused', ({ op, error }) => {
      if (error.code === 'internal') internal.push(`${op}: ${error.message}`);
    });
    world.hub.on('badFrame', ({ error }) => {
      if (error.code === 'internal') internal.push(error.message);
    });
    const mallory = await world.peer('mallory');
    for (let i = 0; i < 400; i++) {
      const peer = random.pick([bob, mallory, world.stranger()]);
      peer.send(strangeFrame(random, [id, pending, theirs], [alice.agentId, bob.agentId, mallory.agentId]));
      if (random.chance(0.1)) await world.settle();
      if (random.chance(0.02)) world.hub.evictIdle();
    }
    await world.pass(2 * SECOND);
    expect(internal).toEqual([]);
    expect(logOf(world.store, theirs)).toEqual(before);
    for (const logId of world.store.logIds()) {
      const log = logOf(world.store, logId);
      expect(log.map(({ seq }) => seq)).toEqual(log.map((_, i) => i + 1));
    }
    const erin = await world.peer('erin');
    const dave = await world.peer('dave');
    const own = await opened(world, erin, [dave]);
    expect((await say(world, erin, own, 'unharmed')).seq).toBe(5);
    const live = await world.answer(erin.call('get_session', { session_id: own }));
    await world.restart();
    const again = await world.peer('erin');
    expect(await world.answer(again.call('get_session', { session_id: own }))).toEqual(live);
  });
});

/** A valid frame, damaged in one to three ways, or no frame at all. */
function strangeFrame(random: Random, sessions: readonly string[], agents: readonly string[]): string {
  const session_id = random.pick(sessions);
  const op = random.pick(Object.keys(OPERATIONS).filter((name) => name !== 'unregister')) as OperationName;
  const frames: readonly unknown[] = [
    { kind: 'hello', protocol: 1, name: random.pick(['mallory', 'nobody']), auth: { scheme: 'none' } },
    { ...HELLO, name: 'mallory', resume: { [session_id]: { seq: 3, epoch: 1 } } },
    { kind: 'request', request_id: 'r', op, params: goodParams(session_id)[op], as: random.pick(['bob', 'mallory']) },
    { kind: 'request', request_id: 'r', op, params: goodParams(session_id)[op], deadline_ms: 5 },
    { kind: 'receipt', recipient_id: random.pick(agents), session_id, seq: random.below(9), status: 'ack' },
    {
      kind: 'receipt',
      recipient_id: random.pick(agents),
      session_id,
      seq: random.below(9),
      status: 'nack',
      reason: '',
    },
    { kind: 'ping' },
  ];
  let message = JSON.stringify(random.chance(0.7) ? spoil(random, random.pick(frames)) : random.pick(frames));
  for (let left = random.below(3); left > 0 && random.chance(0.3); left--) {
    const at = random.below(message.length);
    const junk = random.pick(['', '"', '{', '\u0000', '\ud800', 'e9999', '[', 'null', '__proto__']);
    message = message.slice(0, at) + junk + message.slice(at + random.below(4));
  }
  return message;
}

/** The value with one member replaced, removed or added, at any depth. */
function spoil(random: Random, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.2)) return strangeValue(random);
  const entries = Object.entries(value);
  const at = random.below(entries.length + 1);
  const [key, member] = entries[at] ?? [
    random.pick(['__proto__', 'constructor', 'as', 'resume', 'ttl', 'seq', '']),
    null,
  ];
  const rest = entries.filter(([other]) => other !== key);
  if (random.chance(0.15)) return Object.fromEntries(rest);
  return Object.fromEntries([...rest, [key, spoil(random, member)]]);
}

function strangeValue(random: Random): unknown {
  let deep: unknown = 0;
  for (let i = 0; i < 200; i++) deep = [deep];
  const numbers = [0, -1, 1.5, 1e308, 2 ** 53];
  const texts = ['', 'x', '\ud800', 'a'.repeat(300), 'f'.repeat(32), 'msg.text', '30s'];
  const objects = [null, [], {}, [[]], deep, { toString: 1 }, ['alice', 'alice'], { seq: 1, epoch: 1 }];
  return random.pick<unknown>([true, ...numbers, ...texts, ...objects]);
}

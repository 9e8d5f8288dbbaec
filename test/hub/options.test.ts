import { consulting } from 'parley-hub/adapters/consulting';
import { createHub } from 'parley-hub/node';
import { describe, expect, it } from 'vitest';
import { limitsWith } from '../../src/core/records/access/limits.ts';
import { Hub } from '../../src/hub/hub.ts';
import { FaultyStore } from '../../src/testing/doubles/faulty-store.ts';
import { SimClock } from '../../src/testing/doubles/sim-clock.ts';
import { seededIds, World } from '../../src/testing/doubles/world.ts';
import { aConversation, aWorld, text } from './scene.ts';

const start = (more: object) =>
  Hub.start({ store: new FaultyStore(), clock: new SimClock(), ids: seededIds(1), adapters: [], ...more });

describe('a hub rejects', () => {
  it.each([
    [{ window: 0 }, 'limits.window: expected a whole number over 0, got 0'],
    [{ window: 'x' }, 'limits.window: expected a whole number over 0, got "x"'],
    [{ window: Number.NaN }, 'limits.window: expected a whole number over 0, got NaN'],
    [{ maxPending: 1.5 }, 'limits.maxPending: expected a whole number over 0, got 1.5'],
    [{ maxFrameBytes: 0.5 }, 'limits.maxFrameBytes: expected a whole number over 0, got 0.5'],
    [{ arbiterMs: '1s' }, 'limits.arbiterMs: expected a number over 0, got "1s"'],
    [{ windoww: 3 }, 'limits.windoww: unknown limit; valid limits: maxParticipants, '],
  ])('[RE6] limits such as %j', async (limits, message) => {
    await expect(start({ limits })).rejects.toMatchObject({
      code: 'bad_limits',
      message: expect.stringContaining(message),
    });
  });

  it('[RE6] neither fractional times nor an infinite maxEnvelopes', () => {
    expect(limitsWith({ arbiterMs: 0.5, maxEnvelopes: Number.POSITIVE_INFINITY })).toMatchObject({ arbiterMs: 0.5 });
  });

  it('[RE1] a world without adapters, and names what it needs', async () => {
    for (const options of [undefined, {}, { adapters: consulting }]) {
      await expect(World.start(options as never)).rejects.toMatchObject({
        code: 'bad_options',
        message: expect.stringContaining(
          'adapters: expected a list of session types, such as {adapters: [consulting]}, got ',
        ),
      });
    }
  });

  it.each([
    [null, 'adapter: expected an object with manifest, initialState, '],
    [{}, 'adapter: expected an object with manifest, initialState, '],
    [{ ...consulting, fold: undefined }, 'adapter "consulting": fold must be a function'],
    [{ ...consulting, fold: 1, onAccepted: null }, 'adapter "consulting": fold, onAccepted must be a function'],
  ])('[AD2] an adapter that lacks a member: %#', async (adapter, message) => {
    await expect(start({ adapters: [adapter] })).rejects.toMatchObject({
      code: 'bad_adapter',
      message: expect.stringContaining(message),
    });
  });

  it('[RE1] an invalid store or list of adapters', async () => {
    const wrong = (options: object) => createHub(options as Parameters<typeof createHub>[0]);
    await expect(wrong({ store: {} })).rejects.toMatchObject({ code: 'bad_options' });
    for (const name of ['adapters', 'conditions', 'targets', 'views']) {
      const message = `${name}: expected a list of ${name}, got an empty object`;
      await expect(wrong({ [name]: {} })).rejects.toMatchObject({ code: 'bad_options', message });
    }
  });
});

it('[RE6] keeps the default of an undefined limit', () => {
  const given = { window: undefined, tailLength: 3 } as unknown as Parameters<typeof limitsWith>[0];
  expect(limitsWith(given)).toMatchObject({ window: 256, tailLength: 3 });
});

it('[EV1] rejects a listener for an unknown event', async () => {
  const world = await aWorld();
  const name = 'sessionClosd' as 'sessionEnded';
  expect(() => world.hub.on(name, () => {})).toThrow('the hub has no event "sessionClosd"; it has agentRegistered, ');
});

it('[RE1, OP1] answers an unparsable request under its id, and counts it as a bad frame', async () => {
  const { world, bob, id } = await aConversation({ maxBadFrames: 3 });
  const bad: string[] = [];
  world.hub.on('badFrame', ({ error }) => bad.push(error.message));
  const errors = () => bob.frames.filter(({ kind }) => kind === 'error').length;
  const before = errors();
  const answer = bob.ask('post', undefined);
  await world.settle();
  expect(await answer).toMatchObject({
    ok: false,
    error: { code: 'bad_frame', details: { field: 'frame.params', received: 'nothing' } },
  });
  const late = bob.ask('post', text(id, 'x'), { deadline_ms: 0 });
  await world.settle();
  expect(await late).toMatchObject({ ok: false, error: { details: { field: 'frame.deadline_ms' } } });
  expect(bad).toHaveLength(2);
  expect(errors()).toBe(before);
});

it('[L10, AM10] fails with a store that fails without an error', async () => {
  const { world, alice, id } = await aConversation();
  world.hold = true;
  const answer = alice.ask('post', text(id, 'x'));
  await world.settle();
  world.store.failSync('gone' as unknown as Error);
  await world.settle();
  expect(await answer).toMatchObject({ ok: false, error: { code: 'unavailable', details: { outcome: 'unknown' } } });
  expect(world.hub.health()).toMatchObject({ ready: false, reason: 'gone' });
});

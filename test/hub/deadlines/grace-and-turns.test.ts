import { EVALUATORS, HANDLERS } from 'parley-hub/expectations/built-in';
import { maxSilence, turnWithin } from 'parley-hub/expectations/entries';
import { describe, expect, it } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import { World } from '../../../src/testing/doubles/world.ts';
import { HOUR, logOf, MINUTE, opened, refused, SECOND, say } from '../scene.ts';
import { adapters, fired, talk } from './scene.ts';

describe('the grace period', () => {
  it('[EX6, L9] lasts 30 s after a start; waits that hold then fire once', async () => {
    const { world, bob, carol, id } = await talk([turnWithin(5, 'audit')]);
    await world.pass(1);
    await world.restart();
    await world.pass(30 * SECOND - 1);
    expect(fired(world, id)).toEqual([]);
    await world.pass(1);
    expect(fired(world, id)).toEqual([[0, [bob.agentId], '00:30.001']]);
    await world.restart();
    const back = await world.peer('bob');
    await say(world, back, id, 'now');
    await world.pass(30 * SECOND - 1);
    expect(fired(world, id)).toHaveLength(1);
    await world.pass(1);
    expect(fired(world, id).at(-1)).toEqual([0, [carol.agentId], '01:00.001']);
    await world.pass(2 * MINUTE);
    expect(fired(world, id)).toHaveLength(2);
  });

  it('[EX6, L9] lets answers in time; later deadlines fire on time', async () => {
    const { world, bob, carol, id } = await talk([turnWithin(5, 'audit')]);
    await world.restart();
    const [first, second] = [await world.peer('bob'), await world.peer('carol')];
    await say(world, first, id, 'one');
    await world.pass(20 * SECOND);
    await say(world, second, id, 'two');
    await world.pass(8 * SECOND);
    await say(world, await world.peer('alice'), id, 'three');
    await world.pass(5 * SECOND - 1);
    expect(fired(world, id)).toEqual([]);
    await world.pass(1);
    expect(fired(world, id)).toEqual([[0, [bob.agentId], '00:33.000']]);
    expect(carol.agentId).toBe(second.agentId);
  });

  it('[EX6] applies to sessions created after a start on live ones', async () => {
    const { world } = await talk([]);
    await world.restart();
    const [alice, bob] = [await world.peer('alice'), await world.peer('bob')];
    const id = await opened(world, alice, [bob], { expectations: [maxSilence(5, 'audit')] });
    await world.pass(30 * SECOND - 1);
    expect(fired(world, id)).toEqual([]);
    await world.pass(1);
    expect(fired(world, id)).toEqual([[0, [null], '00:30.000']]);
  });

  it('[EX6] does not follow a start without live sessions', async () => {
    const { world, alice, id } = await talk([]);
    await world.answer(alice.call('close_session', { session_id: id, wait: 'closed' }));
    await world.restart();
    const [again, bob] = [await world.peer('alice'), await world.peer('bob')];
    const other = await opened(world, again, [bob], { expectations: [maxSilence(5, 'audit')] });
    await world.pass(5 * SECOND);
    expect(fired(world, other)).toEqual([[0, [null], '00:05.000']]);
  });

  it.each([HOUR, -HOUR, 6 * SECOND, -6 * SECOND])(
    '[EX6, L9] lasts 30 s after a clock jump by %d ms, then fires once',
    async (jump) => {
      const { world, id } = await talk([turnWithin(10, 'audit')], {});
      await world.pass(SECOND);
      world.clock.jump(jump);
      await world.pass(30 * SECOND);
      expect(fired(world, id)).toEqual([]);
      await world.pass(2 * HOUR);
      expect(fired(world, id)).toHaveLength(1);
    },
  );

  it.each([
    [-10 * MINUTE, 31 * SECOND],
    [-4 * SECOND, 27 * SECOND],
  ])('[EX6, L9] ends on time although the clock is set by %d ms meanwhile', async (jump, left) => {
    const { world, id } = await talk([turnWithin(10, 'audit')]);
    world.clock.jump(HOUR);
    await world.pass(5 * SECOND);
    world.clock.jump(jump);
    await world.pass(left);
    expect(fired(world, id)).toHaveLength(1);
  });

  it('[EX6] does not follow a small step of the clock', async () => {
    const { world, id } = await talk([turnWithin(10, 'audit')]);
    await world.pass(SECOND);
    world.clock.jump(4 * SECOND);
    await world.pass(5 * SECOND);
    expect(fired(world, id)).toHaveLength(1);
  });

  it('[EX7, LC13] lasts 30 s after a session got its missing evaluator', async () => {
    const { world: before, id } = await talk([turnWithin(5, 'audit')]);
    const store = before.store.crash();
    const parts = { adapters, evaluators: [], handlers: HANDLERS };
    const world = await World.start({ ...parts, store, clock: before.clock, seed: 9 });
    const alice = await world.peer('alice');
    await world.pass(2 * MINUTE);
    expect((await world.answer(alice.call('get_session', { session_id: id }))).unavailable).toBe(
      'not registered: evaluator turn_within version 1; register it with hub.registerEvaluator, hub.registerHandler or createHub({evaluators, handlers})',
    );
    for (const evaluator of EVALUATORS) world.hub.registerEvaluator(evaluator);
    await world.pass(30 * SECOND);
    expect(fired(world, id)).toEqual([]);
    await world.pass(2 * SECOND);
    expect(fired(world, id)).toHaveLength(1);
  });
});

describe('a turn in progress', () => {
  const report = (world: World, peer: Peer, id: string) =>
    world.answer(peer.call('report_progress', { session_id: id, note: 'reading' }));

  it('[EX8] lasts longer with each progress report, at most six times as long', async () => {
    const { world, bob, id } = await talk([turnWithin(20, 'audit'), turnWithin(20, 'audit', { heartbeat: false })]);
    for (let i = 0; i < 14; i++) {
      await world.pass(10 * SECOND);
      if (i < 13) await report(world, bob, id);
    }
    expect(fired(world, id).map(([index, , at]) => [index, at])).toEqual([
      [1, '00:20.000'],
      [0, '02:00.000'],
    ]);
  });

  it('[EX8] is logged at most every 10 s, and delivered to nobody', async () => {
    const { world, alice, bob, id } = await talk([]);
    expect(await report(world, bob, id)).toEqual({ logged: true });
    await world.pass(10 * SECOND - 1);
    expect(await report(world, bob, id)).toEqual({ logged: false });
    await world.pass(1);
    expect(await report(world, bob, id)).toEqual({ logged: true });
    expect(alice.notifies().filter(({ envelope }) => envelope.event_type.startsWith('task.'))).toEqual([]);
  });

  it.each([1, 3, 8, 10])(
    '[EX8] lasts longer with a limit of %d s, with no more log entries than needed',
    async (seconds) => {
      const { world, bob, id } = await talk([
        turnWithin(seconds, 'audit'),
        turnWithin(1, 'audit', { appliesTo: ['carol'] }),
        turnWithin(0.5, 'audit', { heartbeat: false }),
      ]);
      const everyMs = (seconds * SECOND) / 4;
      for (let ms = 0; ms < 10 * seconds * SECOND; ms += everyMs) {
        await world.pass(everyMs);
        await report(world, bob, id);
      }
      const ofEntry = fired(world, id).filter(([index]) => index === 0);
      expect(ofEntry.map(([, , at]) => at)).toEqual([
        `${seconds === 10 ? '01:00' : `00:${String(6 * seconds).padStart(2, '0')}`}.000`,
      ]);
      const logged = logOf(world.store, id).filter(({ event_type }) => event_type === 'task.progress');
      // Twice in each of six periods, then every 10 s.
      expect(logged.length).toBeGreaterThanOrEqual(11);
      expect(logged.length).toBeLessThanOrEqual(12 + Math.ceil((4 * seconds) / 10));
    },
  );

  it('[EX8, EX9] can be reported on by its holder only', async () => {
    const { world, alice, id } = await talk([]);
    for (const call of [
      () => alice.call('report_progress', { session_id: id }),
      () => alice.call('report_turn_failure', { session_id: id, reason: 'tired' }),
    ]) {
      await refused(world, call(), 'not_your_turn');
    }
  });

  it('[EX9] reported as failed violates entries with on_failure in the next sweep, and no others', async () => {
    const { world, bob, carol, id } = await talk([
      turnWithin(60, 'hide', { onFailure: true }),
      turnWithin(60, 'audit'),
    ]);
    await world.answer(bob.call('report_turn_failure', { session_id: id, reason: 'no credit' }));
    await world.pass(SECOND);
    expect(fired(world, id)).toEqual([[0, [bob.agentId], '00:01.000']]);
    const { turn } = await world.answer(carol.call('get_session', { session_id: id }));
    expect(turn?.agent_id).toBe(carol.agentId);
  });
});

describe('a failed turn', () => {
  it.each([
    ['with expectations', [turnWithin(60, 'audit')]],
    ['without expectations', []],
  ])('[EX9] reported again, %s, changes nothing and returns the first answer', async (_where, expectations) => {
    const { world, bob, carol, id } = await talk(expectations);
    const report = (peer: Peer, reason: string) =>
      world.answer(peer.call('report_turn_failure', { session_id: id, reason }));
    const first = await report(bob, 'no credit');
    expect(await report(bob, 'still none')).toEqual(first);
    await world.pass(SECOND);
    expect(await report(bob, 'no credit')).toEqual(first);
    await say(world, bob, id, 'after all');
    const next = await report(carol, 'nor I');
    expect(next.seq).toBeGreaterThan(first.seq);
    expect(logOf(world.store, id).filter(({ event_type }) => event_type === 'task.failed')).toHaveLength(2);
  });
});

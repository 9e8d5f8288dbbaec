// A client of a real hub in this process: progress, failed turns, hiding and return.

import { discussion } from 'parley-hub/adapters/discussion';
import { AgentClient, type AgentOptions, type Session } from 'parley-hub/client';
import type { ExpectationEntry } from 'parley-hub/core';
import { turnWithin } from 'parley-hub/expectations/entries';
import { describe, expect, it } from 'vitest';
import type { World } from '../../../src/testing/doubles/world.ts';
import { ADAPTERS, aWorld, logOf, SECOND, VIEWS } from '../../hub/scene.ts';

/** Flushes hub and disk until the call is answered. */
async function driven<T>(world: World, call: Promise<T>): Promise<T> {
  let isOpen = true;
  const done = (): void => {
    isOpen = false;
  };
  call.then(done, done);
  for (let rounds = 0; isOpen && rounds < 100; rounds++) await world.settle();
  if (isOpen) throw new Error('nothing answers this call');
  await world.settle();
  return call;
}

function agent(world: World, name: string, options: Partial<AgentOptions> = {}): Promise<AgentClient> {
  const link = () => world.hub.connect();
  return driven(world, AgentClient.connect({ link, name, ids: world.ids, ...options }));
}

const idle = { onMessage() {} };

/** alice, bob and carol discuss; alice has posted, so bob has the turn since seq 7. */
async function talk(expectations: readonly ExpectationEntry[], bobs: Partial<AgentOptions> = idle) {
  const world = await aWorld({}, { adapters: [...ADAPTERS, discussion], views: VIEWS });
  const alice = await agent(world, 'alice', idle);
  const bob = await agent(world, 'bob', bobs);
  const carol = await agent(world, 'carol', idle);
  const opened = await driven(world, alice.open('discussion', { participants: ['bob', 'carol'], expectations }));
  await driven(world, opened.send('your turn, bob'));
  return { world, alice, bob, carol, opened, id: opened.id, his: bob.session(opened.id) };
}

const kinds = (world: World, id: string) =>
  logOf(world.store, id)
    .slice(7)
    .map(({ event_type }) => event_type);

describe('progress', () => {
  it('[EX8] extends a turn, is logged at most every 10 s, and keeps its note', async () => {
    const { world, his, id, bob } = await talk([turnWithin(15, 'hide')]);
    expect(his.isMyTurn).toBe(true);
    await world.pass(14 * SECOND);
    expect(await driven(world, his.progress('halfway'))).toEqual({ logged: true });
    expect(await driven(world, his.progress())).toEqual({ logged: false });
    expect(logOf(world.store, id).at(-1)).toMatchObject({
      sender_id: bob.agentId,
      event_type: 'task.progress',
      event_data: { agent_id: bob.agentId, since_seq: 7, note: 'halfway' },
    });
    await world.pass(14 * SECOND);
    expect(kinds(world, id)).toEqual(['task.progress']);
    await world.pass(SECOND);
    expect(kinds(world, id).slice(1)).toEqual(['expectation.violated', 'session.participant.hidden']);
  });

  it('[EX8, EX9, CL2] and failures require the turn, and tell others so', async () => {
    const { world, his, opened, id } = await talk([]);
    const none = { code: 'not_your_turn', message: expect.stringContaining('bob holds it') };
    await expect(driven(world, opened.progress())).rejects.toMatchObject(none);
    await expect(driven(world, opened.failTurn('no'))).rejects.toMatchObject(none);
    await expect(driven(world, his.progress('x'.repeat(5000)))).rejects.toMatchObject({ code: 'bad_frame' });
    await expect(driven(world, his.failTurn(undefined as never))).rejects.toMatchObject({ code: 'bad_frame' });
    await driven(world, opened.close('done', { wait: 'closed' }));
    await expect(driven(world, his.progress())).rejects.toMatchObject({ code: 'session_closed' });
    await expect(driven(world, his.failTurn('late'))).rejects.toMatchObject({ code: 'session_closed' });
    expect(kinds(world, id)).toEqual(['session.closing', 'session.closed']);
  });
});

describe('a failed turn', () => {
  it('[EX9] moves on in the next sweep; its holder may return', async () => {
    const { world, his, carol, opened, id } = await talk([turnWithin(600, 'hide', { onFailure: true })]);
    expect(await driven(world, his.failTurn('out of credit'))).toEqual({ seq: 8 });
    expect([his.isMyTurn, kinds(world, id)]).toEqual([true, ['task.failed']]);
    await world.pass(SECOND);
    expect(his.isMyTurn).toBe(false);
    const hers = carol.session(id);
    expect(hers.isMyTurn).toBe(true);
    await expect(driven(world, his.send('wait'))).rejects.toMatchObject({
      code: 'not_your_turn',
      details: { turn_passed_at_seq: 10 },
    });
    expect(await driven(world, his.comeBack())).toEqual({ state: 'ACTIVE' });
    expect(his.isMyTurn).toBe(false);
    await driven(world, hers.send('two'));
    await driven(world, opened.send('three'));
    expect(his.isMyTurn).toBe(true);
    await driven(world, his.send('four'));
    expect(hers.isMyTurn).toBe(true);
  });

  it('[CL13, CL19, EX9] aborts its handler when the holder is hidden, and offers the turn after the return', async () => {
    const turns: string[] = [];
    const onTurn: NonNullable<AgentOptions['onTurn']> = async ({ signal }, session: Session) => {
      turns.push('begins');
      if (turns.length > 1) return void (await session.send('here I am'));
      await session.failTurn('stuck');
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      turns.push(`stops: ${(signal.reason as Error).message}`);
    };
    const { world, carol, opened, his, id } = await talk([turnWithin(600, 'hide', { onFailure: true })], { onTurn });
    await world.pass(SECOND);
    expect(turns).toEqual(['begins', `stops: you were hidden in session ${id}`]);
    await driven(world, his.comeBack());
    await driven(world, carol.session(id).send('two'));
    await driven(world, opened.send('three'));
    expect(turns.slice(2)).toEqual(['begins']);
    expect(logOf(world.store, id).at(-1)?.event_data).toEqual({ text: 'here I am' });
  });

  it('[EX3, CL13] sends a warning to its violator while it works', async () => {
    const { world, his, opened } = await talk([turnWithin(5, 'warn')]);
    const warned = his.waitFor('expectation.violated');
    const overheard: string[] = [];
    void opened.waitFor('expectation.violated').then(
      () => overheard.push('a warning'),
      () => {},
    );
    await world.pass(5 * SECOND);
    expect((await driven(world, warned)).event_data.detail).toBe('bob has had the turn since seq 7 for more than 5 s');
    expect([his.isMyTurn, overheard]).toEqual([true, []]);
  });
});

describe('a participant', () => {
  it('[OPR2, OPR3] hidden or removed by an operator learns why, and may return once', async () => {
    const { world, his, opened, id } = await talk([]);
    await expect(driven(world, opened.hide('bob'))).rejects.toMatchObject({ code: 'forbidden' });
    await world.answer(world.hub.grant('alice', ['operate']));
    const heard = his.waitFor('session.participant.hidden');
    await driven(world, opened.hide('bob', { reason: 'a break' }));
    expect((await driven(world, heard)).event_data.reason).toBe('a break');
    await driven(world, Promise.all([his.comeBack(), his.comeBack()]));
    expect(kinds(world, id)).toEqual(['session.participant.hidden', 'session.participant.returned']);
    await driven(world, opened.hide('bob'));
    await driven(world, opened.bringBack('bob'));
    expect(kinds(world, id).slice(2)).toEqual(['session.participant.hidden', 'session.participant.returned']);
    const out = his.ended();
    await driven(world, opened.remove('bob', { reason: 'enough' }));
    expect(await driven(world, out)).toEqual({ state: 'REMOVED', reason: 'enough' });
    await expect(driven(world, his.comeBack())).rejects.toMatchObject({ code: 'protocol_error' });
  });

  it('[CL28, CL17] removed in another process learns it when it waits', async () => {
    const { world, bob, id } = await talk([]);
    await world.answer(world.hub.removeParticipant(id, 'bob'));
    bob.close();
    await world.restart();
    const again = (await agent(world, 'bob')).session(id);
    expect(await driven(world, again.ended())).toEqual({ state: 'REMOVED', reason: null });
    await expect(driven(world, again.waitFor('msg.text'))).rejects.toMatchObject({ code: 'session_ended' });
    expect(again.isMyTurn).toBe(false);
  });

  it('[CL28] hidden in another process has no turn until it returns', async () => {
    const world = await aWorld();
    const [alice, bob] = [await agent(world, 'alice', idle), await agent(world, 'bob', idle)];
    const { id } = await driven(world, alice.open('conversation', ['bob']));
    await world.answer(world.hub.hideParticipant(id, 'bob'));
    bob.close();
    const again = (await agent(world, 'bob', idle)).session(id);
    await driven(world, again.info());
    expect(again.isMyTurn).toBe(false);
    await expect(driven(world, again.send('hello'))).rejects.toMatchObject({ code: 'not_your_turn' });
    await driven(world, again.comeBack());
    expect(again.isMyTurn).toBe(true);
    await driven(world, again.info());
    expect(again.isMyTurn).toBe(true);
    await driven(world, again.send('hello'));
  });
});

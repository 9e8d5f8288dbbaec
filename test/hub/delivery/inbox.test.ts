import type { GapFrame, Rule } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { aPanel, aWorld, leave, logOf, opened, refusal, say } from '../scene.ts';

type Inbox = Partial<Rule['limits']['inbox']>;

/** A panel in which bob acks nothing and may have three unread. Its joining and the opening are acked already. */
async function silentBob(inbox: Inbox = { max_pending: 3 }) {
  const scene = await aPanel();
  const { world, bob } = scene;
  await world.answer(world.hub.grant('bob', ['rules']));
  await world.answer(bob.call('set_rule', { rule: { limits: { inbox } } }));
  bob.acks = false;
  return scene;
}

function gaps(peer: Peer): readonly GapFrame[] {
  return peer.frames.filter((frame): frame is GapFrame => frame.kind === 'gap');
}

async function fill(world: World, by: Peer, id: string, count: number): Promise<readonly number[]> {
  const seqs: number[] = [];
  for (let i = 0; i < count; i++) seqs.push((await say(world, by, id, `m${i}`)).seq);
  return seqs;
}

describe('a full inbox', () => {
  it('[RU8, L8] refuses what names it, and holds up nobody else', async () => {
    const { world, alice, bob, carol, id } = await silentBob();
    const seqs = await fill(world, alice, id, 3);
    expect(await refusal(world, say(world, alice, id, 'bob?', { audience: [bob.agentId] }))).toEqual({
      code: 'inbox_full',
      message: 'the inbox of bob is full (limits.inbox)',
      details: { agent_id: bob.agentId },
    });
    expect((await refusal(world, say(world, alice, id, 'both', { audience: [bob.agentId, carol.agentId] }))).code).toBe(
      'inbox_full',
    );
    await fill(world, carol, id, 5);
    await say(world, alice, id, 'carol', { audience: [carol.agentId] });
    bob.receipt(id, seqs[0] ?? 0);
    await world.settle();
    // It lost nothing: the five were for it too, and it is still behind.
    expect((await refusal(world, say(world, alice, id, 'bob?', { audience: [bob.agentId] }))).code).toBe('inbox_full');
    for (const seq of bob.seqs(id).slice(-7)) bob.receipt(id, seq);
    await world.settle();
    await say(world, alice, id, 'bob', { audience: [bob.agentId] });
  });

  it('[RU8] refuses what is for everybody only if all are full, over all sessions', async () => {
    const { world, alice, bob, id } = await silentBob();
    const pair = await opened(world, alice, [bob]);
    // Its opening is unread too: it counts, and passes a full inbox.
    await fill(world, alice, id, 2);
    expect((await refusal(world, say(world, alice, pair, 'x'))).code).toBe('inbox_full');
    await say(world, alice, id, 'carol is there');
    await world.answer(alice.call('close_session', { session_id: pair }));
    expect(bob.notifies(pair).at(-1)?.envelope.event_type).toMatch(/^session\.clos/);
  });

  it.each(['bound', 'away'] as const)('[RU8] is as full after a restart, whether it is %s', async (where) => {
    const { world, alice, bob, id } = await silentBob();
    const seqs = await fill(world, alice, id, 3);
    bob.receipt(id, seqs[1] ?? 0);
    await world.settle();
    if (where === 'away') await leave(world, bob);
    await world.pass(2000);
    await world.restart();
    const again = await world.peer('alice');
    if (where === 'bound') {
      const back = world.stranger();
      back.hello('bob');
      await world.settle();
    }
    const to = { audience: [bob.agentId] };
    await say(world, again, id, 'third', to);
    expect((await refusal(world, say(world, again, id, 'fourth', to))).code).toBe('inbox_full');
    // The posts of one connection keep their order, also behind one that waits for the count.
    await world.restart();
    const once = await world.peer('alice');
    const post = (words: string, more = {}) =>
      once.call('post', { session_id: id, event_type: 'msg.text', event_data: { text: words }, ...more });
    const outcomes = await world.answer(Promise.allSettled([post('1', to), post('2'), post('3')]));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(
      logOf(world.store, id)
        .slice(-2)
        .map(({ event_data }) => event_data.text),
    ).toEqual(['2', '3']);
  });

  it('[RU8] counts the log from its start for who joins late', async () => {
    const { world, alice, carol, id } = await silentBob();
    await fill(world, alice, id, 4);
    const dan = await world.peer('dan');
    await world.answer(dan.call('set_rule', { rule: { limits: { inbox: { max_pending: 5 } } } }));
    dan.acks = false;
    await world.answer(alice.call('add_participant', { session_id: id, participant: 'dan' }));
    await world.answer(dan.call('ack_invite', { session_id: id }));
    expect((await refusal(world, say(world, carol, id, 'x', { audience: [dan.agentId] }))).code).toBe('inbox_full');
    for (const seq of dan.seqs(id)) dan.receipt(id, seq);
    await world.settle();
    await say(world, carol, id, 'x', { audience: [dan.agentId] });
  });

  it('[RU8] is empty again when its owner says at hello what it has', async () => {
    const { world, alice, bob, id } = await silentBob();
    const seqs = await fill(world, alice, id, 3);
    await leave(world, bob);
    const back = world.stranger();
    back.hello('bob', { [id]: { seq: seqs.at(-1) ?? 0, epoch: 1 } });
    await world.settle();
    await fill(world, alice, id, 1);
    await say(world, alice, id, 'x', { audience: [bob.agentId] });
  });

  it('[RU8] a rule that gives more room applies to the next post', async () => {
    const { world, alice, bob, id } = await silentBob();
    await fill(world, alice, id, 3);
    const to = { audience: [bob.agentId] };
    expect((await refusal(world, say(world, alice, id, 'x', to))).code).toBe('inbox_full');
    await world.answer(bob.call('set_rule', { rule: { limits: { inbox: { max_pending: 4 } } } }));
    await say(world, alice, id, 'x', to);
  });

  it('[RU9] with drop_newest skips what comes, and says so', async () => {
    const { world, alice, bob, id } = await silentBob({ max_pending: 2, overflow: 'drop_newest' });
    const seqs = await fill(world, alice, id, 4);
    expect(bob.seqs(id).slice(-2)).toEqual(seqs.slice(0, 2));
    expect(gaps(bob).map(({ from_seq, to_seq, reason }) => [from_seq, to_seq, reason])).toEqual([
      [seqs[2], seqs[2], 'overflow'],
      [seqs[3], seqs[3], 'overflow'],
    ]);
    for (const seq of seqs.slice(0, 2)) bob.receipt(id, seq);
    await world.settle();
    const [next] = await fill(world, alice, id, 1);
    expect(bob.notifies(id).at(-1)).toMatchObject({ envelope: { seq: next }, prev_seq: seqs[3] });
  });

  it('[RU9] with drop_oldest the oldest makes room, also for who was away', async () => {
    const { world, alice, bob, id } = await silentBob({ max_pending: 2, overflow: 'drop_oldest' });
    const seqs = await fill(world, alice, id, 3);
    expect(bob.seqs(id).slice(-3)).toEqual(seqs);
    expect(gaps(bob)).toMatchObject([{ from_seq: seqs[0], reason: 'overflow' }]);
    await leave(world, bob);
    const more = await fill(world, alice, id, 3);
    const back = world.stranger();
    back.hello('bob');
    await world.settle();
    expect(back.seqs(id)).toEqual(more.slice(-2));
    // It has acked nothing, so perhaps it has not heard of the first gap either.
    expect(gaps(back).map(({ from_seq }) => from_seq)).toEqual([...seqs, more[0]]);
  });

  it('[RU9, L5] what was dropped is heard of when something later is acked, and by a late ack of its own', async () => {
    const { world, alice, bob, id } = await silentBob({ max_pending: 2, overflow: 'drop_oldest' });
    const seqs = await fill(world, alice, id, 4);
    expect(gaps(bob).map(({ from_seq }) => from_seq)).toEqual(seqs.slice(0, 2));
    const heard = bob.frames.length;
    bob.receipt(id, seqs[0] ?? 0);
    bob.receipt(id, seqs[2] ?? 0);
    await world.settle();
    expect(bob.frames).toHaveLength(heard);
    await leave(world, bob);
    const back = world.stranger();
    back.hello('bob');
    await world.settle();
    expect(back.seqs(id)).toEqual(seqs.slice(3));
    expect(gaps(back)).toEqual([]);
  });

  it('[RU8] is counted exactly as soon as a new rule makes that matter', async () => {
    const { world, alice, bob, id } = await silentBob({ max_pending: 100 });
    const seqs = await fill(world, alice, id, 4);
    for (const seq of seqs.slice(1)) bob.receipt(id, seq);
    await world.pass(2000);
    await world.restart();
    const again = await world.peer('alice');
    const back = world.stranger();
    back.acks = false;
    back.hello('bob');
    await world.settle();
    const to = { audience: [bob.agentId] };
    await say(world, again, id, 'second', to);
    await world.answer(back.call('set_rule', { rule: { limits: { inbox: { max_pending: 3 } } } }));
    await say(world, again, id, 'third', to);
    expect((await refusal(world, say(world, again, id, 'fourth', to))).code).toBe('inbox_full');
  });

  it('[AR4, L2] what its rule did not let through counts as acked: it does not come later, out of order', async () => {
    const { world, alice, bob, carol, id } = await silentBob({ max_pending: 100 });
    const [unread] = await fill(world, carol, id, 1);
    await world.answer(bob.call('set_rule', { rule: { access: { inbound_from: ['carol'] } } }));
    await fill(world, alice, id, 1);
    const [seen] = await fill(world, carol, id, 1);
    bob.receipt(id, seen ?? 0);
    await world.answer(bob.call('set_rule', { rule: { access: { inbound_from: ['*'] } } }));
    await leave(world, bob);
    const back = world.stranger();
    back.hello('bob');
    await world.settle();
    expect(back.seqs(id)).toEqual([unread]);
  });

  it('[RU10] says once that it is nearly full, and again only after it was not', async () => {
    const { world, alice, bob, id } = await silentBob({ max_pending: 10, high_water: 2 });
    const heard: unknown[] = [];
    world.hub.on('inboxHighWater', (event) => heard.push(event));
    const seqs = await fill(world, alice, id, 4);
    expect(heard).toEqual([{ agent_id: bob.agentId, pending: 2, max_pending: 10 }]);
    for (const seq of seqs.slice(0, 3)) bob.receipt(id, seq);
    await world.settle();
    await fill(world, alice, id, 2);
    expect(heard).toHaveLength(2);
    expect((await world.hub.audit()).filter(({ kind }) => kind === 'inbox_high_water')).toHaveLength(2);
  });

  it('[RU10] says so when it is full at the latest, though its high water is higher', async () => {
    const { world, alice, bob, id } = await silentBob({ max_pending: 3 });
    const heard: unknown[] = [];
    world.hub.on('inboxHighWater', (event) => heard.push(event));
    await fill(world, alice, id, 2);
    expect(heard).toEqual([]);
    await fill(world, alice, id, 1);
    expect(heard).toEqual([{ agent_id: bob.agentId, pending: 3, max_pending: 3 }]);
  });

  it('[RU8, EV2, L8] a listener that throws at the high water disturbs nobody', async () => {
    const { world, alice, id } = await silentBob({ max_pending: 10, high_water: 1 });
    world.hub.on('inboxHighWater', () => {
      throw new Error('oops');
    });
    await fill(world, alice, id, 3);
  });

  it('[RU8] of who is open is a thousand', async () => {
    const world = await aWorld();
    const [alice, bob] = [await world.peer('alice'), await world.peer('bob')];
    const id = await opened(world, alice, [bob]);
    await leave(world, bob);
    const post = () => alice.call('post', { session_id: id, event_type: 'msg.text', event_data: { text: 'x' } });
    let accepted = 0;
    for (let round = 0; round < 17; round++) {
      const outcomes = await world.answer(Promise.allSettled(Array.from({ length: 60 }, post)));
      accepted += outcomes.filter(({ status }) => status === 'fulfilled').length;
    }
    // Admitted together, before any of them is durable, they are judged on what is staged too.
    expect(accepted).toBe(1000);
    expect((await refusal(world, post())).code).toBe('inbox_full');
  });
});

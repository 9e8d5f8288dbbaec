import { describe, expect, it } from 'vitest';
import {
  aCast,
  ack,
  aPanel,
  gapsOf,
  leave,
  logOf,
  opened,
  rebind,
  recordEvents,
  refusal,
  refused,
  say,
  text,
} from '../scene.ts';
import { fill, type Inbox, silenced } from './scene.ts';

/** A panel in which bob acks nothing and may have three unread. Joining and opening are acked already. */
async function silentBob(inbox: Inbox = { max_pending: 3 }) {
  return silenced(await aPanel(), inbox);
}

describe('a full inbox', () => {
  it('[RU8, L8] rejects posts addressed to its owner and delays nobody else', async () => {
    const { world, alice, bob, carol, id } = await silentBob();
    const seqs = await fill(world, alice, id, 3);
    expect(await refusal(world, say(world, alice, id, 'bob?', { audience: [bob.agentId] }))).toEqual({
      code: 'inbox_full',
      message: 'the inbox of bob is full (limits.inbox)',
      details: { agent_id: bob.agentId },
    });
    await refused(world, say(world, alice, id, 'both', { audience: [bob.agentId, carol.agentId] }), 'inbox_full');
    await fill(world, carol, id, 5);
    await say(world, alice, id, 'carol', { audience: [carol.agentId] });
    await ack(world, bob, id, seqs[0] ?? 0);
    // Its owner lost nothing: the five were for everyone, and it is still behind.
    await refused(world, say(world, alice, id, 'bob?', { audience: [bob.agentId] }), 'inbox_full');
    await ack(world, bob, id, ...bob.seqs(id).slice(-7));
    await say(world, alice, id, 'bob', { audience: [bob.agentId] });
  });

  it('[RU8] rejects posts to everyone only if all inboxes are full, over all sessions', async () => {
    const { world, alice, bob, id } = await silentBob();
    const pair = await opened(world, alice, [bob]);
    // The opening is unread too; hub envelopes pass a full inbox.
    await fill(world, alice, id, 2);
    await refused(world, say(world, alice, pair, 'x'), 'inbox_full');
    await say(world, alice, id, 'carol is there');
    await world.answer(alice.call('close_session', { session_id: pair }));
    expect(bob.notifies(pair).at(-1)?.envelope.event_type).toMatch(/^session\.clos/);
  });

  it.each(['bound', 'away'] as const)('[RU8] is as full after a restart (%s)', async (where) => {
    const { world, alice, bob, id } = await silentBob();
    const seqs = await fill(world, alice, id, 3);
    await ack(world, bob, id, seqs[1] ?? 0);
    if (where === 'away') await leave(world, bob);
    await world.pass(2000);
    await world.restart();
    const again = await world.peer('alice');
    if (where === 'bound') await rebind(world, 'bob');
    const to = { audience: [bob.agentId] };
    await say(world, again, id, 'third', to);
    await refused(world, say(world, again, id, 'fourth', to), 'inbox_full');
    // The posts of one connection keep their order behind one that waits for the count.
    await world.restart();
    const once = await world.peer('alice');
    const post = (words: string, more = {}) => once.call('post', text(id, words, more));
    const outcomes = await world.answer(Promise.allSettled([post('1', to), post('2'), post('3')]));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(
      logOf(world.store, id)
        .slice(-2)
        .map(({ event_data }) => event_data.text),
    ).toEqual(['2', '3']);
  });

  it('[RU8] counts the log from its start for a late joiner', async () => {
    const { world, alice, carol, id } = await silentBob();
    await fill(world, alice, id, 4);
    const dan = await world.peer('dan');
    await world.answer(dan.call('set_rule', { rule: { limits: { inbox: { max_pending: 5 } } } }));
    dan.acks = false;
    await world.answer(alice.call('add_participant', { session_id: id, participant: 'dan' }));
    await world.answer(dan.call('ack_invite', { session_id: id }));
    await refused(world, say(world, carol, id, 'x', { audience: [dan.agentId] }), 'inbox_full');
    await ack(world, dan, id, ...dan.seqs(id));
    await say(world, carol, id, 'x', { audience: [dan.agentId] });
  });

  it('[RU8] is emptied by the resume point in its owner’s hello', async () => {
    const { world, alice, bob, id } = await silentBob();
    const seqs = await fill(world, alice, id, 3);
    await leave(world, bob);
    await rebind(world, 'bob', { [id]: { seq: seqs.at(-1) ?? 0, epoch: 1 } });
    await fill(world, alice, id, 1);
    await say(world, alice, id, 'x', { audience: [bob.agentId] });
  });

  it('[RU8] gets more room from a new rule with the next post', async () => {
    const { world, alice, bob, id } = await silentBob();
    await fill(world, alice, id, 3);
    const to = { audience: [bob.agentId] };
    await refused(world, say(world, alice, id, 'x', to), 'inbox_full');
    await world.answer(bob.call('set_rule', { rule: { limits: { inbox: { max_pending: 4 } } } }));
    await say(world, alice, id, 'x', to);
  });

  it('[RU9] with drop_newest skips new envelopes and reports gaps', async () => {
    const { world, alice, bob, id } = await silentBob({ max_pending: 2, overflow: 'drop_newest' });
    const seqs = await fill(world, alice, id, 4);
    expect(bob.seqs(id).slice(-2)).toEqual(seqs.slice(0, 2));
    expect(gapsOf(bob).map(({ from_seq, to_seq, reason }) => [from_seq, to_seq, reason])).toEqual([
      [seqs[2], seqs[2], 'overflow'],
      [seqs[3], seqs[3], 'overflow'],
    ]);
    await ack(world, bob, id, ...seqs.slice(0, 2));
    const [next] = await fill(world, alice, id, 1);
    expect(bob.notifies(id).at(-1)).toMatchObject({ envelope: { seq: next }, prev_seq: seqs[3] });
  });

  it('[RU9] with drop_oldest drops the oldest, also while its owner is away', async () => {
    const { world, alice, bob, id } = await silentBob({ max_pending: 2, overflow: 'drop_oldest' });
    const seqs = await fill(world, alice, id, 3);
    expect(bob.seqs(id).slice(-3)).toEqual(seqs);
    expect(gapsOf(bob)).toMatchObject([{ from_seq: seqs[0], reason: 'overflow' }]);
    await leave(world, bob);
    const more = await fill(world, alice, id, 3);
    const back = await rebind(world, 'bob');
    expect(back.seqs(id)).toEqual(more.slice(-2));
    // Nothing is acked, so the first gap is repeated.
    expect(gapsOf(back).map(({ from_seq }) => from_seq)).toEqual([...seqs, more[0]]);
  });

  it('[RU9, L5] stops repeating a gap after a later ack, and accepts a late ack of the dropped envelope', async () => {
    const { world, alice, bob, id } = await silentBob({ max_pending: 2, overflow: 'drop_oldest' });
    const seqs = await fill(world, alice, id, 4);
    expect(gapsOf(bob).map(({ from_seq }) => from_seq)).toEqual(seqs.slice(0, 2));
    const heard = bob.frames.length;
    await ack(world, bob, id, seqs[0] ?? 0, seqs[2] ?? 0);
    expect(bob.frames).toHaveLength(heard);
    await leave(world, bob);
    const back = await rebind(world, 'bob');
    expect(back.seqs(id)).toEqual(seqs.slice(3));
    expect(gapsOf(back)).toEqual([]);
  });

  it('[RU8] is counted exactly once a new rule makes that matter', async () => {
    const { world, alice, bob, id } = await silentBob({ max_pending: 100 });
    const seqs = await fill(world, alice, id, 4);
    for (const seq of seqs.slice(1)) bob.receipt(id, seq);
    await world.pass(2000);
    await world.restart();
    const again = await world.peer('alice');
    const back = await rebind(world, 'bob');
    const to = { audience: [bob.agentId] };
    await say(world, again, id, 'second', to);
    await world.answer(back.call('set_rule', { rule: { limits: { inbox: { max_pending: 3 } } } }));
    await say(world, again, id, 'third', to);
    await refused(world, say(world, again, id, 'fourth', to), 'inbox_full');
  });

  it('[AR4, L2] counts withheld envelopes as acked: they are not delivered later, out of order', async () => {
    const { world, alice, bob, carol, id } = await silentBob({ max_pending: 100 });
    const [unread] = await fill(world, carol, id, 1);
    await world.answer(bob.call('set_rule', { rule: { access: { inbound_from: ['carol'] } } }));
    await fill(world, alice, id, 1);
    const [seen] = await fill(world, carol, id, 1);
    bob.receipt(id, seen ?? 0);
    await world.answer(bob.call('set_rule', { rule: { access: { inbound_from: ['*'] } } }));
    await leave(world, bob);
    const back = await rebind(world, 'bob');
    expect(back.seqs(id)).toEqual([unread]);
  });

  it('[RU10] reports its high water once, and again only after falling below', async () => {
    const { world, alice, bob, id } = await silentBob({ max_pending: 10, high_water: 2 });
    const heard = recordEvents(world, 'inboxHighWater');
    const seqs = await fill(world, alice, id, 4);
    expect(heard).toEqual([{ agent_id: bob.agentId, pending: 2, max_pending: 10 }]);
    await ack(world, bob, id, ...seqs.slice(0, 3));
    await fill(world, alice, id, 2);
    expect(heard).toHaveLength(2);
    expect((await world.hub.audit()).filter(({ kind }) => kind === 'inbox_high_water')).toHaveLength(2);
  });

  it('[RU10] reports at the latest when it is full', async () => {
    const { world, alice, bob, id } = await silentBob({ max_pending: 3 });
    const heard = recordEvents(world, 'inboxHighWater');
    await fill(world, alice, id, 2);
    expect(heard).toEqual([]);
    await fill(world, alice, id, 1);
    expect(heard).toEqual([{ agent_id: bob.agentId, pending: 3, max_pending: 3 }]);
  });

  it('[RU8, EV2, L8] is not disturbed by a listener that throws', async () => {
    const { world, alice, id } = await silentBob({ max_pending: 10, high_water: 1 });
    world.hub.on('inboxHighWater', () => {
      throw new Error('oops');
    });
    await fill(world, alice, id, 3);
  });

  it('[RU8] of an agent without a rule holds a thousand', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const id = await opened(world, alice, [bob]);
    await leave(world, bob);
    const post = () => alice.call('post', text(id, 'x'));
    let accepted = 0;
    for (let round = 0; round < 17; round++) {
      const outcomes = await world.answer(Promise.allSettled(Array.from({ length: 60 }, post)));
      accepted += outcomes.filter(({ status }) => status === 'fulfilled').length;
    }
    // Posts admitted together are judged on staged ones too.
    expect(accepted).toBe(1000);
    await refused(world, post(), 'inbox_full');
  });
});

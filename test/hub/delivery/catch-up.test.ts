import { describe, expect, it } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import {
  aCast,
  aConversation,
  ack,
  aWorld,
  DAY,
  foreignUnit,
  gapsOf,
  invited,
  leap,
  leave,
  logOf,
  opened,
  openGate,
  rebind,
  refused,
  SECOND,
  say,
  text,
} from '../scene.ts';
import { SlowCursors, SlowLists, SlowReads } from '../slow-stores.ts';
import { chain } from './scene.ts';

describe('a new binding', () => {
  it('[DL5, L5] gets everything unacked from the cursor on, then new envelopes', async () => {
    const { world, alice, bob, id } = await aConversation();
    bob.acks = false;
    await say(world, alice, id, 'five');
    await leave(world, bob);
    await say(world, alice, id, 'six');
    const again = await rebind(world, 'bob');
    await say(world, alice, id, 'seven');
    expect(chain(again, id)).toEqual(['4→5', '5→6', '6→7']);
  });

  it('[DL5] resumes after its resume point, which acks everything before', async () => {
    const { world, alice, bob, id } = await aConversation();
    bob.acks = false;
    for (const words of ['five', 'six', 'seven']) await say(world, alice, id, words);
    const again = await rebind(world, 'bob', { [id]: { seq: 6, epoch: 1 } });
    expect(chain(again, id)).toEqual(['6→7']);
    await world.pass(SECOND);
    await world.restart();
    expect((await rebind(world, 'bob')).seqs(id)).toEqual([7]);
  });

  it('[DL5] ignores a resume point above the head or below the cursor', async () => {
    const { world, alice, bob, id } = await aConversation();
    bob.acks = false;
    for (const words of ['five', 'six', 'seven']) await say(world, alice, id, words);
    await ack(world, bob, id, 5);
    expect((await rebind(world, 'bob', { [id]: { seq: 8, epoch: 1 } })).seqs(id)).toEqual([6, 7]);
    expect((await rebind(world, 'bob', { [id]: { seq: 4, epoch: 1 } })).seqs(id)).toEqual([6, 7]);
    expect((await rebind(world, 'bob', { [id]: { seq: 7, epoch: 1 } })).seqs(id)).toEqual([]);
  });

  it('[DL5, L5] reports a resume point of another epoch as a gap and delivers from the cursor', async () => {
    const { world, alice, bob, id } = await aConversation();
    bob.acks = false;
    await say(world, alice, id, 'five');
    const again = await rebind(world, 'bob', { [id]: { seq: 9, epoch: 2 } });
    expect(again.frames.slice(1)).toMatchObject([
      { kind: 'gap', recipient_id: bob.agentId, session_id: id, epoch: 1, from_seq: 1, to_seq: 9, reason: 'epoch' },
      { kind: 'notify', prev_seq: 4, envelope: { seq: 5 } },
    ]);
  });

  it('[DL5, AM2] ignores resume points of foreign or unknown sessions', async () => {
    const { world, alice, bob, id } = await aConversation();
    const carol = await world.peer('carol');
    const other = await opened(world, alice, [carol]);
    const resume = {
      [other]: { seq: 4, epoch: 7 },
      ['e'.repeat(32)]: { seq: 1, epoch: 1 },
      nonsense: { seq: 1, epoch: 1 },
    };
    const again = await rebind(world, 'bob', resume);
    expect(again.frames.map(({ kind }) => kind)).toEqual(['welcome']);
    expect(bob.closed).toBe(false);
    await say(world, alice, id, 'five');
    expect(again.seqs(id)).toEqual([5]);
  });

  it('[DL6, L7] replaces the older one, which gets goodbye and can do nothing more', async () => {
    const { world, alice, bob, id } = await aConversation();
    bob.acks = false;
    await say(world, alice, id, 'five');
    const again = await rebind(world, 'bob');
    expect(bob.frames.at(-1)).toEqual({ kind: 'goodbye', reason: 'replaced', recipient_id: bob.agentId });
    const heard = bob.frames.length;
    await refused(world, bob.call('post', text(id, 'x')), 'unauthenticated');
    await refused(world, bob.call('post', text(id, 'x'), { as: 'bob' }), 'unauthenticated');
    await ack(world, bob, id, 5);
    await say(world, alice, id, 'six');
    expect(again.seqs(id)).toEqual([5, 6]);
    // The old binding's late ack is ignored and is no bad frame.
    expect(bob.frames.slice(heard)).toEqual([]);
    expect(bob.closed).toBe(false);
    expect((await rebind(world, 'bob')).seqs(id)).toEqual([5, 6]);
  });

  it('[DL6] rejects requests of the older binding that were not judged yet', async () => {
    const { world, alice, bob, id } = await aConversation();
    const pending = await invited(world, alice, [bob]);
    const calls = () => [
      bob.call('post', text(id, 'x')),
      bob.call('ack_invite', { session_id: pending }),
      bob.call('reject_invite', { session_id: pending }),
      bob.call('close_session', { session_id: id }),
    ];
    world.hub.evictIdle();
    const asked = calls();
    const usurper = world.stranger();
    usurper.hello('bob');
    for (const call of asked) call.catch(() => {});
    for (const call of asked) await refused(world, call, 'unauthenticated');
    expect([logOf(world.store, id).length, logOf(world.store, pending).length]).toEqual([4, 2]);
  });

  it('[DL6, AM9] rejects a request of the older binding that is judged again', async () => {
    const { world, alice, bob, id } = await aConversation();
    world.hold = true;
    const post = bob.call('post', text(id, 'x'));
    await world.settle();
    world.store.foreignAppend(id, foreignUnit(world, id, { sender_id: alice.agentId }));
    await rebind(world, 'bob');
    world.hold = false;
    await refused(world, post, 'unauthenticated');
  });

  it('[DL6] is the only one served, however long the cursors take to load', async () => {
    const store = new SlowCursors();
    const { world, alice, bob, id } = await aConversation({}, { store });
    bob.acks = false;
    await say(world, alice, id, 'five');
    store.gate.close();
    const [first, second] = [await rebind(world, 'bob'), await rebind(world, 'bob')];
    await say(world, alice, id, 'six');
    const asked = first.frames.map(({ kind }) => kind);
    expect([asked, second.frames.map(({ kind }) => kind)]).toEqual([['welcome', 'goodbye'], ['welcome']]);
    await openGate(world, store);
    expect([first.seqs(id), chain(second, id)]).toEqual([[], ['4→5', '5→6']]);
  });

  it('[DL8, DL9, L5] loses nothing that happens while its cursors load', async () => {
    const store = new SlowCursors();
    const { world, alice, bob } = await aCast(['alice', 'bob'], {}, { store });
    const [open, closes, declined] = [
      await opened(world, alice, [bob]),
      await opened(world, alice, [bob]),
      await invited(world, alice, [bob]),
    ];
    await leave(world, bob);
    store.gate.close();
    const again = await world.peer('bob');
    await say(world, alice, open, 'in the meantime');
    await world.answer(alice.call('close_session', { session_id: closes }));
    await world.pass(5 * SECOND);
    await world.answer(alice.call('close_session', { session_id: declined }));
    const late = await invited(world, alice, [bob]);
    expect(again.notifies()).toEqual([]);
    await openGate(world, store);
    expect([chain(again, open), chain(again, closes), chain(again, declined), chain(again, late)]).toEqual([
      ['4→5'],
      ['4→5', '5→6'],
      ['null→3'],
      ['null→2'],
    ]);
  });

  it('[DL9, DL8, L5] loses no end that follows the list of ended sessions', async () => {
    const store = new SlowLists();
    const { world, alice, bob } = await aCast(['alice', 'bob'], {}, { store });
    const [closes, declined] = [await opened(world, alice, [bob]), await invited(world, alice, [bob])];
    await leave(world, bob);
    store.gate.close();
    const again = await rebind(world, 'bob');
    await world.answer(alice.call('close_session', { session_id: declined }));
    await world.answer(alice.call('close_session', { session_id: closes }));
    await world.pass(5 * SECOND);
    expect(again.notifies()).toEqual([]);
    await openGate(world, store);
    expect([chain(again, closes), chain(again, declined)]).toEqual([['4→5', '5→6'], ['null→3']]);
  });

  it('[DL8] does not send an invite after the session’s end', async () => {
    const store = new SlowReads();
    const { world, alice, bob } = await aCast(['alice', 'bob'], {}, { store });
    const id = await invited(world, alice, [bob]);
    await leave(world, bob);
    store.gate.close();
    const again = await rebind(world, 'bob');
    await world.answer(alice.call('close_session', { session_id: id }));
    await openGate(world, store);
    expect(again.notifies(id).map(({ envelope }) => envelope.event_type)).toEqual(['session.closed']);
  });

  it('[DL5, L8] retries a failed read', async () => {
    const store = new SlowReads();
    const { world, alice, bob, id } = await aConversation({ tailLength: 1 }, { store });
    await leave(world, bob);
    for (const words of ['five', 'six', 'seven']) await say(world, alice, id, words);
    world.hub.evictIdle();
    store.failures = 1;
    const again = await rebind(world, 'bob');
    expect(again.seqs(id)).toEqual([]);
    await world.pass(SECOND);
    expect(again.seqs(id)).toEqual([5, 6, 7]);
  });
});

describe('invites', () => {
  it('[DL8] arrive immediately and at every bind, outside the stream, until answered', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const id = await invited(world, alice, [bob], { invite_timeout: '1d' });
    expect(bob.notifies(id)).toMatchObject([
      { prev_seq: null, turn: null, envelope: { event_type: 'session.invite' } },
    ]);
    const again = await rebind(world, 'bob');
    expect(again.notifies(id)).toEqual(bob.notifies(id));
    await world.restart();
    const after = await rebind(world, 'bob');
    expect(after.notifies(id)).toEqual(bob.notifies(id));
    await world.answer(after.call('ack_invite', { session_id: id }));
    const joined = await rebind(world, 'bob');
    expect(chain(joined, id)).toEqual(['0→4']);
  });

  it('[DL7, DL8] have no receipt', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const id = await invited(world, alice, [bob]);
    await ack(world, bob, id, 2);
    expect(bob.frames.at(-1)).toMatchObject({ kind: 'error', error: { code: 'bad_frame' } });
  });

  it('[DL8] reach only their invitee', async () => {
    const world = await aWorld();
    const names = ['bob', 'carol', 'dave'];
    const alice = await world.peer('alice');
    const peers = await Promise.all(names.map((name) => world.peer(name)));
    const id = await invited(world, alice, peers, { type: 'panel' });
    for (const [i, name] of names.entries()) {
      expect(chain(peers[i] as Peer, id)).toEqual([`null→${2 + i}`]);
      expect(chain(await rebind(world, name), id)).toEqual([`null→${2 + i}`]);
    }
  });

  it('[DL8] report the end of a session never joined, once, also to an absent invitee', async () => {
    const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob, carol], { type: 'panel' });
    await leave(world, carol);
    await world.answer(alice.call('close_session', { session_id: id }));
    expect(chain(bob, id)).toEqual(['null→2', 'null→4']);
    const back = await rebind(world, 'carol');
    expect(back.notifies(id)).toMatchObject([{ prev_seq: null, envelope: { event_type: 'session.closed', seq: 4 } }]);
    await world.pass(SECOND);
    await world.restart();
    for (const name of ['bob', 'carol']) expect((await rebind(world, name)).notifies(id)).toEqual([]);
  });

  it('[DL8] stop after the invitee declined', async () => {
    const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob, carol], { type: 'panel', required_acks: 1 });
    await world.answer(bob.call('reject_invite', { session_id: id }));
    await world.answer(carol.call('ack_invite', { session_id: id }));
    await say(world, alice, id, 'psst');
    await world.answer(alice.call('close_session', { session_id: id }));
    expect(chain(bob, id)).toEqual(['null→2']);
    expect((await rebind(world, 'bob')).notifies(id)).toEqual([]);
  });
});

describe('the end of a session', () => {
  it('[DL9, L5] reaches an absent participant with everything it missed, for 7 days', async () => {
    const { world, alice, bob, id } = await aConversation();
    await leave(world, bob);
    await say(world, alice, id, 'five');
    await world.answer(alice.call('close_session', { session_id: id }));
    await leap(world, 7 * DAY);
    const back = await world.peer('bob');
    expect(chain(back, id)).toEqual(['4→5', '5→6', '6→7']);
    await world.pass(SECOND);
    expect((await rebind(world, 'bob')).notifies(id)).toEqual([]);
  });

  it('[DL9, L5] is reported as a gap after that, once', async () => {
    const { world, alice, bob, id } = await aConversation();
    await world.pass(SECOND);
    await leave(world, bob);
    await say(world, alice, id, 'five');
    await world.answer(alice.call('close_session', { session_id: id }));
    await leap(world, 7 * DAY + 1);
    await world.restart();
    const back = await rebind(world, 'bob');
    expect(back.frames.slice(1)).toEqual([
      { kind: 'gap', recipient_id: bob.agentId, session_id: id, epoch: 1, from_seq: 5, to_seq: 7, reason: 'retention' },
    ]);
    await world.pass(SECOND);
    await world.restart();
    expect((await rebind(world, 'bob')).frames).toHaveLength(1);
  });

  it('[DL9, L5] is reported as a gap to a recipient that acked nothing', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    bob.acks = false;
    const id = await opened(world, alice, [bob]);
    await world.pass(SECOND);
    await leave(world, bob);
    await world.answer(alice.call('close_session', { session_id: id }));
    await leap(world, 8 * DAY);
    expect(gapsOf(await rebind(world, 'bob'))).toMatchObject([{ session_id: id, from_seq: 1, to_seq: 6 }]);
  });

  it('[DL9] is no gap for a recipient that acked everything', async () => {
    const { world, alice, id } = await aConversation();
    await world.answer(alice.call('close_session', { session_id: id }));
    await leap(world, 8 * DAY);
    await world.restart();
    expect((await rebind(world, 'bob')).frames).toHaveLength(1);
  });
});

// What a dropping inbox skips, and what it never skips.

import { discussion } from 'parley-hub/adapters/discussion';
import { expect, it } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import {
  ADAPTERS,
  aCast,
  gapsOf,
  leave,
  logOf,
  opened,
  rebind,
  refusal,
  say,
  sessionOf,
  text,
  watch,
} from '../scene.ts';
import { type Inbox, silenced } from './scene.ts';

async function trio(inbox: Inbox) {
  const scene = await silenced(
    await aCast(['alice', 'bob', 'carol'], {}, { adapters: [...ADAPTERS, discussion] }),
    inbox,
  );
  scene.bob.acks = true;
  return scene;
}

function gone(peer: Peer, session: string): readonly number[] {
  const overflows = gapsOf(peer).filter(({ session_id, reason }) => session_id === session && reason === 'overflow');
  return overflows.map(({ from_seq }) => from_seq);
}

it('[RU9] drops the oldest in any session: a silent session starves no other', async () => {
  const { world, alice, bob, carol } = await trio({ max_pending: 2, overflow: 'drop_oldest' });
  const old = await opened(world, alice, [bob]);
  const other = await opened(world, carol, [bob]);
  bob.acks = false;
  const first = (await say(world, alice, old, 'old 1')).seq;
  const second = (await say(world, alice, old, 'old 2')).seq;
  const fresh = (await say(world, carol, other, 'new')).seq;
  expect(gone(bob, old)).toEqual([first]);
  expect(gone(bob, other)).toEqual([]);
  expect(bob.seqs(other)).toContain(fresh);
  expect(bob.seqs(old)).toContain(second);
});

it.each(['drop_newest', 'drop_oldest'] as const)(
  '[RU9, AM6] with %s delivers an envelope that gives the turn and does not drop it later',
  async (overflow) => {
    const { world, alice, bob, carol } = await trio({ max_pending: 1, overflow });
    const busy = await opened(world, carol, [bob]);
    const talk = await opened(world, alice, [bob, carol], { type: 'discussion' });
    bob.acks = false;
    await say(world, carol, busy, 'one');
    const given = (await say(world, alice, talk, 'your turn')).seq;
    expect((await sessionOf(world, alice, talk)).head_seq).toBe(given);
    expect(bob.notifies(talk).at(-1)).toMatchObject({ envelope: { seq: given }, turn: { agent_id: bob.agentId } });
    for (const words of ['two', 'three']) await say(world, carol, busy, words);
    expect(gone(bob, talk)).toEqual([]);
    await leave(world, bob);
    const back = await rebind(world, 'bob');
    expect(back.seqs(talk)).toContain(given);
  },
);

it('[AM6] rejects a post that gives the turn to a recipient whose rule withholds it', async () => {
  const { world, alice, bob, carol } = await trio({});
  const talk = await opened(world, alice, [bob, carol], { type: 'discussion' });
  await world.answer(bob.call('set_rule', { rule: { access: { inbound_from: ['carol'] } } }));
  const refused = await refusal(world, say(world, alice, talk, 'your turn'));
  expect(refused).toMatchObject({ code: 'protocol_error' });
  expect(refused.message).toMatch(/^this post gives the turn to 'bob', but may not be delivered to it: /);
  await world.answer(world.hub.hideParticipant(talk, 'bob'));
  await say(world, alice, talk, 'carol then');
});

it('[RU9, DL10] repeats an expired gap after the clock was set back', async () => {
  const { world, alice, bob } = await trio({ max_pending: 5 });
  const pair = await opened(world, alice, [bob]);
  await leave(world, bob);
  await say(world, alice, pair, 'soon gone', { ttl_seconds: 5 });
  await world.pass(6000);
  const once = await rebind(world, 'bob');
  world.clock.jump(-3_600_000);
  await leave(world, once);
  const back = await rebind(world, 'bob');
  expect(gapsOf(back).map(({ reason }) => reason)).toEqual(['expired']);
  expect(world.hub.health().ready).toBe(true);
});

it('[RU9] drops nothing that fits while the inbox is being counted again', async () => {
  const { world, alice, bob, carol } = await trio({ max_pending: 3, overflow: 'drop_oldest' });
  const id = await opened(world, alice, [carol, bob], { type: 'panel' });
  bob.acks = false;
  await say(world, alice, id, 'short', { ttl_seconds: 1 });
  for (const words of ['2', '3']) await say(world, alice, id, words);
  world.clock.advance(3000);
  for (const words of ['4', '5', '6']) watch(alice.call('post', text(id, words)));
  await world.settle();
  const sent = bob.notifies(id).filter(({ envelope }) => envelope.event_type === 'msg.text');
  const kept = sent.map(({ envelope }) => envelope.seq).filter((seq) => !gone(bob, id).includes(seq));
  expect(kept.length).toBeGreaterThanOrEqual(3);
});

it('[RU9] never drops hub envelopes', async () => {
  const { world, alice, bob, carol } = await trio({ max_pending: 2, overflow: 'drop_oldest' });
  const id = await opened(world, alice, [bob, carol], { type: 'panel' });
  bob.acks = false;
  await world.answer(world.hub.hideParticipant(id, 'carol'));
  const said = logOf(world.store, id).at(-1)?.seq;
  for (const words of ['1', '2', '3']) await say(world, alice, id, words);
  expect(gone(bob, id)).not.toContain(said);
  await leave(world, bob);
  const back = await rebind(world, 'bob');
  expect(back.seqs(id)).toContain(said);
});

// What hidden, removed and returned participants receive: deliveries, logs and views, also after an absence.

import { discussion } from 'parley-hub/adapters/discussion';
import type { ExpectationEntry } from 'parley-hub/core';
import { turnWithin } from 'parley-hub/expectations/entries';
import { fullTranscript, named } from 'parley-hub/views/refs';
import { describe, expect, it } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { ADAPTERS, aCast, ack, leave, logOf, MINUTE, opened, refused, SECOND, say, VIEWS } from '../scene.ts';

/** alice, bob and carol in a discussion; alice has posted seq 7, so bob has the turn. */
async function talk(expectations: readonly ExpectationEntry[] = []) {
  const { world, alice, bob, carol } = await aCast(
    ['alice', 'bob', 'carol'],
    {},
    { adapters: [...ADAPTERS, discussion], views: VIEWS },
  );
  const id = await opened(world, alice, [bob, carol], { type: 'discussion', expectations });
  await say(world, alice, id, 'one');
  return { world, alice, bob, carol, id };
}

/** Deliveries in the stream of a session, each with the seq before it. */
function stream(peer: Peer, id: string): readonly string[] {
  return peer
    .notifies(id)
    .filter(({ prev_seq }) => prev_seq !== null)
    .map(({ envelope, prev_seq }) => `${prev_seq} ${envelope.seq} ${envelope.event_data.text ?? envelope.event_type}`);
}

async function viewed(world: World, peer: Peer, session_id: string, at_seq?: number): Promise<readonly string[]> {
  const view = named(fullTranscript());
  const params = { session_id, view, ...(at_seq === undefined ? {} : { at_seq }) };
  const { messages } = await world.answer(peer.call('read_view', params));
  return messages.map(({ content }) => content);
}

async function readSeqs(world: World, peer: Peer, session_id: string): Promise<readonly number[]> {
  const { envelopes, next } = await world.answer(peer.call('read_log', { session_id }));
  expect(next).toBeNull();
  return envelopes.map(({ seq }) => seq);
}

describe('a hidden participant', () => {
  it('[MB4, DL1, VW2] receives its hiding and everything after it, in stream, log and view', async () => {
    const { world, alice, bob, carol, id } = await talk();
    await world.answer(world.hub.hideParticipant(id, 'bob'));
    await say(world, carol, id, 'two');
    await say(world, alice, id, 'three');
    expect(stream(bob, id).slice(-4)).toEqual(['6 7 one', '7 8 session.participant.hidden', '8 9 two', '9 10 three']);
    expect(await viewed(world, bob, id)).toEqual(['[alice]: one', '[carol]: two', '[alice]: three']);
    expect((await readSeqs(world, bob, id)).slice(-4)).toEqual([7, 8, 9, 10]);
  });

  it('[MB4, DL5] receives what it missed at its next bind, in order and from its cursor on', async () => {
    const { world, alice, bob, carol, id } = await talk();
    await world.answer(world.hub.hideParticipant(id, 'bob'));
    await leave(world, bob);
    await say(world, carol, id, 'two');
    await say(world, alice, id, 'three');
    const back = await world.peer('bob');
    expect(stream(back, id)).toEqual(['8 9 two', '9 10 three']);
    await world.answer(back.call('return_to_session', { session_id: id }));
    expect(stream(back, id).at(-1)).toBe('10 11 session.participant.returned');
    expect(await viewed(world, back, id)).toEqual(['[alice]: one', '[carol]: two', '[alice]: three']);
  });

  it('[MB4, LC7] delays the drain until it acks, and receives the end', async () => {
    const { world, alice, bob, id } = await talk();
    await world.answer(world.hub.hideParticipant(id, 'bob'));
    bob.acks = false;
    await world.answer(alice.call('close_session', { session_id: id }));
    expect(logOf(world.store, id).at(-1)?.event_type).toBe('session.closing');
    await ack(world, bob, id, 9);
    expect(stream(bob, id).at(-1)).toBe('9 10 session.closed');
  });

  it('[EX3, VW2] is named by a hub line in every view if the violation goes to everyone', async () => {
    const { world, alice, bob, carol, id } = await talk([turnWithin(5, 'notify_session'), turnWithin(6, 'hide')]);
    await world.pass(6 * SECOND);
    await say(world, carol, id, 'two');
    const told = '[hub]: expectation turn_within was violated: bob has had the turn since seq 7 for more than 5 s';
    for (const [peer, own] of [
      [alice, ['one', told, '[carol]: two']],
      [bob, ['[alice]: one', told, '[carol]: two']],
      [carol, ['[alice]: one', told, 'two']],
    ] as const) {
      expect(await viewed(world, peer, id)).toEqual(own);
    }
  });

  it('[EX3, VW2] gets its warning alone: no other participant receives or sees it', async () => {
    const { world, alice, bob, carol, id } = await talk([turnWithin(5, 'warn'), turnWithin(6, 'hide')]);
    await world.pass(6 * SECOND);
    const isWarning = (line: string) => line.includes('expectation.violated');
    expect([alice, bob, carol].map((peer) => stream(peer, id).filter(isWarning).length)).toEqual([0, 1, 0]);
    const lines = [];
    for (const peer of [alice, bob, carol]) lines.push((await viewed(world, peer, id)).length);
    expect(lines).toEqual([1, 2, 1]);
  });
});

describe('a removed participant', () => {
  it('[MB5, DL12, VW2, VW10] receives its removal and nothing after it; its log and view end there', async () => {
    const { world, alice, bob, carol, id } = await talk();
    await world.answer(world.hub.removeParticipant(id, 'bob', 'noise'));
    const heard = stream(bob, id);
    expect(heard.at(-1)).toBe('7 8 session.participant.removed');
    const seen = await viewed(world, bob, id);
    await say(world, carol, id, 'two');
    await say(world, alice, id, 'three');
    await world.answer(alice.call('close_session', { session_id: id, wait: 'closed' }));
    expect(stream(bob, id)).toEqual(heard);
    expect((await readSeqs(world, bob, id)).at(-1)).toBe(8);
    expect(seen).toEqual(['[alice]: one']);
    for (const at of [undefined, 8, 9, 10]) expect(await viewed(world, bob, id, at)).toEqual(seen);
    const { at_seq } = await world.answer(bob.call('read_view', { session_id: id }));
    expect(at_seq).toBe(8);
    expect(await viewed(world, carol, id)).toEqual(['[alice]: one', 'two', '[alice]: three']);
  });

  it('[MB5, DL5, DL12] receives what it missed up to the removal, and nothing later, at its next bind', async () => {
    const { world, alice, bob, carol, id } = await talk();
    await say(world, bob, id, 'two');
    await leave(world, bob);
    await say(world, carol, id, 'three');
    await world.answer(world.hub.removeParticipant(id, 'bob'));
    await say(world, alice, id, 'four');
    await world.restart();
    const back = await world.peer('bob');
    expect(stream(back, id)).toEqual(['7 9 three', '9 10 session.participant.removed']);
    await leave(world, back);
    // Everything is acked, so nothing is left to deliver.
    expect(stream(await world.peer('bob'), id)).toEqual([]);
  });

  it('[MB5, DL2, DL5] receives its unacked envelopes again after a rebind, and no others', async () => {
    const { world, alice, bob, id } = await talk();
    bob.acks = false;
    await say(world, bob, id, 'two');
    await world.answer(world.hub.removeParticipant(id, 'carol'));
    await world.answer(world.hub.hideParticipant(id, 'bob'));
    const dave = await world.peer('dave');
    await world.answer(alice.call('add_participant', { session_id: id, participant: 'dave' }));
    await world.answer(dave.call('ack_invite', { session_id: id }));
    await world.answer(world.hub.removeParticipant(id, 'bob'));
    await say(world, alice, id, 'three');
    await leave(world, bob);
    const removal = logOf(world.store, id).find(
      ({ event_data }) => event_data.reason === 'removed' && event_data.agent_id === bob.agentId,
    );
    const back = await world.peer('bob');
    expect(back.seqs(id)[0]).toBe(9);
    expect(back.seqs(id).at(-1)).toBe(removal?.seq);
  });

  it('[MB5, OPR3] may do nothing in the session any more, and the others continue', async () => {
    const { world, alice, bob, carol, id } = await talk();
    await world.answer(world.hub.removeParticipant(id, 'bob'));
    const before = logOf(world.store, id);
    for (const [call, code] of [
      [() => bob.call('post', { session_id: id, event_type: 'msg.text', event_data: { text: 'x' } }), 'forbidden'],
      [() => bob.call('return_to_session', { session_id: id }), 'protocol_error'],
      [() => bob.call('close_session', { session_id: id }), 'forbidden'],
      [() => bob.call('report_progress', { session_id: id }), 'not_your_turn'],
      [() => bob.call('report_turn_failure', { session_id: id, reason: 'x' }), 'not_your_turn'],
      [() => alice.call('add_participant', { session_id: id, participant: 'bob' }), 'protocol_error'],
    ] as const) {
      await refused(world, call(), code);
    }
    expect(logOf(world.store, id)).toEqual(before);
    const { public_state } = await world.answer(bob.call('get_session', { session_id: id }));
    expect(public_state).toEqual({});
    await say(world, carol, id, 'two');
    await world.pass(MINUTE);
    await say(world, alice, id, 'three');
  });

  it('[MB5, EX3] receives the removal, not the violation, when an expectation removes it', async () => {
    const { world, bob, id } = await talk([turnWithin(5, 'remove')]);
    await world.pass(5 * SECOND);
    expect(stream(bob, id).slice(-2)).toEqual(['6 7 one', '7 9 session.participant.removed']);
    expect(bob.notifies(id).at(-1)?.envelope.event_data.reason).toBe('expectation_violated:turn_within');
  });
});

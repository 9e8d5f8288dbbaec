// One bad neighbour in a session does not affect what the others send and receive.

import { describe, expect, it } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { runs } from '../../support/size.ts';
import { ack, aPanel, aWorld, leap, logOf, opened, refusal, SECOND, say, text } from '../scene.ts';

const ROUNDS = runs(300, 60);

/** alice and carol take turns; returns the seqs of their posts. */
async function talk(world: World, id: string, alice: Peer, carol: Peer, rounds: number): Promise<readonly number[]> {
  const seqs: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const [by, to] = i % 2 === 0 ? [alice, carol] : [carol, alice];
    // To everyone, and every third time to the other one only.
    const more = i % 3 === 0 ? { audience: [to.agentId] } : {};
    seqs.push((await say(world, by, id, `${i}`, more)).seq);
  }
  return seqs;
}

/** The peer received everything the other posted, once, in order, without a gap. */
function expectHeard(peer: Peer, id: string, said: readonly number[], own: 0 | 1): void {
  const others = said.filter((_, i) => i % 2 !== own);
  const heard = peer.notifies(id).filter(({ envelope }) => said.includes(envelope.seq));
  expect(heard.map(({ envelope }) => envelope.seq)).toEqual(others);
  const stream = peer.notifies(id).filter(({ prev_seq }) => prev_seq !== null);
  expect(stream.map(({ prev_seq }) => prev_seq).slice(1)).toEqual(
    stream.slice(0, -1).map(({ envelope }) => envelope.seq),
  );
}

describe('the posts of others are not affected by', () => {
  it('[L8, RU8] a silent participant that acks nothing', async () => {
    const { world, alice, bob, carol, id } = await aPanel({ window: 8 });
    bob.acks = false;
    const said = await talk(world, id, alice, carol, ROUNDS);
    expectHeard(alice, id, said, 0);
    expectHeard(carol, id, said, 1);
    // Its window is full, and no more is sent to it.
    expect(bob.seqs(id).length).toBeLessThanOrEqual(8 + 3);
    // It loses nothing: everything arrives as it acks.
    bob.acks = true;
    await ack(world, bob, id, ...bob.seqs(id));
    const toAll = said.filter((_, i) => i % 3 !== 0);
    expect(bob.seqs(id).filter((seq) => said.includes(seq))).toEqual(toAll);
  });

  it('[L8, RU8] a full inbox, in this session and in another', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    const other = await opened(world, alice, [carol, bob], { type: 'panel' });
    await world.answer(bob.call('set_rule', { rule: { limits: { inbox: { max_pending: 3 } } } }));
    bob.acks = false;
    const [here, there] = [
      await talk(world, id, alice, carol, ROUNDS),
      await talk(world, other, alice, carol, ROUNDS / 3),
    ];
    for (const [session, said] of [
      [id, here],
      [other, there],
    ] as const) {
      expectHeard(alice, session, said, 0);
      expectHeard(carol, session, said, 1);
    }
    // Only posts addressed to it are rejected.
    const named = await refusal(world, say(world, alice, id, 'bob?', { audience: [bob.agentId] }));
    expect(named.code).toBe('inbox_full');
    await talk(world, id, alice, carol, 10);
    const pair = await opened(world, alice, [carol]);
    await say(world, alice, pair, 'and elsewhere');
  });

  it.each([
    ['with a rate limit', { per_minute: 60, burst: 5 }],
    ['as fast as it can', null],
  ])('[L8, RU7] a participant that floods %s', async (_what, rate) => {
    const { world, alice, bob, carol, id } = await aPanel();
    if (rate !== null) await world.answer(bob.call('set_rule', { rule: { limits: { rate } } }));
    const answers: Promise<string>[] = [];
    const flood = (): void => {
      // More than may be open, in one tick; and invalid frames.
      for (let i = 0; i < 100; i++) {
        const answer = bob.ask('post', text(id, `flood ${i}`));
        answers.push(answer.then((frame) => (frame.ok ? 'accepted' : frame.error.code)));
      }
      bob.send('{"kind":');
    };
    const said: number[] = [];
    for (let i = 0; i < 10; i++) {
      const [by] = i % 2 === 0 ? [alice] : [carol];
      flood();
      // Sent after the flood, from another connection.
      said.push((await world.answer(by.call('post', text(id, `${i}`)))).seq);
    }
    expectHeard(alice, id, said, 0);
    expectHeard(carol, id, said, 1);
    const outcomes = await world.answer(Promise.all(answers));
    const accepted = outcomes.filter((outcome) => outcome === 'accepted').length;
    expect(new Set(outcomes)).toEqual(new Set(['accepted', 'rate_limited']));
    if (rate !== null) expect(accepted).toBe(5);
    // Accepted posts reach everyone; nothing else of the flood is in the log.
    const ofBob = logOf(world.store, id).filter(({ sender_id }) => sender_id === bob.agentId);
    expect(ofBob).toHaveLength(accepted);
    expect(carol.seqs(id).filter((seq) => ofBob.some((envelope) => envelope.seq === seq))).toHaveLength(accepted);
  });

  it('[L8] all three together, while the hub sweeps', async () => {
    const world = await aWorld({ window: 4 });
    const names = ['alice', 'carol', 'silent', 'full', 'flood'] as const;
    const peers = await Promise.all(names.map((name) => world.peer(name)));
    const [alice, carol, silent, full, flood] = peers as [Peer, Peer, Peer, Peer, Peer];
    const id = await opened(world, alice, [carol, silent, full, flood], { type: 'panel' });
    await world.answer(full.call('set_rule', { rule: { limits: { inbox: { max_pending: 1 } } } }));
    await world.answer(flood.call('set_rule', { rule: { limits: { rate: { per_minute: 1, burst: 1 } } } }));
    silent.acks = false;
    full.acks = false;
    const said: number[] = [];
    for (let i = 0; i < 40; i++) {
      for (let n = 0; n < 20; n++) void flood.ask('post', text(id, 'x'));
      said.push((await say(world, i % 2 === 0 ? alice : carol, id, `${i}`)).seq);
      await leap(world, SECOND / 10);
    }
    expectHeard(alice, id, said, 0);
    expectHeard(carol, id, said, 1);
  });
});

// A crash between any two steps of a delegation heals at the next start: one child, one prompt, one settlement.

import { createHub } from 'parley-hub/node';
import { describe, expect, it } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import { quiet, type World } from '../../../src/testing/doubles/world.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { logOf, SECOND, text } from '../scene.ts';
import { account, accounts, aParent, delegates, invitedTo } from './delegation-scene.ts';

const key = { idempotency_key: 'k', timeout: '1h' };

/** Runs the steps until the disk has synced this often; true = all are done. */
async function upTo(world: World, syncs: number, things: readonly (() => void)[]): Promise<boolean> {
  world.hold = true;
  let left = syncs;
  for (const thing of things) {
    thing();
    for (await quiet(); world.store.stagedUnits() > 0; await quiet()) {
      if (left === 0) return false;
      left -= 1;
      world.store.sync();
    }
  }
  return true;
}

function children(world: World): readonly string[] {
  return world.store.logIds().filter((log) => {
    const labels = logOf(world.store, log)[0]?.event_data.labels as Record<string, string> | undefined;
    return labels?.delegation !== undefined;
  });
}

/** All steps of the delegator and of the target. */
function script(id: string, alice: Peer, carol: Peer): readonly (() => void)[] {
  const quietly = (call: Promise<unknown>) => void call.catch(() => {});
  return [
    () => quietly(delegates(alice, id, 'carol', key)),
    () => quietly(carol.call('ack_invite', { session_id: invitedTo(carol) })),
    () => quietly(carol.call('post', text(invitedTo(carol), 'Yes.', { idempotency_key: 'reply' }))),
  ];
}

describe('a crash', () => {
  const points = Array.from({ length: 12 }, (_, i) => i);

  it('[DG3] covers every step', async () => {
    const { world, alice, carol, id } = await aParent();
    const done: boolean[] = [];
    for (const syncs of [0, 1, 2, 3, 4, 12]) {
      const again = syncs === 0 ? { world, alice, carol, id } : await aParent();
      done.push(await upTo(again.world, syncs, script(again.id, again.alice, again.carol)));
    }
    // Reservation, child, joined, prompt, reply, settlement: more than four syncs, and at most twelve.
    expect(done).toEqual([false, false, false, false, false, true]);
  });

  it.each(points)('[DG3, L1] after %d syncs loses no reservation and repeats nothing', async (syncs) => {
    const { world, alice, carol, id } = await aParent();
    await upTo(world, syncs, script(id, alice, carol));
    const wasReserved = accounts(world, id).length > 0;
    world.hold = false;
    await world.crash();
    // The hub completes it without a request.
    expect(children(world)).toHaveLength(wasReserved ? 1 : 0);
    const [again, other] = [await world.peer('alice'), await world.peer('carol')];
    const call = delegates(again, id, 'carol', key);
    await world.settle();
    const [child] = children(world);
    if (child === undefined) throw new Error('there is no child');
    await world.answer(other.call('ack_invite', { session_id: child }).catch(() => {}));
    await world.answer(other.call('post', text(child, 'Yes.', { idempotency_key: 'reply' })));
    const answer = await world.answer(call);
    expect(answer).toMatchObject({ child_session_id: child, outcome: 'replied', reply: { text: 'Yes.' } });
    expect(answer.duplicate).toBe(wasReserved ? true : undefined);
    expect(children(world)).toEqual([child]);
    expect(account(world, id, ['alice', alice], ['carol', carol])).toEqual(['open alice→carol', 'replied']);
    const said = logOf(world.store, child).filter(({ event_type }) => event_type === 'msg.text');
    expect(said.map(({ event_data }) => event_data.text)).toEqual(['Is it done?', 'Yes.']);
  });

  it.each(points)('[DG3, DG5] after %d syncs, with a parent that ends, leaves nothing open', async (syncs) => {
    const { world, alice, bob, carol, id } = await aParent();
    const close = () => void bob.call('close_session', { session_id: id }).catch(() => {});
    await upTo(world, syncs, [...script(id, alice, carol).slice(0, 2), close]);
    world.hold = false;
    await world.crash((_log, _unit) => syncs % 2 === 0);
    const again = await world.peer('bob');
    await world.answer(again.call('close_session', { session_id: id }));
    await world.pass(8 * SECOND);
    const opened = accounts(world, id).filter(({ event_type }) => event_type === 'delegation.opened');
    expect(accounts(world, id)).toHaveLength(2 * opened.length);
    for (const child of children(world))
      expect(logOf(world.store, child).at(-1)).toMatchObject({
        event_type: 'session.closed',
        event_data: { reason: 'parent_closed' },
      });
  });

  it('[DG3] settles the end of a child even after create keys have expired', async () => {
    const { world, alice, carol, id } = await aParent();
    await upTo(world, 3, script(id, alice, carol));
    world.hold = false;
    world.clock.advance(48 * 3600 * SECOND);
    await world.crash();
    expect(children(world)).toHaveLength(1);
  });

  it('[DG3] reports an unknown outcome if the store fails', async () => {
    const { world, alice, carol, id } = await aParent();
    world.hold = true;
    const call = delegates(alice, id, 'carol', key);
    await world.settle();
    world.store.failSync(new Error('the disk is gone'));
    await world.settle();
    await expect(call).rejects.toMatchObject({ code: 'unavailable', details: { outcome: 'unknown' } });
    expect(carol.notifies()).toEqual([]);
  });
});

describe('a delegation in a data folder', () => {
  it('[DG3, DS30] continues at the next start', async () => {
    const data = tempFolder('delegation');
    const first = await createHub({ data });
    const alice = await first.agent('alice');
    await first.agent('bob');
    await first.agent('carol', { onInvite: () => new Promise(() => {}) });
    const parent = await alice.open('conversation', ['bob']);
    const begun = await parent.delegate('carol', 'Is it done?', { key: 'k', wait: 'opened' });
    expect(begun.outcome).toBe('open');
    await first.stop();
    const second = await createHub({ data });
    await second.agent('carol', { onMessage: async (message) => void (await message.reply('Yes.')) });
    const again = await second.agent('alice');
    const answer = await again.session(parent.id).delegate('carol', 'Is it done?', { key: 'k' });
    expect(answer).toMatchObject({
      delegation_id: begun.delegation_id,
      child_session_id: begun.child_session_id,
      outcome: 'replied',
      reply: { text: 'Yes.' },
    });
    await second.stop();
  });
});

// Rows of a list for each asker: waits caused by a whisper, and the newest text, are shown to some only.

import type { Result } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World, WorldOptions } from '../../../src/testing/doubles/world.ts';
import { aCast, opened, say } from '../scene.ts';

async function aTalk(options: Partial<WorldOptions> = {}, more: object = {}) {
  const { world, alice, bob, carol, olive } = await aCast(['alice', 'bob', 'carol', 'olive'], {}, options);
  await world.answer(world.hub.grant('olive', ['observe']));
  const id = await opened(world, alice, [bob, carol], { type: 'panel', ...more });
  return { world, alice, bob, carol, olive, id };
}

type Row = Result<'describe_sessions'>['sessions'][number];

async function row(world: World, peer: Peer, id: string): Promise<Row | undefined> {
  return (await world.answer(peer.call('describe_sessions', { session_ids: [id] }))).sessions[0];
}

describe('a row of the list', () => {
  it('[CN7, CN9] names an agent awaited because of a whisper to that agent and to observers', async () => {
    const expectations = [{ name: 'reply_within', on_violation: 'warn', params: { seconds: 60 } }];
    const { world, alice, bob, carol, olive, id } = await aTalk({}, { expectations });
    const whisper = { event_type: 'aside.note', event_data: { text: 'psst' }, audience: [carol.agentId] };
    await world.answer(alice.call('post', { session_id: id, ...whisper }));
    const waitedFor = { what: 'reply_within', agent_id: carol.agentId };
    for (const peer of [carol, olive]) expect((await row(world, peer, id))?.next_deadline).toMatchObject(waitedFor);
    expect((await row(world, bob, id))?.next_deadline?.what).not.toBe('reply_within');
  });

  it('[CN7, AR5] has the newest text that is not withheld from the asker', async () => {
    const { world, alice, bob, id } = await aTalk({
      arbiter: { authorizeDelivery: ({ envelope }) => !String(envelope.event_data.text).includes('secret') },
    });
    await say(world, alice, id, 'for all');
    await say(world, alice, id, 'a secret');
    expect((await row(world, bob, id))?.text).toBe('for all');
    expect((await row(world, alice, id))?.text).toBe('a secret');
  });

  it('[CN7] has no text for an observer, even for a former participant', async () => {
    const { world, alice, bob, olive } = await aTalk();
    const id = await opened(world, alice, [bob, olive], { type: 'panel' });
    await say(world, alice, id, 'while you are here');
    expect((await row(world, olive, id))?.text).toBe('while you are here');
    await world.answer(world.hub.removeParticipant(id, 'olive'));
    expect((await row(world, olive, id))?.text).toBe(null);
  });
});

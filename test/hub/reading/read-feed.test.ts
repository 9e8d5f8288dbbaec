// Pages of the feed skip what an asker may not see, and tell whether there is more.

import type { Result } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { aConversation, refusal, say } from '../scene.ts';

async function aFeed() {
  const expectations = [{ name: 'max_turns', on_violation: 'warn', params: { turns: 1 } }] as const;
  const { world, alice, bob, id } = await aConversation({}, {}, { expectations });
  const olive = await world.peer('olive');
  await world.answer(world.hub.grant('olive', ['observe']));
  await say(world, alice, id, 'one');
  await say(world, bob, id, 'two');
  await say(world, alice, id, 'three');
  // Newer than any violation, and hidden from observers.
  for (let count = 0; count < 5; count += 1) await refusal(world, bob.call('hub_figures', {}));
  return { world, olive };
}

function feed(world: World, peer: Peer, params: object): Promise<Result<'read_feed'>> {
  return world.answer(peer.call('read_feed', params));
}

describe('a page of the feed', () => {
  it('[CN12] skips what the asker may not see, whatever the limit', async () => {
    const { world, olive } = await aFeed();
    const { entries } = await feed(world, olive, { limit: 1 });
    expect(entries.map(({ kind, what }) => [kind, what])).toEqual([['violation', 'max_turns']]);
  });

  it('[CN12] since a number is the last page once it reaches that number', async () => {
    const { world, olive } = await aFeed();
    await world.answer(world.hub.grant('olive', ['operate']));
    const { entries, next } = await feed(world, olive, { limit: 4 });
    expect(next).toBe(entries[3]?.number);
    const since = entries[2]?.number ?? 0;
    expect(await feed(world, olive, { since, limit: 4 })).toEqual({ entries: entries.slice(0, 2), next: null });
    const first = await feed(world, olive, { since, limit: 1 });
    expect(first).toEqual({ entries: entries.slice(0, 1), next: entries[0]?.number });
  });
});

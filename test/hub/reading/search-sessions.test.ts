import type { Envelope, Params, SearchMatch } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { aCast, aConversation, aPanel, invited, opened, refused, say } from '../scene.ts';
import { DamagedStore } from '../watched-stores.ts';

type Asked = Partial<Params<'search_sessions'>>;

/** Every page. */
async function pages(world: World, peer: Peer, query: string, more: Asked = {}): Promise<SearchMatch[][]> {
  const found: SearchMatch[][] = [];
  for (let after: string | undefined; ; ) {
    const page = await world.answer(peer.call('search_sessions', { query, ...more, after }));
    found.push([...page.matches]);
    if (page.next === null) return found;
    expect(page.next).not.toBe(after);
    after = page.next;
    if (found.length > 200) throw new Error('it does not end');
  }
}

async function search(world: World, peer: Peer, query: string, more: Asked = {}): Promise<string[]> {
  return (await pages(world, peer, query, more)).flat().map(({ session_id, seq }) => `${session_id} ${seq}`);
}

describe('search_sessions', () => {
  it('[SR1, SR3] finds posts, newest session first, with sender, time and place', async () => {
    const { world, alice, bob, id } = await aConversation();
    const first = await say(world, alice, id, 'The Needle is here');
    await say(world, bob, id, 'nothing');
    const later = await opened(world, bob, [alice]);
    const second = await say(world, bob, later, 'another needle, and a needle');
    const third = await say(world, alice, later, 'NEEDLE');
    const { matches, next } = await world.answer(alice.call('search_sessions', { query: 'needle' }));
    expect(next).toBe(null);
    expect(matches.map(({ session_id, seq }) => [session_id, seq])).toEqual([
      [later, third.seq],
      [later, second.seq],
      [id, first.seq],
    ]);
    expect(matches[2]).toEqual({
      session_id: id,
      seq: first.seq,
      envelope_id: first.envelope_id,
      sender_id: alice.agentId,
      event_type: 'msg.text',
      created_at: first.created_at,
      snippet: 'The Needle is here',
      at: 4,
      length: 6,
    });
  });

  it('[SR2, L7] finds nothing the asker could not read: other sessions, invites, later posts, whispers', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    const dave = await world.peer('dave');
    await say(world, alice, id, 'needle for bob', { audience: [bob.agentId] });
    const forAll = await say(world, alice, id, 'needle for all');
    await invited(world, alice, [carol], { labels: { what: 'needle' } });
    await world.answer(carol.call('leave_session', { session_id: id }));
    await say(world, alice, id, 'needle after carol');
    expect(await search(world, carol, 'needle')).toEqual([`${id} ${forAll.seq}`]);
    expect(await search(world, dave, 'needle')).toEqual([]);
    expect(await search(world, bob, 'needle')).toHaveLength(3);
    // Nor with a cursor into a session of others.
    const page = await world.answer(dave.call('search_sessions', { query: 'needle', after: `9.${id}~1` }));
    expect(page.matches).toEqual([]);
  });

  it('[SR2, AR5] finds nothing withheld from the asker', async () => {
    const authorizeDelivery = ({ envelope }: { envelope: Envelope }) =>
      !String(envelope.event_data.text).includes('secret');
    const { world, alice, bob, id } = await aConversation({}, { arbiter: { authorizeDelivery } });
    await say(world, alice, id, 'a secret needle');
    const open = await say(world, alice, id, 'a needle');
    expect(await search(world, bob, 'needle')).toEqual([`${id} ${open.seq}`]);
    expect(await search(world, alice, 'needle')).toHaveLength(2);
  });

  it('[SR2, OB7] with the grant `observe` finds posts everywhere, and audits each session with a match', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    await say(world, alice, id, 'needle for bob', { audience: [bob.agentId] });
    const other = await opened(world, alice, [bob]);
    await say(world, alice, other, 'hay');
    const olga = await world.peer('olga');
    await world.answer(world.hub.grant('olga', ['observe']));
    expect(await search(world, olga, 'needle')).toHaveLength(1);
    expect(await search(world, carol, 'needle')).toEqual([]);
    const looks = (await world.hub.audit()).filter(({ kind }) => kind === 'session_observed');
    expect(looks.map(({ actor, session_id, detail }) => [actor, session_id, detail])).toEqual([
      [olga.agentId, id, { op: 'search_sessions' }],
    ]);
    expect(JSON.stringify(looks)).not.toContain('needle');
    await world.answer(world.hub.revoke('olga', ['observe']));
    expect(await search(world, olga, 'needle')).toEqual([]);
  });

  it('[SR5] searches only sessions of a type, state, labels or participant', async () => {
    const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol']);
    const one = await opened(world, alice, [bob], { labels: { team: 'red', room: '1' } });
    const two = await opened(world, alice, [bob, carol], { type: 'panel', labels: { team: 'red' } });
    const three = await opened(world, alice, [carol]);
    for (const id of [one, two, three]) await say(world, alice, id, 'needle');
    await world.answer(alice.call('close_session', { session_id: three }));
    const sessions = async (more: Asked) => (await pages(world, alice, 'needle', more)).flat().map((m) => m.session_id);
    expect(await sessions({})).toEqual([three, two, one]);
    expect(await sessions({ type: 'panel' })).toEqual([two]);
    expect(await sessions({ states: ['CLOSED'] })).toEqual([three]);
    expect(await sessions({ states: ['ACTIVE'] })).toEqual([two, one]);
    expect(await sessions({ labels: { team: 'red' } })).toEqual([two, one]);
    expect(await sessions({ labels: { team: 'red', room: '1' } })).toEqual([one]);
    expect(await sessions({ participant: 'bob' })).toEqual([two, one]);
    expect(await sessions({ participant: carol.agentId, states: ['ACTIVE'] })).toEqual([two]);
    expect(await sessions({ participant: 'nobody' })).toEqual([]);
    await world.answer(world.hub.grant('alice', ['observe']));
    expect(await sessions({ participant: 'bob' })).toEqual([two, one]);
  });

  it('[SR6] searches a part per call, returns a cursor even without a match, and finds each match once', async () => {
    const { world, alice, bob, id } = await aConversation({ maxSearchEntries: 5 });
    const expected: string[] = [];
    for (let i = 0; i < 30; i++) {
      const { seq } = await say(world, i % 2 === 0 ? alice : bob, id, i % 10 === 3 ? 'needle' : 'hay');
      if (i % 10 === 3) expected.unshift(`${id} ${seq}`);
    }
    const read = world.store.read.bind(world.store);
    let most = 0;
    let entries = 0;
    world.store.read = async (...args) => {
      const found = await read(...args);
      entries += found.length;
      most = Math.max(most, found.length);
      return found;
    };
    const all = await pages(world, alice, 'needle');
    expect(all.flat().map(({ session_id, seq }) => `${session_id} ${seq}`)).toEqual(expected);
    expect(all.length).toBeGreaterThan(6);
    expect(all.some((page) => page.length === 0)).toBe(true);
    expect(most).toBeLessThanOrEqual(5);
    expect(entries).toBeLessThan(45);
    for (const limit of [1, 2]) expect(await search(world, alice, 'needle', { limit })).toEqual(expected);
  });

  it('[SR6] continues after any session of any page, and yields in between', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const expected: string[] = [];
    for (let i = 0; i < 130; i++) {
      const id = await opened(world, alice, [bob]);
      const { seq } = await say(world, alice, id, i % 3 === 0 ? 'needle' : 'hay');
      if (i % 3 === 0) expected.unshift(`${id} ${seq}`);
    }
    for (const limit of [1, 7, 100]) {
      const found: string[] = [];
      for (let after: string | undefined; ; ) {
        const asked = alice.call('search_sessions', { query: 'needle', limit, after });
        // Time passes.
        for (let i = 0; i < 4; i++) await world.pass(1);
        const { matches, next } = await world.answer(asked);
        found.push(...matches.map(({ session_id, seq }) => `${session_id} ${seq}`));
        if (next === null) break;
        after = next;
      }
      expect(found).toEqual(expected);
    }
  });

  it('[SR6] yields after enough sessions, even if none matches', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    for (let i = 0; i < 130; i++) await opened(world, alice, [bob]);
    let isDone = false;
    const asked = alice.call('search_sessions', { query: 'needle', type: 'panel' }).then((page) => {
      isDone = true;
      return page;
    });
    await world.settle();
    // It yields, and no tick comes while time stands still.
    expect(isDone).toBe(false);
    await world.pass(1);
    expect(isDone).toBe(true);
    expect(await asked).toEqual({ matches: [], next: null });
  });

  it('[SR5, SR6] uses its cursor only in matching sessions', async () => {
    const { world, alice, id } = await aConversation();
    for (const words of ['needle one', 'needle two']) await say(world, alice, id, words);
    const { next } = await world.answer(alice.call('search_sessions', { query: 'needle', limit: 1 }));
    const goOn = async (more: Asked) =>
      (await world.answer(alice.call('search_sessions', { query: 'needle', after: next ?? '', ...more }))).matches;
    expect(await goOn({})).toHaveLength(1);
    for (const more of [{ type: 'panel' }, { states: ['CLOSED'] }, { labels: { a: 'b' } }] as const) {
      expect(await goOn(more)).toEqual([]);
    }
  });

  it('[SR1, RC6] finds posts before the damage of a log; damage found by reading, in the next call', async () => {
    const store = new DamagedStore();
    const { world, alice, bob, id } = await aConversation({}, { store });
    for (let i = 0; i < 80; i++) await say(world, i % 2 === 0 ? alice : bob, id, `needle ${i}`);
    const expected = Array.from({ length: 30 }, (_, i) => `${id} ${34 - i}`);
    world.hub.evictIdle();
    store.hideDamageFrom(id, 35);
    expect(await search(world, alice, 'needle', { limit: 100 })).toEqual([]);
    expect(await search(world, alice, 'needle', { limit: 100 })).toEqual(expected);
    const other = await opened(world, alice, [bob]);
    const { seq } = await say(world, alice, other, 'needle');
    store.damageFrom(other, seq + 1);
    expect(await search(world, alice, 'needle', { limit: 100 })).toEqual([`${other} ${seq}`, ...expected]);
  });

  it('[SR6] stops after enough text, in however few envelopes', async () => {
    const { world, alice, bob, id } = await aConversation({ maxSearchText: 1000 });
    for (let i = 0; i < 150; i++) await say(world, i % 2 === 0 ? alice : bob, id, 'x'.repeat(100));
    expect((await pages(world, alice, 'needle')).length).toBeGreaterThan(2);
  });

  it('[SR6] neither repeats nor misses matches if sessions are opened in between', async () => {
    const { world, alice, bob, id } = await aConversation({ maxSearchEntries: 3 });
    const { seq } = await say(world, alice, id, 'needle');
    const found: string[] = [];
    for (let after: string | undefined; ; ) {
      const page = await world.answer(alice.call('search_sessions', { query: 'needle', after }));
      found.push(...page.matches.map((match) => `${match.session_id} ${match.seq}`));
      if (page.next === null) break;
      after = page.next;
      if (found.length < 3) await say(world, alice, await opened(world, alice, [bob]), 'needle');
    }
    expect(found).toEqual([`${id} ${seq}`]);
  });

  it('[SR1] finds the same in loaded, evicted and ended sessions, and after a restart', async () => {
    const { world, alice, bob, id } = await aConversation();
    await say(world, alice, id, 'needle');
    const ended = await opened(world, alice, [bob]);
    await say(world, alice, ended, 'needle');
    await world.answer(alice.call('close_session', { session_id: ended }));
    const expected = await search(world, bob, 'needle');
    expect(expected).toHaveLength(2);
    world.hub.evictIdle();
    expect(await search(world, bob, 'needle')).toEqual(expected);
    await world.restart();
    expect(await search(world, await world.peer('bob'), 'needle')).toEqual(expected);
  });

  it('[SR4] does not search the manifest of a session', async () => {
    const { world, alice } = await aConversation();
    expect(await search(world, alice, 'conversation')).toEqual([]);
  });

  it.each([
    [{ query: '' }, 'params.query'],
    [{ query: ' \n' }, 'params.query'],
    [{ query: 'x'.repeat(257) }, 'params.query'],
    [{ query: '?!', match: 'words' }, 'params.query'],
    [{ query: 'x', match: 'regex' }, 'params.match'],
    [{ query: 'x', limit: 101 }, 'params.limit'],
    [{ query: 'x', after: 'nonsense' }, 'params.after'],
    [{ query: 'x', after: '~' }, 'params.after'],
    [{ query: 'x', labels: { a: 1 } }, 'params.labels.a'],
  ])('[SR4, SR6] rejects %j by field', async (params, field) => {
    const { world, alice } = await aConversation();
    await refused(world, alice.call('search_sessions', params as never), 'bad_frame', field);
  });

  it('[SR6] runs two searches at a time; the others wait', async () => {
    const { world, alice, id } = await aConversation();
    await say(world, alice, id, 'needle');
    const read = world.store.read.bind(world.store);
    let [reading, most] = [0, 0];
    world.store.read = async (...args) => {
      reading += 1;
      most = Math.max(most, reading);
      await new Promise((resolve) => setImmediate(resolve));
      reading -= 1;
      return read(...args);
    };
    const asked = Array.from({ length: 8 }, () => alice.call('search_sessions', { query: 'needle' }));
    for (const page of await Promise.all(asked)) expect(page.matches).toHaveLength(1);
    expect(most).toBe(2);
  });
});

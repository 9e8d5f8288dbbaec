import { describe, expect, it } from 'vitest';
import type { Params, Result } from '../../../src/core/protocol/operations/operations.ts';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { aWorld, leave, logOf, refusal, refused, sessionOf } from '../scene.ts';

/** alice, bob and maria; bob is disconnected. */
async function some(): Promise<{ world: World; alice: Peer }> {
  const world = await aWorld();
  const alice = await world.peer('alice');
  const bob = world.stranger();
  await world.answer(bob.call('register', { name: 'bob', owner: 'Ops', provider: 'ACME', model: 'm-1' }));
  await world.answer(
    bob.call('set_resume', {
      claimed_capabilities: ['Review', 'test'],
      domains: ['Rust'],
      summary: 'I read patches.',
      examples: ['Look at my diff'],
    }),
  );
  const maria = world.stranger();
  await world.answer(maria.call('register', { name: 'maria', kind: 'human' }));
  await world.answer(maria.call('set_resume', { claimed_capabilities: ['approve', 'review'], domains: ['law'] }));
  await world.answer(maria.call('set_skill', { text: '---\ndescription: Signs contracts.\n---\n' }));
  await leave(world, bob);
  return { world, alice };
}

async function find(world: World, peer: Peer, params: Params<'find_agent'>): Promise<readonly string[]> {
  const names: string[] = [];
  for (let after: string | null | undefined = params.after; after !== null; ) {
    const page: Result<'find_agent'> = await world.answer(peer.call('find_agent', { ...params, after }));
    names.push(...page.agents.map(({ name }) => name));
    after = page.next;
  }
  return names;
}

describe('find_agent', () => {
  it('[ID7] returns passport, a short profile, and whether the agent is bound', async () => {
    const { world, alice } = await some();
    const { agents, next } = await world.answer(alice.call('find_agent', { capability: 'test' }));
    expect({ agents, next }).toEqual({
      agents: [
        {
          agent_id: expect.stringMatching(/^[0-9a-f]{32}$/),
          name: 'bob',
          kind: 'agent',
          owner: 'Ops',
          provider: 'ACME',
          model: 'm-1',
          cost: null,
          region: null,
          created_at: '2026-01-01T00:00:00.000Z',
          resume: {
            claimed_capabilities: ['Review', 'test'],
            domains: ['Rust'],
            summary: 'I read patches.',
            version: 1,
          },
          bound: false,
        },
      ],
      next: null,
    });
  });

  it('[MC14] an agent that makes requests counts as connected for a minute', async () => {
    const { world, alice } = await some();
    const [bob] = (await world.answer(alice.call('find_agent', { text: 'bob' }))).agents;
    world.hub.looksIn(bob?.agent_id ?? '');
    await world.pass(59_999);
    expect(await find(world, alice, { bound: true })).toEqual(['alice', 'bob', 'maria']);
    await world.pass(1);
    expect(await find(world, alice, { bound: true })).toEqual(['alice', 'maria']);
  });

  const searches: readonly [string, Params<'find_agent'>, readonly string[]][] = [
    ['all agents', {}, ['alice', 'bob', 'maria']],
    ['a capability, in any case', { capability: 'REVIEW' }, ['bob', 'maria']],
    ['no part of a capability', { capability: 'revie' }, []],
    ['a kind', { kind: 'human' }, ['maria']],
    ['a domain, in any case', { domain: 'rust' }, ['bob']],
    ['bound agents', { bound: true }, ['alice', 'maria']],
    ['unbound agents', { bound: false }, ['bob']],
    ['text in a name', { text: 'ARI' }, ['maria']],
    ['text in an owner', { text: 'ops' }, ['bob']],
    ['text in a provider', { text: 'acm' }, ['bob']],
    ['text in a model', { text: 'M-1' }, ['bob']],
    ['text in a summary', { text: 'patch' }, ['bob']],
    ['text in a capability', { text: 'appro' }, ['maria']],
    ['text in a domain', { text: 'RUS' }, ['bob']],
    ['text in an example', { text: 'my DIFF' }, ['bob']],
    ['text in the description of a skill', { text: 'contracts' }, ['maria']],
    ['no text across two', { text: 'Review\ntest' }, []],
    ['no text of no agent', { text: 'null' }, []],
    [
      'agents that match every filter',
      { capability: 'review', kind: 'human', domain: 'law', bound: true, text: 'sign' },
      ['maria'],
    ],
    ['nobody, if one filter fails', { capability: 'review', kind: 'human', domain: 'rust' }, []],
    ['after a name', { after: 'b' }, ['bob', 'maria']],
  ];

  it.each(searches)('[ID7] finds %s', async (_what, params, expected) => {
    const { world, alice } = await some();
    expect(await find(world, alice, params)).toEqual(expected);
  });

  it('[ID7, OP1] returns pages of every size, each agent once', async () => {
    const world = await aWorld();
    const names = ['eve', 'bob', 'dave', 'alice', 'carol'];
    for (const name of names) await world.peer(name);
    const asker = await world.peer('alice');
    for (let limit = 1; limit <= 6; limit++) {
      expect(await find(world, asker, { limit })).toEqual([...names].sort());
      expect(await find(world, asker, { limit, text: 'e' })).toEqual(['alice', 'dave', 'eve']);
    }
  });

  it('[ID7] is stable when agents come and go between two pages', async () => {
    const world = await aWorld();
    const peers = new Map<string, Peer>();
    for (const name of ['alice', 'bob', 'carol', 'dave', 'eve']) peers.set(name, await world.peer(name));
    const alice = await world.peer('alice');
    const first = await world.answer(alice.call('find_agent', { limit: 2 }));
    expect([first.agents.map(({ name }) => name), first.next]).toEqual([['alice', 'bob'], 'bob']);
    await world.peer('anna');
    await world.peer('cleo');
    await world.answer((peers.get('bob') as Peer).call('unregister', {}));
    await world.answer((peers.get('dave') as Peer).call('unregister', {}));
    expect(await find(world, alice, { limit: 2, after: 'bob' })).toEqual(['carol', 'cleo', 'eve']);
    expect(await find(world, alice, { limit: 2 })).toEqual(['alice', 'anna', 'carol', 'cleo', 'eve']);
  });

  it('[ID7] ends a page at the byte limit, with at least one agent', async () => {
    const world = await aWorld({ maxResponseBytes: 2000 });
    for (const name of ['bob', 'carol', 'dave']) {
      const peer = await world.peer(name);
      await world.answer(peer.call('set_resume', { summary: 'x'.repeat(name === 'carol' ? 2048 : 500) }));
    }
    const asker = await world.peer('alice');
    const pages: string[][] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const page = await world.answer(asker.call('find_agent', { after }));
      pages.push(page.agents.map(({ name }) => name));
      after = page.next;
    }
    expect(pages).toEqual([['alice', 'bob'], ['carol'], ['dave']]);
    expect((await world.answer(asker.call('list_agents', {}))).agents).toHaveLength(4);
  });

  it('[OP1] list_agents ends a page at the byte limit too', async () => {
    const world = await aWorld({ maxResponseBytes: 800 });
    for (const name of ['alice', 'bob', 'carol', 'dave', 'eve']) await world.peer(name);
    const asker = await world.peer('alice');
    const listed: string[] = [];
    let pages = 0;
    for (let after: string | null | undefined; after !== null; pages++) {
      const page = await world.answer(asker.call('list_agents', { after }));
      listed.push(...page.agents.map(({ name }) => name));
      after = page.next;
    }
    expect([listed, pages]).toEqual([['alice', 'bob', 'carol', 'dave', 'eve'], 2]);
  });

  it('[ID7, L8] answers a search without matches in portions that continue with next', async () => {
    const world = await aWorld({ maxOpenRequests: 10_000, maxIdentities: 10_000 });
    const crowd = world.stranger();
    const names = Array.from({ length: 2500 }, (_, i) => `agent${String(i).padStart(4, '0')}`);
    await world.answer(Promise.all(names.map((name) => crowd.call('register', { name }))));
    const asker = await world.peer('zoe');
    const first = await world.answer(asker.call('find_agent', { text: 'zoe' }));
    expect(first).toEqual({ agents: [], next: 'agent1999' });
    expect(await find(world, asker, { text: 'zoe' })).toEqual(['zoe']);
    expect(await find(world, asker, { text: 'nowhere' })).toEqual([]);
    expect(await find(world, asker, { limit: 1000 })).toEqual([...names, 'zoe']);
  });

  it('[ID7] does not find an unregistered identity, also after a restart', async () => {
    const { world, alice } = await some();
    const maria = await world.peer('maria');
    await world.answer(maria.call('unregister', {}));
    expect(await find(world, alice, { capability: 'review' })).toEqual(['bob']);
    await world.restart();
    expect(await find(world, await world.peer('alice'), { text: 'a' })).toEqual(['alice', 'bob']);
  });

  it('[OP2] requires a binding', async () => {
    const { world } = await some();
    await refused(world, world.stranger().call('find_agent', {}), 'unauthenticated');
  });
});

describe('a participant named by capability', () => {
  /** Which agent offers what; agents in brackets are disconnected. */
  async function offering(...offers: readonly [string, string][]) {
    const world = await aWorld();
    const alice = await world.peer('alice');
    for (const [name, capability] of offers) {
      const peer = name === 'alice' ? alice : await world.peer(name.replace(/[()]/g, ''));
      await world.answer(peer.call('set_resume', { claimed_capabilities: [capability] }));
      if (name.startsWith('(')) await leave(world, peer);
    }
    const create = (...participants: Params<'create_session'>['participants']) =>
      alice.call('create_session', { type: 'panel', participants, wait: 'created' });
    const chosen = async (...participants: Params<'create_session'>['participants']) =>
      (await world.answer(create(...participants))).session.participants.map(({ name }) => name);
    return { world, alice, create, chosen };
  }

  it('[ID8] is the first bound agent by name, else the first unbound one', async () => {
    const { world, chosen } = await offering(
      ['(anna)', 'review'],
      ['carol', 'REVIEW'],
      ['bob', 'Review'],
      ['dave', 'test'],
    );
    expect(await chosen({ capability: 'review' })).toEqual(['alice', 'bob']);
    await leave(world, await world.peer('bob'));
    expect(await chosen({ capability: 'review' })).toEqual(['alice', 'carol']);
    await leave(world, await world.peer('carol'));
    expect(await chosen({ capability: 'review' })).toEqual(['alice', 'anna']);
  });

  it('[ID8] is neither the creator nor a listed agent, before or after it', async () => {
    const { chosen } = await offering(['alice', 'review'], ['bob', 'review'], ['carol', 'review'], ['dave', 'review']);
    expect(await chosen({ capability: 'review' }, 'bob')).toEqual(['alice', 'carol', 'bob']);
    const both = await chosen('bob', { capability: 'review' }, { capability: 'review' });
    expect(both).toEqual(['alice', 'bob', 'carol', 'dave']);
    expect(await chosen({ capability: 'review' }, 'alice')).toEqual(['bob', 'alice']);
  });

  it('[ID8, RE1] rejects the creation by its field if nobody offers it, and leaves nothing behind', async () => {
    const { world, alice, create } = await offering(['alice', 'review'], ['bob', 'review']);
    const logs = world.store.logIds();
    for (const [participants, field, offered] of [
      [[{ capability: 'fly' }], 'params.participants.0', 'fly'],
      [['bob', { capability: 'review' }], 'params.participants.1', 'review'],
      [[{ capability: 'review' }, { capability: 'review' }], 'params.participants.1', 'review'],
    ] as const) {
      expect(await refusal(world, create(...participants))).toEqual({
        code: 'invalid_create',
        message: `${field}: no other agent offers "${offered}"`,
        details: { field, received: offered },
      });
    }
    for (const wrong of [{}, { capability: '' }, { capability: 'a', name: 'bob' }, 7]) {
      const frame = await world.answer(alice.ask('create_session', { type: 'panel', participants: [wrong] }));
      expect(frame).toMatchObject({ ok: false, error: { code: 'bad_frame' } });
    }
    expect(world.store.logIds()).toEqual(logs);
  });

  it('[ID8, RE7] is stored as an id, whoever offers it later', async () => {
    const { world, alice, create } = await offering(['carol', 'review']);
    const { session } = await world.answer(create({ capability: 'review' }));
    expect(JSON.stringify(logOf(world.store, session.session_id))).not.toContain('capability');
    const anna = await world.peer('anna');
    await world.answer(anna.call('set_resume', { claimed_capabilities: ['review'] }));
    await world.restart();
    const again = await world.peer('alice');
    const { participants } = await sessionOf(world, again, session.session_id);
    expect(participants.map(({ name }) => name)).toEqual(['alice', 'carol']);
    expect(alice.agentId).toBe(again.agentId);
  });

  it('[ID8, LC12] is not an agent that is unregistering', async () => {
    const { world, create } = await offering(['bob', 'review'], ['carol', 'review']);
    const bob = await world.peer('bob');
    world.hold = true;
    void bob.call('unregister', {});
    const created = create({ capability: 'review' });
    await world.settle();
    world.hold = false;
    expect((await world.answer(created)).session.participants.map(({ name }) => name)).toEqual(['alice', 'carol']);
  });

  it('[ID8, AM12] a creation repeated under its key returns the same session', async () => {
    const { world, alice } = await offering(['carol', 'review']);
    const ask = () =>
      world.answer(
        alice.call('create_session', {
          type: 'panel',
          participants: [{ capability: 'review' }],
          wait: 'created',
          idempotency_key: 'k',
        }),
      );
    const first = await ask();
    const bob = await world.peer('bob');
    await world.answer(bob.call('set_resume', { claimed_capabilities: ['review'] }));
    expect(await ask()).toEqual({ ...first, duplicate: true });
  });
});

import { describe, expect, it } from 'vitest';
import { REGISTRY_LOG } from '../../../src/core/ports/store.ts';
import { StagedValue } from '../../../src/hub/registry/identities.ts';
import {
  aCast,
  aConversation,
  aWorld,
  leave,
  lines,
  logOf,
  opened,
  rebind,
  refusal,
  refused,
  releaseHold,
  SECOND,
  watch,
} from '../scene.ts';

describe('register', () => {
  it('[RE5, OP2] creates an identity, welcomes it and binds it', async () => {
    const world = await aWorld();
    const peer = world.stranger();
    const described = { owner: 'ops', provider: 'acme', model: 'm1', cost: 'low', region: 'eu' } as const;
    const claim = { name: 'alice', kind: 'human', ...described } as const;
    const passport = await world.answer(peer.call('register', claim));
    expect(passport).toEqual({ ...claim, agent_id: peer.agentId, created_at: '2026-01-01T00:00:00.000Z' });
    expect(passport.agent_id).toMatch(/^[0-9a-f]{32}$/);
    expect(peer.frames).toMatchObject([{ kind: 'welcome', name: 'alice', agent_id: passport.agent_id }]);
    expect(world.hub.health()).toMatchObject({ bound: 1 });
    const plain = await world.answer(world.stranger().call('register', { name: 'bob' }));
    expect(plain).toMatchObject({ kind: 'agent', owner: null, provider: null, model: null, cost: null, region: null });
  });

  it('[RE5, RE1] accepts names of the pattern, and never the hub’s', async () => {
    const world = await aWorld();
    const peer = world.stranger();
    for (const name of ['', 'hub', 'Alice', '-a', 'a b', 'ä', 'a'.repeat(65), 7, null, undefined]) {
      const frame = await world.answer(peer.ask('register', { name }));
      expect(frame).toMatchObject({ ok: false, error: { code: 'bad_frame', details: { field: 'params.name' } } });
    }
    for (const name of ['a', '0', 'a.b_c-d', 'a'.repeat(64)]) {
      expect((await world.answer(peer.call('register', { name }))).name).toBe(name);
    }
  });

  it('[LC12, L7] gives a name once', async () => {
    const world = await aWorld();
    await world.peer('alice');
    const log = logOf(world.store, REGISTRY_LOG);
    const peer = world.stranger();
    expect(await refusal(world, peer.call('register', { name: 'alice' }))).toEqual({
      code: 'conflict',
      message: 'name "alice" is taken; it is registered already: say hello to bind it',
      details: { field: 'name', received: 'alice' },
    });
    expect([peer.agentId, logOf(world.store, REGISTRY_LOG)]).toEqual(['', log]);
  });

  it('[LC12, L1] gives the name to one of several, and rejects the others once that is durable', async () => {
    const world = await aWorld();
    world.hold = true;
    const peers = Array.from({ length: 4 }, () => world.stranger());
    const calls = peers.map((peer) => watch(peer.call('register', { name: 'alice' })));
    await world.settle();
    expect(calls.map(({ state }) => state)).toEqual(['open', 'open', 'open', 'open']);
    // The name does not exist before it is durable.
    const early = await rebind(world, 'alice');
    expect(early.frames).toMatchObject([{ kind: 'error', error: { code: 'unauthenticated' } }]);
    await releaseHold(world);
    expect(calls.map(({ state }) => state)).toEqual(['answered', 'refused', 'refused', 'refused']);
    expect(calls.slice(1).map(({ value }) => (value as { code: string }).code)).toEqual(Array(3).fill('conflict'));
    expect(logOf(world.store, REGISTRY_LOG)).toHaveLength(1);
  });

  it('[L1] can be repeated after it was lost in a crash', async () => {
    for (const kept of [true, false]) {
      const world = await aWorld();
      world.hold = true;
      void world.stranger().call('register', { name: 'alice' });
      await world.settle();
      world.hold = false;
      await world.crash(() => kept);
      const frame = await world.answer(world.stranger().ask('register', { name: 'alice' }));
      expect(frame.ok).toBe(!kept);
      expect((await world.peer('alice')).agentId).not.toBe('');
    }
  });
});

describe('unregister', () => {
  it('[LC12] retires the identity: unbound, not listed, unable to return, its name never given again', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    expect(await world.answer(bob.call('unregister', { name: 'bob' }))).toEqual({ agent_id: bob.agentId });
    expect(bob.frames.at(-1)).toEqual({ kind: 'goodbye', reason: 'unregistered', recipient_id: bob.agentId });
    expect(bob.closed).toBe(false);
    for (const restart of [false, true]) {
      if (restart) await world.restart();
      const asker = restart ? await world.peer('alice') : alice;
      const { agents } = await world.answer(asker.call('list_agents', {}));
      expect(agents.map(({ name }) => name)).toEqual(['alice']);
      const again = await rebind(world, 'bob');
      expect(again.frames).toMatchObject([{ kind: 'error', error: { code: 'unauthenticated' } }]);
      expect(await refusal(world, again.call('register', { name: 'bob' }))).toMatchObject({
        code: 'conflict',
        message: 'name "bob" is taken; it belonged to an identity that was retired',
      });
    }
  });

  it('[L7, LC12] is allowed for oneself only', async () => {
    const world = await aWorld();
    const alice = await world.peer('alice');
    await world.peer('bob');
    await refused(world, alice.call('unregister', { name: 'bob' }), 'forbidden');
    expect((await world.answer(alice.call('list_agents', {}))).agents).toHaveLength(2);
  });

  it('[LC12] leaves live sessions first, then retires: their logs change before the registry’s', async () => {
    const { world, alice, bob, id } = await aConversation();
    const carol = await world.peer('carol');
    const other = await opened(world, bob, [carol]);
    const order: string[] = [];
    world.hub.on('envelopePosted', ({ envelope }) => {
      if (envelope.event_type === 'session.participant.removed') order.push(envelope.session_id);
    });
    world.hub.on('agentUnregistered', ({ passport }) => order.push(passport.name));
    world.hub.on('agentUnbound', ({ name }) => order.push(`${name} unbound`));
    await world.answer(bob.call('unregister', {}));
    expect(order).toEqual([other, id, 'bob', 'bob unbound']);
    expect(lines(logOf(world.store, REGISTRY_LOG), ['bob', bob]).at(-1)).toBe(
      '4 agent.unregistered {"agent_id":"bob"}',
    );
    expect(alice.closed).toBe(false);
  });

  it('[LC12] interrupted by a crash can be repeated', async () => {
    const { world, bob, id } = await aConversation();
    world.hold = true;
    void bob.call('unregister', {});
    await world.settle();
    world.hold = false;
    // Removed from its session, but not retired.
    await world.crash((logId) => logId === id);
    expect(lines(logOf(world.store, id)).at(-1)).toContain('below_minimum');
    const again = await world.peer('bob');
    expect(again.agentId).toBe(bob.agentId);
    await world.answer(again.call('unregister', {}));
    const alice = await world.peer('alice');
    expect((await world.answer(alice.call('list_agents', {}))).agents.map(({ name }) => name)).toEqual(['alice']);
  });
});

describe('list_agents', () => {
  it('[OP1] lists by name in pages of every size', async () => {
    const world = await aWorld();
    const names = ['eve', 'bob', 'dave', 'alice', 'carol'];
    for (const name of names) await world.peer(name);
    const asker = await world.peer('alice');
    for (let limit = 1; limit <= 6; limit++) {
      const listed: string[] = [];
      let after: string | null = null;
      do {
        const at: { after?: string } = after === null ? {} : { after };
        const page = await world.answer(asker.call('list_agents', { limit, ...at }));
        expect(page.agents.length).toBeLessThanOrEqual(limit);
        listed.push(...page.agents.map(({ name }) => name));
        after = page.next;
      } while (after !== null);
      expect(listed).toEqual([...names].sort());
    }
  });

  it('[L3] returns the same passports after a restart', async () => {
    const world = await aWorld();
    await world.answer(world.stranger().call('register', { name: 'bob', kind: 'human', owner: 'ops' }));
    const before = await world.answer((await world.peer('alice')).call('list_agents', {}));
    await world.crash();
    expect(await world.answer((await world.peer('alice')).call('list_agents', {}))).toEqual(before);
  });
});

describe('list_sessions', () => {
  it('[OP1, L7] lists the caller’s sessions, newest first, by state and type, in pages', async () => {
    const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol']);
    const ids: string[] = [];
    for (const type of ['conversation', 'consulting', 'conversation', 'panel'] as const) {
      ids.push(await opened(world, alice, [bob], { type, labels: { n: type } }));
      await world.pass(SECOND);
    }
    await opened(world, bob, [carol]);
    await world.answer(alice.call('close_session', { session_id: ids[0] ?? '', reason: 'done' }));
    const list = async (params: object) => {
      const found: string[] = [];
      let next: string | null = null;
      do {
        const at: object = next === null ? {} : { after: next };
        const page = await world.answer(alice.call('list_sessions', { limit: 2, ...params, ...at }));
        found.push(...page.sessions.map(({ session_id }) => session_id));
        next = page.next;
      } while (next !== null);
      return found.map((id) => ids.indexOf(id));
    };
    expect(await list({})).toEqual([3, 2, 1, 0]);
    expect(await list({ type: 'conversation' })).toEqual([2, 0]);
    expect(await list({ states: ['ACTIVE'] })).toEqual([3, 2, 1]);
    expect(await list({ states: ['CLOSED'], type: 'conversation' })).toEqual([0]);
    expect(await list({ states: ['CLOSED'], ended_since: '2026-01-01T00:00:04.000Z' })).toEqual([0]);
    expect(await list({ states: ['CLOSED'], ended_since: '2026-01-01T00:00:04.001Z' })).toEqual([]);
    expect(await list({ changed_since: '2026-01-01T00:00:04.000Z' })).toEqual([0]);
    expect(await list({ changed_since: '2026-01-01T00:00:04.001Z' })).toEqual([]);
    const { sessions } = await world.answer(alice.call('list_sessions', { states: ['CLOSED'] }));
    expect(sessions).toEqual([
      {
        session_id: ids[0],
        type: 'conversation',
        state: 'CLOSED',
        creator_id: alice.agentId,
        created_at: '2026-01-01T00:00:00.000Z',
        changed_at: '2026-01-01T00:00:04.000Z',
        closed_at: '2026-01-01T00:00:04.000Z',
        close_reason: 'done',
        labels: { n: 'conversation' },
        head_seq: 6,
        turn: null,
      },
    ]);
    await leave(world, alice);
  });
});

it('[ID1, ID6] keeps only the newest durable version, and staged ones after it', () => {
  const versions = new StagedValue<string>();
  expect([versions.newest, versions.at(9)]).toEqual([null, null]);
  versions.set(1, 'one', 0);
  versions.set(3, 'three', 0);
  expect([versions.at(0), versions.at(1), versions.at(2), versions.at(3)]).toEqual([null, 'one', 'one', 'three']);
  // Both are durable now: nobody reads the first any more.
  versions.set(5, 'five', 3);
  expect([versions.at(2), versions.at(3), versions.at(5), versions.newest]).toEqual([null, 'three', 'five', 'five']);
  versions.forgetAfter(3);
  expect([versions.at(9), versions.newest]).toEqual(['three', 'three']);
});

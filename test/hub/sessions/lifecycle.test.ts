import { describe, expect, it } from 'vitest';
import type { Envelope } from '../../../src/core/records/session/envelope.ts';
import {
  aCast,
  aConversation,
  ack,
  aWorld,
  DAY,
  invited,
  leap,
  logOf,
  MINUTE,
  opened,
  refused,
  SECOND,
  say,
  sessionOf,
  standing,
  text,
  types,
} from '../scene.ts';

/** The parts of an envelope that do not differ from run to run. */
function unstamped({ envelope_id, seq, created_at, session_id, ...rest }: Envelope) {
  expect([envelope_id, session_id].every((id) => /^[0-9a-f]{32}$/.test(id))).toBe(true);
  return { seq, created_at, ...rest };
}

const fromHub = {
  sender_id: 'hub',
  audience: null,
  causation_id: null,
  task_id: null,
  traceparent: null,
  priority: 'normal',
  depth: 0,
  idempotency_key: null,
  ttl_seconds: null,
};

describe('a whole life', () => {
  it('[LC1, LC2, LC3, RE7] leads from created through active and closing to closed, in envelopes', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const id = await invited(world, alice, [bob], { labels: { team: 'blue' }, intent: 'plan' });
    await world.pass(SECOND);
    await world.answer(bob.call('ack_invite', { session_id: id }));
    await world.pass(SECOND);
    await say(world, alice, id, 'hello');
    await world.answer(bob.call('close_session', { session_id: id, reason: 'done' }));
    const [created, ...rest] = logOf(world.store, id).map(unstamped);
    expect(created).toMatchObject({
      ...fromHub,
      seq: 1,
      audience: [],
      event_type: 'session.created',
      created_at: '2026-01-01T00:00:00.000Z',
      event_data: {
        creator_id: alice.agentId,
        participants: [
          { agent_id: alice.agentId, name: 'alice', role: 'initiator', order: 0 },
          { agent_id: bob.agentId, name: 'bob', role: 'respondent', order: 1 },
        ],
        knobs: { close_by: 'any' },
        labels: { team: 'blue', intent: 'plan' },
        required_acks: 1,
        invite_deadline_at: '2026-01-01T00:00:30.000Z',
        expires_at: '2026-01-01T02:00:00.000Z',
        drain_timeout_ms: 5000,
        parent_session_id: null,
        depth: 0,
        versions: { adapter: 1 },
      },
    });
    const invite = {
      agent_id: bob.agentId,
      role: 'respondent',
      type: 'conversation',
      creator_id: alice.agentId,
      creator_name: 'alice',
      name: 'bob',
      order: 1,
      labels: { team: 'blue', intent: 'plan' },
    };
    const event = (seq: number, second: number, event_type: string, event_data: object, more: object = {}) => ({
      ...fromHub,
      seq,
      event_type,
      created_at: `2026-01-01T00:00:0${second}.000Z`,
      event_data,
      ...more,
    });
    expect(rest).toEqual([
      event(2, 0, 'session.invite', invite, { audience: [bob.agentId] }),
      event(3, 1, 'session.invite.ack', { agent_id: bob.agentId }, { audience: [alice.agentId] }),
      event(4, 1, 'session.opened', { active: [alice.agentId, bob.agentId] }),
      event(5, 2, 'msg.text', { text: 'hello' }, { sender_id: alice.agentId }),
      event(6, 2, 'session.closing', { reason: 'done', by: bob.agentId }),
      event(7, 2, 'session.closed', { reason: 'done' }),
    ]);
  });

  it('[LC1, RE7] passes through the same states in the metadata', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    bob.acks = false;
    const id = await invited(world, alice, [bob]);
    const asCreated = await sessionOf(world, alice, id);
    expect(asCreated).toMatchObject({
      session_id: id,
      creator_id: alice.agentId,
      state: 'INVITED',
      created_at: '2026-01-01T00:00:00.000Z',
      opened_at: null,
      expires_at: '2026-01-01T02:00:00.000Z',
      closed_at: null,
      close_reason: null,
      parent_session_id: null,
      depth: 0,
      knobs: { close_by: 'any' },
      labels: {},
      required_acks: 1,
      pending_acks: [bob.agentId],
      rejected_by: [],
      head_seq: 2,
      epoch: 1,
      participants: [
        {
          agent_id: alice.agentId,
          name: 'alice',
          role: 'initiator',
          order: 0,
          joined_at: '2026-01-01T00:00:00.000Z',
          status: 'active',
        },
        { agent_id: bob.agentId, name: 'bob', role: 'respondent', order: 1, joined_at: null, status: 'invited' },
      ],
    });
    await world.pass(SECOND);
    await world.answer(bob.call('ack_invite', { session_id: id }));
    const active = {
      ...asCreated,
      state: 'ACTIVE',
      opened_at: '2026-01-01T00:00:01.000Z',
      pending_acks: [],
      head_seq: 4,
      participants: asCreated.participants.map((one) =>
        one.name === 'bob' ? { ...one, status: 'active', joined_at: '2026-01-01T00:00:01.000Z' } : one,
      ),
    };
    expect(await sessionOf(world, bob, id)).toEqual(active);
    await world.answer(alice.call('close_session', { session_id: id, reason: 'done' }));
    const closing = { ...active, state: 'CLOSING', close_reason: 'done', head_seq: 5 };
    expect(await sessionOf(world, bob, id)).toEqual(closing);
    await world.pass(SECOND);
    await ack(world, bob, id, ...bob.seqs(id));
    const closed = { ...closing, state: 'CLOSED', closed_at: '2026-01-01T00:00:02.000Z', head_seq: 6 };
    expect(await sessionOf(world, bob, id)).toEqual(closed);
    await world.restart();
    expect(await sessionOf(world, await world.peer('bob'), id)).toEqual(closed);
  });

  it('[LC2] opens in the first unit if there is nobody to wait for', async () => {
    const world = await aWorld();
    const alice = await world.peer('alice');
    const { session } = await world.answer(
      alice.call('create_session', { type: 'monologue', participants: ['alice'] }),
    );
    expect(session).toMatchObject({ state: 'ACTIVE', required_acks: 0, pending_acks: [] });
    expect(types(logOf(world.store, session.session_id))).toEqual(['session.created', 'session.opened']);
  });

  it('[LC2] opens in the first unit with required_acks 0, and invitees still join', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob], { type: 'monologue', required_acks: 0 });
    expect(types(logOf(world.store, id))).toEqual(['session.created', 'session.invite', 'session.opened']);
    await world.answer(bob.call('ack_invite', { session_id: id }));
    expect(await standing(world, alice, id)).toBe('ACTIVE: alice active, bob active');
  });

  it('[LC2, LC8] keeps the whole first unit or nothing after a crash during creation', async () => {
    for (const kept of [true, false]) {
      const { world, alice, bob } = await aCast(['alice', 'bob', 'carol']);
      world.hold = true;
      void alice.call('create_session', { type: 'conversation', participants: ['bob'], wait: 'created' });
      await world.settle();
      world.hold = false;
      await world.crash(() => kept);
      const again = await world.peer('alice');
      const { sessions } = await world.answer(again.call('list_sessions', {}));
      expect(sessions.map(({ state, head_seq }) => [state, head_seq])).toEqual(kept ? [['INVITED', 2]] : []);
      expect(bob.notifies()).toEqual([]);
      const invitee = await world.peer('bob');
      expect(types(invitee.notifies().map(({ envelope }) => envelope))).toEqual(kept ? ['session.invite'] : []);
    }
  });
});

describe('CLOSED and EXPIRED', () => {
  it('[L6, LC6] are final: nothing is accepted, and closing again returns the first reason', async () => {
    const { world, alice, bob, id } = await aConversation();
    await world.answer(alice.call('close_session', { session_id: id, reason: 'first' }));
    const log = logOf(world.store, id);
    const ended = { state: 'CLOSED', close_reason: 'first' };
    expect(await world.answer(bob.call('close_session', { session_id: id, reason: 'second' }))).toEqual(ended);
    await refused(world, bob.call('post', text(id, 'x')), 'session_closed');
    await world.answer(bob.call('unregister', {}));
    await leap(world, DAY);
    await world.restart();
    await leap(world, DAY);
    expect(logOf(world.store, id)).toEqual(log);
  });
});

describe('parents and children', () => {
  async function family() {
    const { world, alice, bob, id: parent } = await aConversation();
    const child = await opened(world, alice, [bob], { parent_session_id: parent });
    const grandchild = await opened(world, bob, [alice], { parent_session_id: child });
    return { world, alice, bob, parent, child, grandchild };
  }

  it('[LC11] a child has its parent and its depth', async () => {
    const { world, alice, parent, child, grandchild } = await family();
    expect(await sessionOf(world, alice, child)).toMatchObject({ parent_session_id: parent, depth: 1 });
    expect(await sessionOf(world, alice, grandchild)).toMatchObject({ parent_session_id: child, depth: 2 });
    expect((await say(world, alice, grandchild, 'deep')).seq).toBe(5);
    expect(logOf(world.store, grandchild).at(-1)?.depth).toBe(2);
  });

  it('[LC11] the end of the parent closes all sessions below it, in any state', async () => {
    const { world, alice, bob, parent, child, grandchild } = await family();
    const pending = await invited(world, alice, [bob], { parent_session_id: parent });
    await world.answer(alice.call('close_session', { session_id: parent, wait: 'closed' }));
    await world.settle();
    for (const id of [child, grandchild, pending]) {
      expect(await standing(world, alice, id)).toMatch(/^CLOSED \(parent_closed\)/);
    }
  });

  it('[LC11] the end of a child does not affect its parent', async () => {
    const { world, alice, parent, child } = await family();
    await world.answer(alice.call('close_session', { session_id: child }));
    expect(await standing(world, alice, parent)).toMatch(/^ACTIVE/);
  });

  it('[LC11] a parent that expires closes its children', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob', 'carol']);
    const parent = await opened(world, alice, [bob], { ttl: '1m' });
    const child = await opened(world, alice, [bob], { parent_session_id: parent });
    await world.pass(MINUTE);
    expect(await standing(world, alice, parent)).toMatch(/^EXPIRED/);
    expect(await standing(world, alice, child)).toMatch(/^CLOSED \(parent_closed\)/);
  });

  it('[LC11] a child whose parent ended in a crash is closed at the start', async () => {
    const { world, alice, parent, child } = await family();
    world.hold = true;
    void alice.call('close_session', { session_id: parent });
    await world.settle();
    world.store.sync();
    await world.settle();
    // The parent's closed is kept, the children's closings are lost.
    world.hold = false;
    await world.crash((logId) => logId === parent);
    expect(types(logOf(world.store, parent)).at(-1)).toBe('session.closed');
    const again = await world.peer('alice');
    expect(await standing(world, again, child)).toMatch(/^CLOSED \(parent_closed\)/);
  });

  it('[LC11] a child created while its parent ended is closed too', async () => {
    const { world, alice, bob, id: parent } = await aConversation();
    world.hold = true;
    void alice.call('close_session', { session_id: parent });
    const create = alice.call('create_session', {
      type: 'conversation',
      participants: ['bob'],
      parent_session_id: parent,
      wait: 'created',
    });
    await world.settle();
    world.hold = false;
    const { session } = await world.answer(create);
    expect(await standing(world, bob, session.session_id)).toMatch(/^CLOSED \(parent_closed\)/);
  });
});

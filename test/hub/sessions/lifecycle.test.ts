import { describe, expect, it } from 'vitest';
import type { Envelope } from '../../../src/core/records/session/envelope.ts';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import {
  aCast,
  aConversation,
  aPanel,
  aWorld,
  DAY,
  HOUR,
  invited,
  leap,
  leave,
  lines,
  logOf,
  MINUTE,
  opened,
  rebind,
  refusal,
  SECOND,
  say,
  sessionOf,
  standing,
  text,
  types,
} from '../scene.ts';
import { SlowReads } from '../slow-stores.ts';

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

function last(world: World, id: string): string | undefined {
  return lines(logOf(world.store, id)).at(-1);
}

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
    expect(rest).toEqual([
      {
        ...fromHub,
        seq: 2,
        audience: [bob.agentId],
        event_type: 'session.invite',
        created_at: '2026-01-01T00:00:00.000Z',
        event_data: {
          agent_id: bob.agentId,
          role: 'respondent',
          type: 'conversation',
          creator_id: alice.agentId,
          creator_name: 'alice',
          name: 'bob',
          order: 1,
          labels: { team: 'blue', intent: 'plan' },
        },
      },
      {
        ...fromHub,
        seq: 3,
        audience: [alice.agentId],
        event_type: 'session.invite.ack',
        created_at: '2026-01-01T00:00:01.000Z',
        event_data: { agent_id: bob.agentId },
      },
      {
        ...fromHub,
        seq: 4,
        event_type: 'session.opened',
        created_at: '2026-01-01T00:00:01.000Z',
        event_data: { active: [alice.agentId, bob.agentId] },
      },
      {
        ...fromHub,
        seq: 5,
        sender_id: alice.agentId,
        event_type: 'msg.text',
        created_at: '2026-01-01T00:00:02.000Z',
        event_data: { text: 'hello' },
      },
      {
        ...fromHub,
        seq: 6,
        event_type: 'session.closing',
        created_at: '2026-01-01T00:00:02.000Z',
        event_data: { reason: 'done', by: bob.agentId },
      },
      {
        ...fromHub,
        seq: 7,
        event_type: 'session.closed',
        created_at: '2026-01-01T00:00:02.000Z',
        event_data: { reason: 'done' },
      },
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
    for (const seq of bob.seqs(id)) bob.receipt(id, seq);
    await world.settle();
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

describe('INVITED', () => {
  it('[LC3] the ack that completes the quorum opens the session in the same unit', async () => {
    const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob, carol], { type: 'panel' });
    expect(await world.answer(bob.call('ack_invite', { session_id: id }))).toEqual({ state: 'INVITED' });
    expect(await standing(world, alice, id)).toBe('INVITED: alice active, bob active, carol invited');
    world.hold = true;
    void carol.call('ack_invite', { session_id: id });
    await world.settle();
    expect(world.store.stagedUnits()).toBe(1);
    world.hold = false;
    await world.settle();
    expect(types(logOf(world.store, id)).slice(-2)).toEqual(['session.invite.ack', 'session.opened']);
    expect(await standing(world, alice, id)).toBe('ACTIVE: alice active, bob active, carol active');
  });

  it('[LC3] opens with a partial quorum, names the active participants, and lets late acks join', async () => {
    const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob, carol], { type: 'panel', required_acks: 1 });
    expect(await world.answer(carol.call('ack_invite', { session_id: id }))).toEqual({ state: 'ACTIVE' });
    const names = [['alice', alice] as const, ['bob', bob] as const, ['carol', carol] as const];
    expect(last(world, id)).toBe(`5 session.opened ${JSON.stringify({ active: [alice.agentId, carol.agentId] })}`);
    expect(await standing(world, alice, id)).toBe('ACTIVE: alice active, bob invited, carol active');
    await say(world, alice, id, 'before bob');
    expect(await world.answer(bob.call('ack_invite', { session_id: id }))).toEqual({ state: 'ACTIVE' });
    expect(lines(logOf(world.store, id), ...names).slice(-2)).toEqual([
      '7 session.invite.ack {"agent_id":"bob"}',
      '8 session.participant.joined {"agent_id":"bob","name":"bob","role":"participant","order":1}',
    ]);
    expect(bob.seqs(id)).toEqual([5, 6, 8]);
    expect(await standing(world, bob, id)).toBe('ACTIVE: alice active, bob active, carol active');
  });

  it('[LC3] a repeated ack gets the same answer', async () => {
    const { world, bob, id } = await aConversation();
    const before = logOf(world.store, id).length;
    expect(await world.answer(bob.call('ack_invite', { session_id: id }))).toEqual({ state: 'ACTIVE' });
    expect(logOf(world.store, id)).toHaveLength(before);
  });

  it('[LC3] only a pending invitee may answer', async () => {
    const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob, carol], { type: 'panel' });
    const byCreator = { code: 'protocol_error', details: { status: 'active' } };
    expect(await refusal(world, alice.call('ack_invite', { session_id: id }))).toMatchObject(byCreator);
    expect(await refusal(world, alice.call('reject_invite', { session_id: id }))).toMatchObject(byCreator);
    const dave = await world.peer('dave');
    for (const op of ['ack_invite', 'reject_invite'] as const) {
      expect(await refusal(world, dave.call(op, { session_id: id }))).toMatchObject({ code: 'not_found' });
    }
    await world.answer(bob.call('ack_invite', { session_id: id }));
    expect(await refusal(world, bob.call('reject_invite', { session_id: id }))).toMatchObject(byCreator);
    expect(await standing(world, alice, id)).toBe('INVITED: alice active, bob active, carol invited');
  });

  it('[LC4] a decline in a session for two ends it in the same unit', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const id = await invited(world, alice, [bob]);
    expect(await world.answer(bob.call('reject_invite', { session_id: id, reason: 'busy' }))).toEqual({
      state: 'CLOSED',
    });
    expect(lines(logOf(world.store, id), ['bob', bob]).slice(2)).toEqual([
      '3 session.invite.reject {"agent_id":"bob","reason":"busy"}',
      '4 session.closed {"reason":"invite_rejected"}',
    ]);
    expect(await sessionOf(world, alice, id)).toMatchObject({
      state: 'CLOSED',
      close_reason: 'invite_rejected',
      rejected_by: [bob.agentId],
      pending_acks: [],
    });
  });

  it('[LC4] a decline that leaves the quorum in reach removes only its sender', async () => {
    const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob, carol], { type: 'panel', required_acks: 1 });
    expect(await world.answer(bob.call('reject_invite', { session_id: id }))).toEqual({ state: 'INVITED' });
    expect(await standing(world, alice, id)).toBe('INVITED: alice active, bob rejected, carol invited');
    expect(last(world, id)).toContain('"reason":"declined"');
    expect(await world.answer(bob.call('reject_invite', { session_id: id }))).toEqual({ state: 'INVITED' });
    expect(await refusal(world, bob.call('ack_invite', { session_id: id }))).toMatchObject({ code: 'protocol_error' });
    await world.answer(carol.call('ack_invite', { session_id: id }));
    expect(await standing(world, alice, id)).toBe('ACTIVE: alice active, bob rejected, carol active');
  });

  it('[LC4] a decline after an ack may put the quorum out of reach', async () => {
    const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob, carol], { type: 'panel', required_acks: 2 });
    await world.answer(bob.call('ack_invite', { session_id: id }));
    expect(await world.answer(carol.call('reject_invite', { session_id: id }))).toEqual({ state: 'CLOSED' });
    expect(bob.notifies(id).at(-1)?.envelope.event_type).toBe('session.closed');
  });

  it('[LC4] a decline after the opening does not end the session', async () => {
    const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob, carol], { type: 'panel', required_acks: 1 });
    await world.answer(bob.call('ack_invite', { session_id: id }));
    expect(await world.answer(carol.call('reject_invite', { session_id: id }))).toEqual({ state: 'ACTIVE' });
    expect(await standing(world, alice, id)).toBe('ACTIVE: alice active, bob active, carol rejected');
  });

  it('[LC5, L9] closes with invite_timeout after 30 s without answers, once', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob]);
    await world.pass(29 * SECOND + 999);
    expect(await standing(world, alice, id)).toBe('INVITED: alice active, bob invited');
    await world.pass(1);
    expect(await standing(world, alice, id)).toBe('CLOSED (invite_timeout): alice active, bob invited');
    await world.pass(MINUTE);
    expect(types(logOf(world.store, id)).slice(2)).toEqual(['session.closed']);
    expect(await refusal(world, bob.call('ack_invite', { session_id: id }))).toMatchObject({
      code: 'session_closed',
      details: { session_id: id, state: 'CLOSED', close_reason: 'invite_timeout' },
    });
  });

  it('[LC5] an acks_within that closes sets deadline and reason', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob', 'carol']);
    const consulting = await invited(world, alice, [bob], { type: 'consulting', invite_timeout: '5m' });
    const expectations = [
      { name: 'acks_within', on_violation: 'warn', params: { seconds: 1 } },
      { name: 'acks_within', on_violation: 'auto_close', params: { seconds: 9 } },
      { name: 'acks_within', on_violation: 'auto_close', params: { seconds: 7 } },
    ];
    const own = await invited(world, alice, [bob], { expectations });
    await world.pass(7 * SECOND - 1);
    expect(await standing(world, alice, own)).toMatch(/^INVITED/);
    await world.pass(1);
    expect(await standing(world, alice, own)).toMatch(/^CLOSED \(expectation_violated:acks_within\)/);
    await world.pass(22 * SECOND);
    expect(await standing(world, alice, consulting)).toMatch(/^INVITED/);
    await world.pass(SECOND);
    expect(await standing(world, alice, consulting)).toMatch(/^CLOSED \(expectation_violated:acks_within\)/);
  });

  it('[LC5, L9] leaves invitees 30 s after a restart, then closes once', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const late = await invited(world, alice, [bob]);
    const never = await invited(world, alice, [bob]);
    world.clock.advance(3_600_000);
    await world.restart();
    await world.pass(29_000);
    const back = await world.peer('bob');
    expect(await world.answer(back.call('ack_invite', { session_id: late }))).toEqual({ state: 'ACTIVE' });
    await world.pass(2000);
    const again = await world.peer('alice');
    expect(await standing(world, again, late)).toBe('ACTIVE: alice active, bob active');
    expect(await standing(world, again, never)).toBe('CLOSED (invite_timeout): alice active, bob invited');
    expect(logOf(world.store, never).filter(({ event_type }) => event_type === 'session.closed')).toHaveLength(1);
  });

  it('[LC5] uses the given invite_timeout, also for a partial quorum', async () => {
    const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob, carol], { type: 'panel', invite_timeout: '3s' });
    await world.answer(bob.call('ack_invite', { session_id: id }));
    await world.pass(3 * SECOND);
    expect(await standing(world, bob, id)).toBe('CLOSED (invite_timeout): alice active, bob active, carol invited');
  });

  it('[LC5] disarms the deadline after an ack in time', async () => {
    const { world, alice, id } = await aConversation();
    await world.pass(5 * MINUTE);
    expect(await standing(world, alice, id)).toBe('ACTIVE: alice active, bob active');
  });

  it('[LC6] a close from INVITED closes immediately and notifies the invitees', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob]);
    expect(await world.answer(alice.call('close_session', { session_id: id }))).toEqual({
      state: 'CLOSED',
      close_reason: 'explicit_close',
    });
    expect(bob.notifies(id).map(({ envelope, prev_seq }) => [envelope.event_type, prev_seq])).toEqual([
      ['session.invite', null],
      ['session.closed', null],
    ]);
  });

  it('[LC6] invitees may not close the session before joining', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob]);
    expect(await refusal(world, bob.call('close_session', { session_id: id }))).toMatchObject({ code: 'forbidden' });
    expect(await standing(world, alice, id)).toMatch(/^INVITED/);
  });

  it('[LC9] expires at expires_at, whatever the invites', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob], { ttl: '10s' });
    await world.pass(10 * SECOND - 1);
    expect(await standing(world, alice, id)).toMatch(/^INVITED/);
    await world.pass(1);
    expect(await standing(world, alice, id)).toBe('EXPIRED (ttl_expired): alice active, bob invited');
    expect(bob.notifies(id).at(-1)).toMatchObject({ prev_seq: null, envelope: { event_type: 'session.expired' } });
  });
});

describe('ACTIVE', () => {
  it('[LC6] any active participant may close, and gets the answer with the closing', async () => {
    const { world, bob, id } = await aConversation();
    bob.acks = false;
    expect(await world.answer(bob.call('close_session', { session_id: id, reason: 'enough' }))).toEqual({
      state: 'CLOSING',
      close_reason: 'enough',
    });
    expect(last(world, id)).toBe(`5 session.closing {"reason":"enough","by":"${bob.agentId}"}`);
  });

  it('[LC6] close_session with wait closed answers after the end', async () => {
    const { world, alice, bob, id } = await aConversation();
    bob.acks = false;
    const call = alice.call('close_session', { session_id: id, wait: 'closed' });
    let answer: unknown = null;
    void call.then((result) => {
      answer = result;
    });
    await world.settle();
    await world.pass(4 * SECOND);
    expect([answer, await standing(world, alice, id)]).toEqual([
      null,
      'CLOSING (explicit_close): alice active, bob active',
    ]);
    await world.pass(SECOND);
    expect(answer).toEqual({ state: 'CLOSED', close_reason: 'explicit_close' });
    expect(await world.answer(alice.call('close_session', { session_id: id, wait: 'closed' }))).toEqual(answer);
  });

  it('[LC6] with close_by creator only the creator may close', async () => {
    const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol']);
    const id = await opened(world, alice, [bob, carol], { type: 'panel', knobs: { close_by: 'creator' } });
    expect(await refusal(world, bob.call('close_session', { session_id: id }))).toEqual({
      code: 'forbidden',
      message: `only its creator may close session ${id} (knob close_by)`,
      details: undefined,
    });
    expect(await standing(world, alice, id)).toMatch(/^ACTIVE/);
    expect(await world.answer(alice.call('close_session', { session_id: id }))).toMatchObject({ state: 'CLOSING' });
  });

  it('[LC9, L9] expires at expires_at, in one step, for good', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const id = await opened(world, alice, [bob], { ttl: '1m' });
    await world.pass(MINUTE - 1);
    await say(world, alice, id, 'in time');
    await world.pass(1);
    expect(await standing(world, alice, id)).toBe('EXPIRED (ttl_expired): alice active, bob active');
    await world.pass(MINUTE);
    expect(types(logOf(world.store, id)).slice(-2)).toEqual(['msg.text', 'session.expired']);
    expect(await refusal(world, alice.call('post', text(id, 'late')))).toMatchObject({
      code: 'session_closed',
      details: { session_id: id, state: 'EXPIRED', close_reason: 'ttl_expired' },
    });
  });

  it('[LC9] has a default TTL of two hours', async () => {
    const { world, alice, id } = await aConversation();
    await leap(world, 2 * HOUR - 1);
    expect(await standing(world, alice, id)).toMatch(/^ACTIVE/);
    await leap(world, 1);
    expect(await standing(world, alice, id)).toMatch(/^EXPIRED/);
  });

  it('[LC9, L9] a TTL that ends while the hub is down ends the session once after the start', async () => {
    const { world, id } = await aConversation();
    await world.restart();
    world.clock.advance(3 * HOUR);
    await world.restart();
    await world.pass(SECOND);
    await world.pass(SECOND);
    expect(types(logOf(world.store, id)).slice(4)).toEqual(['session.expired']);
  });

  it('[L6, L9] retries a failed deadline at the next sweep', async () => {
    const store = new SlowReads();
    const { world, id } = await aConversation({}, { store }, { expectations: [] });
    world.hub.evictIdle();
    store.failures = 1;
    await leap(world, 2 * HOUR);
    expect(last(world, id)).toMatch(/^4 session.opened/);
    await world.pass(SECOND);
    expect(last(world, id)).toBe('5 session.expired {"reason":"ttl_expired"}');
  });

  it('[LC8, L4] an adapter’s close is in the unit of the reply, and nothing is accepted after it', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob', 'carol']);
    const id = await opened(world, alice, [bob], { type: 'consulting' });
    await say(world, alice, id, 'question');
    world.hold = true;
    const reply = bob.call('post', text(id, 'answer'));
    const late = bob.call('post', { ...text(id, 'more'), event_type: 'note', event_data: {} });
    await world.settle();
    expect(world.store.stagedUnits()).toBe(1);
    world.hold = false;
    expect(await refusal(world, late)).toMatchObject({ code: 'session_closed', details: { state: 'CLOSING' } });
    await reply;
    expect(types(logOf(world.store, id)).slice(-4)).toEqual([
      'msg.text',
      'msg.text',
      'session.closing',
      'session.closed',
    ]);
  });

  it('[LC8, RE6] a full log closes in the unit of the envelope that filled it', async () => {
    const { world, alice, bob, id } = await aConversation({ maxEnvelopes: 6 });
    await say(world, alice, id, 'five');
    await say(world, bob, id, 'six');
    expect(lines(logOf(world.store, id)).slice(-2)).toEqual([
      '7 session.closing {"reason":"log_full"}',
      '8 session.closed {"reason":"log_full"}',
    ]);
  });
});

describe('CLOSING', () => {
  async function closing(peers: { world: World; alice: Peer; bob: Peer; id: string }) {
    const { world, alice, bob, id } = peers;
    bob.acks = false;
    await world.answer(alice.call('close_session', { session_id: id, reason: 'first' }));
    return peers;
  }

  it('[LC7] rejects posts and keeps the first reason', async () => {
    const { world, alice, bob, id } = await closing(await aConversation());
    expect(await refusal(world, bob.call('post', text(id, 'wait')))).toEqual({
      code: 'session_closed',
      message: `session ${id} is CLOSING (first); "msg.text" needs an active session`,
      details: { session_id: id, state: 'CLOSING', close_reason: 'first' },
    });
    expect(await world.answer(bob.call('close_session', { session_id: id, reason: 'second' }))).toEqual({
      state: 'CLOSING',
      close_reason: 'first',
    });
    expect(await standing(world, alice, id)).toBe('CLOSING (first): alice active, bob active');
    expect(last(world, id)).toMatch(/^5 session.closing {"reason":"first","by":"[0-9a-f]{32}"}$/);
  });

  it('[LC7] ends when all bound participants have acked the closing and everything before it', async () => {
    const { world, alice, bob, id } = await aConversation();
    bob.acks = false;
    await say(world, alice, id, 'a');
    await world.answer(alice.call('close_session', { session_id: id }));
    expect(bob.seqs(id)).toEqual([4, 5, 6]);
    bob.receipt(id, 6);
    await world.settle();
    expect(await standing(world, alice, id)).toMatch(/^CLOSING/);
    bob.receipt(id, 5);
    await world.settle();
    expect(await standing(world, alice, id)).toMatch(/^CLOSED/);
  });

  it('[LC7] ends when the last participant without an ack disconnects', async () => {
    const { world, alice, bob, id } = await closing(await aConversation());
    expect(await standing(world, alice, id)).toMatch(/^CLOSING/);
    bob.link.close();
    await world.settle();
    expect(await standing(world, alice, id)).toMatch(/^CLOSED \(first\)/);
  });

  it('[LC7] ends at the drain timeout, by default 5 s', async () => {
    for (const [drain_timeout, ms] of [
      [undefined, 5 * SECOND],
      ['90s', 90 * SECOND],
      [0, 5 * SECOND],
    ] as const) {
      const { world, alice, bob } = await aCast(['alice', 'bob']);
      const id = await opened(world, alice, [bob], drain_timeout === undefined ? {} : { drain_timeout });
      await closing({ world, alice, bob, id });
      await world.pass(ms - 1);
      expect(await standing(world, alice, id)).toMatch(/^CLOSING/);
      await world.pass(1);
      expect(await standing(world, alice, id)).toMatch(/^CLOSED \(first\)/);
    }
  });

  it('[LC7] does not wait for invitees that never joined', async () => {
    const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob, carol], { type: 'panel', required_acks: 1 });
    await world.answer(bob.call('ack_invite', { session_id: id }));
    carol.acks = false;
    await world.answer(alice.call('close_session', { session_id: id }));
    expect(await standing(world, alice, id)).toMatch(/^CLOSED/);
    expect(carol.notifies(id).map(({ envelope }) => envelope.event_type)).toEqual(['session.invite', 'session.closed']);
  });

  it('[LC7] ends at a restart, since nobody is bound', async () => {
    const { world, id } = await closing(await aConversation());
    await world.crash();
    expect(last(world, id)).toBe('6 session.closed {"reason":"first"}');
  });

  it('[LC7] waits for a participant that binds again', async () => {
    const { world, alice, id } = await closing(await aConversation());
    const again = await rebind(world, 'bob');
    expect(again.seqs(id)).toEqual([5]);
    expect(await standing(world, alice, id)).toMatch(/^CLOSING/);
    again.receipt(id, 5);
    await world.settle();
    expect(await standing(world, alice, id)).toMatch(/^CLOSED/);
  });

  it('[LC7] does not wait for a participant that binds again after acking the closing', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    carol.acks = false;
    await world.answer(alice.call('close_session', { session_id: id }));
    const again = world.stranger();
    again.acks = true;
    again.hello('bob');
    carol.link.close();
    await world.settle();
    expect(bob.frames.at(-1)).toMatchObject({ kind: 'goodbye', reason: 'replaced' });
    expect(await standing(world, alice, id)).toMatch(/^CLOSED/);
  });

  it('[LC9] ignores expires_at', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const id = await opened(world, alice, [bob], { ttl: '10s', drain_timeout: '1m' });
    await closing({ world, alice, bob, id });
    await world.pass(30 * SECOND);
    expect(await standing(world, alice, id)).toMatch(/^CLOSING/);
    await world.pass(30 * SECOND);
    expect(await standing(world, alice, id)).toMatch(/^CLOSED \(first\)/);
  });
});

describe('CLOSED and EXPIRED', () => {
  it('[L6, LC6] are final: nothing is accepted, and closing again returns the first reason', async () => {
    const { world, alice, bob, id } = await aConversation();
    await world.answer(alice.call('close_session', { session_id: id, reason: 'first' }));
    const log = logOf(world.store, id);
    const ended = { state: 'CLOSED', close_reason: 'first' };
    expect(await world.answer(bob.call('close_session', { session_id: id, reason: 'second' }))).toEqual(ended);
    expect(await refusal(world, bob.call('post', text(id, 'x')))).toMatchObject({ code: 'session_closed' });
    await world.answer(bob.call('unregister', {}));
    await leap(world, DAY);
    await world.restart();
    await leap(world, DAY);
    expect(logOf(world.store, id)).toEqual(log);
  });
});

describe('orphans', () => {
  async function lasting() {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const id = await opened(world, alice, [bob], { ttl: 0, expectations: [] });
    return { world, alice, bob, id };
  }

  it('[LC10] a session without TTL lives while one of its participants is bound', async () => {
    const { world, alice, bob, id } = await lasting();
    expect((await sessionOf(world, alice, id)).expires_at).toBe(null);
    await leave(world, alice);
    await leap(world, 30 * DAY);
    expect(await standing(world, bob, id)).toMatch(/^ACTIVE/);
  });

  it('[LC10, L6] expires 24 h after the last participant left; others do not count', async () => {
    const { world, alice, bob, id } = await lasting();
    await world.peer('carol');
    await leave(world, alice);
    await leap(world, HOUR);
    await leave(world, bob);
    await leap(world, DAY - 1);
    expect(types(logOf(world.store, id)).at(-1)).toBe('session.opened');
    await leap(world, 1);
    expect(last(world, id)).toBe('5 session.expired {"reason":"orphaned"}');
  });

  it('[LC10] a new binding disarms the timer, and its end arms it again', async () => {
    const { world, alice, bob, id } = await lasting();
    await leave(world, alice);
    await leave(world, bob);
    await leap(world, DAY - 1);
    const again = await world.peer('bob');
    await leap(world, 2 * DAY);
    expect(await standing(world, again, id)).toMatch(/^ACTIVE/);
    await leave(world, again);
    await leap(world, DAY - 1);
    expect(types(logOf(world.store, id)).at(-1)).toBe('session.opened');
    await leap(world, 1);
    expect(last(world, id)).toBe('5 session.expired {"reason":"orphaned"}');
  });

  it('[LC10, L9] restarts the 24-hour orphan timer after a restart', async () => {
    const { world, id } = await lasting();
    await world.restart();
    await leap(world, DAY - 1);
    await world.crash();
    await leap(world, DAY - 1);
    expect(types(logOf(world.store, id)).at(-1)).toBe('session.opened');
    await leap(world, 1);
    expect(last(world, id)).toBe('5 session.expired {"reason":"orphaned"}');
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

describe('unregister', () => {
  it('[LC12] declines for a pending invitee', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob]);
    await world.answer(bob.call('unregister', {}));
    expect(lines(logOf(world.store, id), ['bob', bob]).slice(-2)).toEqual([
      '3 session.invite.reject {"agent_id":"bob","reason":"unregistered"}',
      '4 session.closed {"reason":"invite_rejected"}',
    ]);
  });

  it('[LC12] may put the quorum out of reach after an ack', async () => {
    const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob, carol], { type: 'panel', required_acks: 2 });
    await world.answer(bob.call('ack_invite', { session_id: id }));
    await world.answer(bob.call('unregister', {}));
    expect(lines(logOf(world.store, id), ['bob', bob]).slice(-2)).toEqual([
      '5 session.participant.removed {"agent_id":"bob","reason":"unregistered"}',
      '6 session.closed {"reason":"invite_rejected"}',
    ]);
  });

  it('[LC12] by the creator ends a session that is not open', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob]);
    await world.answer(alice.call('unregister', {}));
    expect(types(logOf(world.store, id)).slice(-2)).toEqual(['session.participant.removed', 'session.closed']);
    expect(bob.notifies(id).at(-1)).toMatchObject({ prev_seq: null, envelope: { event_type: 'session.closed' } });
  });

  it('[LC12] closes with below_minimum in the same unit if too few remain', async () => {
    const { world, alice, bob, id } = await aConversation();
    alice.acks = false;
    await world.answer(bob.call('unregister', {}));
    expect(lines(logOf(world.store, id), ['bob', bob]).slice(-2)).toEqual([
      '5 session.participant.removed {"agent_id":"bob","reason":"unregistered"}',
      '6 session.closing {"reason":"below_minimum"}',
    ]);
    expect(await standing(world, alice, id)).toBe('CLOSING (below_minimum): alice active, bob removed');
  });

  it('[LC12] leaves the session running if enough remain', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    await world.answer(alice.call('unregister', {}));
    expect(await standing(world, bob, id)).toBe('ACTIVE: alice removed, bob active, carol active');
    await say(world, bob, id, 'just us');
    expect(carol.notifies(id).at(-1)?.envelope.event_data).toEqual({ text: 'just us' });
  });

  it('[LC12] closes with no_active_participants if nobody remains', async () => {
    const world = await aWorld();
    const alice = await world.peer('alice');
    const { session } = await world.answer(
      alice.call('create_session', { type: 'monologue', participants: ['alice'] }),
    );
    await world.answer(alice.call('unregister', {}));
    expect(types(logOf(world.store, session.session_id)).slice(2)).toEqual([
      'session.participant.removed',
      'session.closing',
      'session.closed',
    ]);
    expect(last(world, session.session_id)).toContain('no_active_participants');
  });

  it('[LC12, LC7] in CLOSING removes the participant, which is no longer waited for', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    bob.acks = false;
    await world.answer(alice.call('close_session', { session_id: id }));
    await world.answer(bob.call('unregister', {}));
    expect(types(logOf(world.store, id)).slice(-3)).toEqual([
      'session.closing',
      'session.participant.removed',
      'session.closed',
    ]);
    expect(await standing(world, carol, id)).toMatch(/^CLOSED \(explicit_close\)/);
  });

  it('[LC12] removes the agent from a session that is being created', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob', 'carol']);
    world.hold = true;
    const create = alice.call('create_session', { type: 'conversation', participants: ['bob'], wait: 'created' });
    await world.settle();
    const leave = bob.call('unregister', {});
    await world.settle();
    world.hold = false;
    const { session } = await world.answer(create);
    await leave;
    expect(await standing(world, alice, session.session_id)).toBe(
      'CLOSED (invite_rejected): alice active, bob rejected',
    );
  });

  it('[LC12] removes a retired agent from its sessions at the start after a crash', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob', 'carol']);
    world.hold = true;
    void alice.call('create_session', { type: 'conversation', participants: ['bob'], wait: 'created' });
    await world.settle();
    void bob.call('unregister', {});
    await world.settle();
    world.hold = false;
    await world.crash(() => true);
    const again = await world.peer('alice');
    const { sessions } = await world.answer(again.call('list_sessions', {}));
    expect(sessions.map(({ state, close_reason }) => [state, close_reason])).toEqual([['CLOSED', 'invite_rejected']]);
  });
});

// Outcomes of a delegation, rejected delegations, and repeated keys.

import { describe, expect, it } from 'vitest';
import {
  leave,
  logOf,
  MINUTE,
  opened,
  refusal,
  refused,
  releaseHold,
  SECOND,
  sessionOf,
  standing,
  text,
  types,
  watch,
} from '../scene.ts';
import {
  account,
  accounts,
  answers,
  aParent,
  delegated,
  delegates,
  invitedTo,
  reservation,
} from './delegation-scene.ts';

describe('a delegation', () => {
  it('[DG1] is a child consulting session with parent, depth and label, and its reply is the result', async () => {
    const { world, alice, carol, id } = await aParent();
    const call = delegates(alice, id, 'carol');
    await world.settle();
    const child = await answers(world, carol, 'Yes.', { usage: { fresh: 10, output: 2 }, cost_usd: 0.5 });
    const answer = await world.answer(call);
    expect(answer).toMatchObject({
      child_session_id: child,
      outcome: 'replied',
      reason: 'consulting_complete',
      reply: { text: 'Yes.', sender_id: carol.agentId, usage: { fresh: 10, output: 2 }, cost_usd: 0.5 },
    });
    const session = await sessionOf(world, carol, child);
    expect(session).toMatchObject({
      parent_session_id: id,
      depth: 1,
      creator_id: alice.agentId,
      labels: { delegation: answer.delegation_id },
    });
    expect(logOf(world.store, child).map(({ depth }) => depth)).toEqual(types(logOf(world.store, child)).map(() => 1));
  });

  it('[DG2] is reserved in the parent before the child exists, and settled there once', async () => {
    const { world, alice, carol, id } = await aParent();
    world.hold = true;
    void delegates(alice, id, 'carol');
    await world.settle();
    expect(world.store.stagedUnits()).toBe(1);
    await releaseHold(world);
    await answers(world, carol, 'Yes.');
    expect(account(world, id, ['alice', alice], ['carol', carol])).toEqual(['open alice→carol', 'replied']);
    expect(accounts(world, id).map(({ audience }) => audience)).toEqual([[], [alice.agentId]]);
    expect(alice.notifies(id).filter(({ envelope }) => envelope.event_type.startsWith('delegation.'))).toHaveLength(1);
  });

  it('[DG7] reports a decline with the reason of the target', async () => {
    const { world, alice, carol, id } = await aParent();
    const call = delegates(alice, id, 'carol');
    await world.settle();
    await world.answer(carol.call('reject_invite', { session_id: invitedTo(carol), reason: 'not my job' }));
    expect(await world.answer(call)).toMatchObject({ outcome: 'rejected', reason: 'not my job', reply: null });
  });

  it('[DG7] times out if the invite is not answered', async () => {
    const { world, alice, id } = await aParent();
    const call = delegates(alice, id, 'carol', { timeout: '5s' });
    await world.settle();
    const answer = watch(call);
    await world.pass(4 * SECOND);
    expect(answer.state).toBe('open');
    await world.pass(3 * SECOND);
    expect(answer.value).toMatchObject({ outcome: 'timed_out', reason: 'expectation_violated:acks_within' });
  });

  it('[DG7] times out if the prompt is not answered', async () => {
    const { world, alice, carol, id } = await aParent();
    const call = delegates(alice, id, 'carol', { timeout: '5s' });
    await world.settle();
    await world.answer(carol.call('ack_invite', { session_id: invitedTo(carol) }));
    await leave(world, carol);
    await world.pass(7 * SECOND);
    expect(await world.answer(call)).toMatchObject({
      outcome: 'timed_out',
      reason: 'expectation_violated:reply_within',
    });
  });

  it('[DG7] settles soon if the target reports a failure, with its reason', async () => {
    const { world, alice, carol, id } = await aParent();
    const call = watch(delegates(alice, id, 'carol'));
    await world.settle();
    const child = invitedTo(carol);
    await world.answer(carol.call('ack_invite', { session_id: child }));
    await world.answer(carol.call('report_turn_failure', { session_id: child, reason: 'my budget is spent' }));
    await world.pass(2 * SECOND);
    expect(call.value).toMatchObject({ outcome: 'closed', reason: 'my budget is spent', reply: null });
  });

  it('[DG7] waits as long as a consulting session by default', async () => {
    const { world, alice, carol, id } = await aParent();
    const call = watch(delegates(alice, id, 'carol'));
    await world.settle();
    await world.answer(carol.call('ack_invite', { session_id: invitedTo(carol) }));
    await world.pass(9 * MINUTE);
    expect(call.state).toBe('open');
    await world.pass(2 * MINUTE);
    expect(call.value).toMatchObject({ outcome: 'timed_out' });
  });

  it('[DG7] reports a target that leaves', async () => {
    const { world, alice, carol, id } = await aParent();
    const call = delegates(alice, id, 'carol');
    await world.settle();
    const session_id = invitedTo(carol);
    await world.answer(carol.call('ack_invite', { session_id }));
    await world.answer(carol.call('leave_session', { session_id }));
    expect(await world.answer(call)).toMatchObject({ outcome: 'left', reason: 'left' });
  });

  it('[DG7] reports a target that unregisters, before and after it joined', async () => {
    const { world, alice, carol, dave, id } = await aParent();
    const calls = [delegates(alice, id, 'carol'), delegates(alice, id, 'dave')];
    await world.settle();
    await world.answer(carol.call('ack_invite', { session_id: invitedTo(carol) }));
    await world.answer(carol.call('unregister', {}));
    await world.answer(dave.call('unregister', {}));
    expect(await Promise.all(calls)).toMatchObject([
      { outcome: 'left', reason: 'unregistered' },
      { outcome: 'left', reason: 'unregistered' },
    ]);
  });

  it('[DG7] reports the reason if a participant closes the child', async () => {
    const { world, alice, carol, id } = await aParent();
    const call = delegates(alice, id, 'carol');
    await world.settle();
    const session_id = invitedTo(carol);
    await world.answer(carol.call('ack_invite', { session_id }));
    await world.answer(carol.call('close_session', { session_id, reason: 'lunch' }));
    expect(await world.answer(call)).toMatchObject({ outcome: 'closed', reason: 'lunch' });
  });

  it('[DG7] reports why the child cannot be opened', async () => {
    const { world, alice, carol, id } = await aParent();
    await world.answer(carol.call('set_rule', { rule: { limits: { max_concurrent_sessions: 0 } } }));
    const answer = await world.answer(delegates(alice, id, 'carol'));
    expect(answer).toMatchObject({ child_session_id: null, outcome: 'refused', reply: null });
    expect(answer.reason).toContain('max_concurrent_sessions');
    expect(account(world, id)).toHaveLength(2);
  });

  it('[DG7] reports why the prompt is rejected, and closes the child', async () => {
    const { world, alice, carol, id } = await aParent();
    const call = delegates(alice, id, 'carol');
    await world.settle();
    const session_id = invitedTo(carol);
    await world.answer(carol.call('set_rule', { rule: { access: { inbound_from: [] } } }));
    await world.answer(carol.call('ack_invite', { session_id }));
    const answer = await world.answer(call);
    expect(answer).toMatchObject({ child_session_id: session_id, outcome: 'refused' });
    expect(answer.reason).toContain('prompt_refused');
  });

  it('[DG7] with wait: opened answers once the child exists, and delivers the settlement later', async () => {
    const { world, alice, carol, id } = await aParent();
    const begun = await delegated(world, alice, id, 'carol');
    expect(begun).toMatchObject({ outcome: 'open', reason: null, reply: null, spent: null });
    await answers(world, carol, 'Yes.');
    const told = alice.notifies(id).map(({ envelope }) => envelope);
    expect(told.at(-1)).toMatchObject({ event_type: 'delegation.settled', event_data: { outcome: 'replied' } });
  });

  it('[DG7] may run beside others', async () => {
    const { world, alice, carol, dave, id } = await aParent();
    const calls = [delegates(alice, id, 'carol'), delegates(alice, id, 'dave'), delegates(alice, id, 'carol')];
    await world.settle();
    for (const [peer, word] of [
      [carol, 'one'],
      [dave, 'two'],
    ] as const) {
      const invites = peer.notifies().filter(({ envelope }) => envelope.event_type === 'session.invite');
      for (const { envelope } of invites) await answers(world, peer, word, {}, envelope.session_id);
    }
    const replies = (await Promise.all(calls)).map(({ reply }) => reply?.text);
    expect(replies).toEqual(['one', 'two', 'one']);
  });

  it('[DG1] posts only the delegated prompt: the delegator may post no other text before or after it', async () => {
    const { world, alice, carol, id } = await aParent();
    const { child } = await delegated(world, alice, id, 'carol');
    const early = await refusal(world, alice.call('post', text(child, 'Something else?')));
    expect(early).toMatchObject({ code: 'protocol_error' });
    world.hold = true;
    carol.call('ack_invite', { session_id: child }).catch(() => {});
    await world.settle();
    const stolen = alice.call('post', text(child, 'Something else?')).catch((error: unknown) => error);
    const note = alice.call('post', { session_id: child, event_type: 'x.note', event_data: {} });
    world.hold = false;
    expect(await world.answer(stolen)).toMatchObject({
      code: 'not_your_turn',
      message: expect.stringContaining('is the delegated prompt, which the hub posts'),
    });
    await world.answer(note);
    await refused(world, alice.call('post', text(child, 'One more.')), 'not_your_turn');
    expect(await standing(world, alice, child)).toContain('ACTIVE');
    const questions = logOf(world.store, child).filter(({ event_type }) => event_type === 'msg.text');
    expect(questions).toMatchObject([{ sender_id: alice.agentId, event_data: { text: 'Is it done?' } }]);
  });
});

describe('a parent that ends', () => {
  it('[DG5] by a close settles open delegations in the same unit and closes the children', async () => {
    const { world, alice, bob, carol, id } = await aParent();
    const call = delegates(alice, id, 'carol');
    await world.settle();
    const child = invitedTo(carol);
    await world.answer(bob.call('close_session', { session_id: id, reason: 'enough' }));
    expect(await world.answer(call)).toMatchObject({
      outcome: 'parent_closed',
      reason: 'enough',
      child_session_id: child,
      spent: null,
    });
    expect(types(logOf(world.store, id)).slice(-3).join(' ')).toBe('delegation.settled session.closing session.closed');
    expect(await standing(world, alice, child)).toContain('CLOSED (parent_closed)');
  });

  it('[DG5] by its ttl settles open delegations before it expires', async () => {
    const { world, alice, carol, id } = await aParent({ ttl: '10s' });
    const call = delegates(alice, id, 'carol', { timeout: '1h' });
    await world.settle();
    await world.pass(12 * SECOND);
    expect(await world.answer(call)).toMatchObject({ outcome: 'parent_closed', reason: 'ttl_expired' });
    expect(types(logOf(world.store, id)).slice(-2)).toEqual(['delegation.settled', 'session.expired']);
    expect(await standing(world, alice, invitedTo(carol))).toContain('CLOSED (parent_closed)');
  });

  it('[DG5] below its minimum settles open delegations in the same unit', async () => {
    const { world, alice, bob, id } = await aParent();
    const call = delegates(alice, id, 'carol');
    await world.settle();
    await world.answer(bob.call('leave_session', { session_id: id }));
    expect(await world.answer(call)).toMatchObject({ outcome: 'parent_closed', reason: 'below_minimum' });
  });

  it('[DG5] leaves no child if it ends while the reservation is written', async () => {
    const { world, alice, bob, carol, id } = await aParent();
    world.hold = true;
    const call = delegates(alice, id, 'carol');
    await world.settle();
    bob.call('close_session', { session_id: id }).catch(() => {});
    await world.settle();
    await releaseHold(world);
    expect(await world.answer(call)).toMatchObject({ outcome: 'parent_closed', child_session_id: null });
    const live = await world.answer(carol.call('list_sessions', { states: ['INVITED', 'ACTIVE', 'CLOSING'] }));
    expect(live.sessions).toEqual([]);
  });

  it('[DG6] settles the delegations of a delegator that leaves, and closes their children', async () => {
    const { world, alice, bob, carol, dave } = await aParent();
    const panel = await opened(world, bob, [alice, dave], { type: 'panel' });
    const call = delegates(alice, panel, 'carol');
    await world.settle();
    const child = invitedTo(carol);
    await world.answer(alice.call('leave_session', { session_id: panel }));
    expect(await world.answer(call)).toMatchObject({ outcome: 'delegator_removed', spent: { usd: 0 } });
    expect(await standing(world, alice, child)).toContain('CLOSED (delegator_removed)');
    expect(await standing(world, bob, panel)).toContain('ACTIVE');
  });
});

describe('a rejected delegation', () => {
  it('[DG9] to oneself', async () => {
    const { world, alice, id } = await aParent();
    await refused(world, delegates(alice, id, 'alice'), 'invalid_create', {
      field: 'params.target',
      cycle: ['alice', 'alice'],
    });
  });

  it('[DG1] to an unknown agent', async () => {
    const { world, alice, id } = await aParent();
    expect(await refusal(world, delegates(alice, id, 'nobody'))).toMatchObject({
      code: 'invalid_create',
      message: 'params.target: no agent with name or id "nobody" is registered',
      details: { field: 'params.target' },
    });
  });

  it('[DG1] by a non-participant, and in a session that is not active', async () => {
    const { world, alice, bob, carol, id } = await aParent();
    await refused(world, delegates(carol, id, 'dave'), 'not_found');
    await world.answer(bob.call('close_session', { session_id: id }));
    await refused(world, delegates(alice, id, 'carol'), 'session_closed');
    const { session } = await world.answer(
      alice.call('create_session', { type: 'conversation', participants: ['bob'], wait: 'created' }),
    );
    const pending = session.session_id;
    await refused(world, delegates(alice, pending, 'carol'), 'protocol_error');
    await world.hub.stop();
  });

  it('[DG1] by a hidden participant', async () => {
    const { world, alice, id } = await aParent();
    await world.answer(world.hub.hideParticipant(id, 'alice'));
    await refused(world, delegates(alice, id, 'carol'), 'forbidden', { status: 'hidden' });
  });

  it('[DG8] beyond delegation_depth names depth and limit', async () => {
    const { world, alice, carol, id } = await aParent();
    await world.answer(carol.call('set_rule', { rule: { limits: { delegation_depth: 1 } } }));
    const { child } = await delegated(world, alice, id, 'carol');
    await world.answer(carol.call('ack_invite', { session_id: child }));
    const denied = await refusal(world, delegates(carol, child, 'dave'));
    expect(denied).toMatchObject({ code: 'forbidden' });
    expect(denied.message).toContain(
      'carol may use sessions up to depth 1, this one has depth 2 (limits.delegation_depth)',
    );
    expect(accounts(world, child)).toEqual([]);
  });

  it.each([
    ['an empty question', { prompt: '' }, 'params.prompt'],
    ['no time', { timeout: 0 }, 'params.timeout'],
    ['a time that is none', { timeout: 'soon' }, 'params.timeout'],
    ['a time of centuries', { timeout: '36500d' }, 'params.timeout'],
    ['an empty budget', { budget: {} }, 'params.budget'],
    ['a budget of nothing', { budget: { usd: 0 } }, 'params.budget.usd'],
    ['a budget below nothing', { budget: { usd: -1 } }, 'params.budget.usd'],
    ['half a token', { budget: { tokens: 0.5 } }, 'params.budget.tokens'],
    ['a budget in euros', { budget: { eur: 5 } as object }, 'params.budget.eur'],
    ['an empty key', { idempotency_key: '' }, 'params.idempotency_key'],
    ['another wait', { wait: 'never' as 'reply' }, 'params.wait'],
  ])('[DG1] with %s', async (_what, wrong, field) => {
    const { world, alice, id } = await aParent();
    await refused(world, delegates(alice, id, 'carol', wrong), 'bad_frame', field);
    expect(accounts(world, id)).toEqual([]);
  });

  it('[DG1] with a prompt that is too large', async () => {
    const { world, alice, id } = await aParent();
    for (const prompt of ['ü'.repeat(200_000), 'x'.repeat(400_000)]) {
      await refused(world, delegates(alice, id, 'carol', { prompt }), 'too_large', {
        field: 'params.prompt',
        expected: 'at most 262144 bytes',
      });
    }
    expect(accounts(world, id)).toEqual([]);
  });

  it('[DG1] beyond the rate of the delegator', async () => {
    const { world, alice, id } = await aParent();
    await world.answer(alice.call('set_rule', { rule: { limits: { rate: { per_minute: 1, burst: 1 } } } }));
    await delegated(world, alice, id, 'carol');
    await refused(world, delegates(alice, id, 'dave'), 'rate_limited');
  });

  it('[RE2] by posting a hub event type', async () => {
    const { world, alice, id } = await aParent();
    const forged = { session_id: id, event_type: 'delegation.settled', event_data: {} };
    await refused(world, alice.call('post', forged), 'protocol_error');
  });
});

describe('a repeated key', () => {
  const key = { idempotency_key: 'k' };

  it('[DG10] joins the pending delegation', async () => {
    const { world, alice, carol, id } = await aParent();
    const calls = [delegates(alice, id, 'carol', key), delegates(alice, id, 'carol', key)];
    await world.settle();
    calls.push(delegates(alice, id, 'carol', key));
    await world.settle();
    await answers(world, carol, 'Yes.');
    const [first, second, third] = await Promise.all(calls);
    expect(first?.reply?.text).toBe('Yes.');
    expect([second, third]).toEqual([
      { ...first, duplicate: true },
      { ...first, duplicate: true },
    ]);
    expect(accounts(world, id)).toHaveLength(2);
  });

  it('[DG10] is answered from the log after the settlement, a restart, and the end of the parent', async () => {
    const { world, alice, bob, carol, id } = await aParent();
    const call = delegates(alice, id, 'carol', key);
    await world.settle();
    await answers(world, carol, 'Yes.');
    const first = await world.answer(call);
    await world.answer(bob.call('close_session', { session_id: id }));
    await world.restart();
    const [again, gone] = [await world.peer('alice'), await world.peer('carol')];
    await world.answer(gone.call('unregister', {}));
    expect(await world.answer(delegates(again, id, 'carol', key))).toEqual({ ...first, duplicate: true });
  });

  it('[DG10] joins a delegation that is still open after a restart', async () => {
    const { world, alice, id } = await aParent();
    void delegates(alice, id, 'carol', key);
    await world.settle();
    await world.restart();
    const [again, carol] = [await world.peer('alice'), await world.peer('carol')];
    const call = delegates(again, id, 'carol', key);
    await world.settle();
    await answers(world, carol, 'Yes.');
    expect(await world.answer(call)).toMatchObject({ outcome: 'replied', duplicate: true });
  });

  it('[DG10] is rejected with other content, and belongs to its delegator', async () => {
    const { world, alice, bob, id } = await aParent();
    await delegated(world, alice, id, 'carol', key);
    const other = await refusal(world, delegates(alice, id, 'carol', { ...key, prompt: 'Is it?' }));
    expect(other).toMatchObject({ code: 'duplicate', details: { seq: 5 } });
    await delegated(world, bob, id, 'dave', key);
    expect(accounts(world, id)).toHaveLength(2);
    expect(reservation(world, id).key).toBe('k');
  });
});

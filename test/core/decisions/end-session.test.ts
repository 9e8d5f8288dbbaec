import { consulting } from 'parley-hub/adapters/consulting';
import { describe, expect, it } from 'vitest';
import { applyDueDeadline, closeSession, finishDraining } from '../../../src/core/decisions/end-session.ts';
import { lifecycleDeadline } from '../../../src/core/state/fold-head.ts';
import { idOf } from '../../../src/testing/lib/history.ts';
import { refusedAs, refusedBy } from '../refused.ts';
import { openSession, SESSION_ID, START_MS, TestSession } from '../session.ts';

const close = (session: TestSession, by: string | null, reason = 'enough') =>
  session.carryOut(closeSession(session.state, by === null ? null : idOf(by), reason));
const due = (session: TestSession, ms: number, orphanedAtMs: number | null = null) =>
  session.carryOut(applyDueDeadline(session.state, START_MS + ms, orphanedAtMs));
const nothing = (session: TestSession) => {
  const { state, close_reason } = session.metadata;
  return { answer: { state, close_reason }, types: [] };
};

describe('closing', () => {
  it('[LC6] moves an ACTIVE session to CLOSING and notifies everyone', () => {
    const session = openSession();
    expect(close(session, 'bob')).toEqual({
      answer: { state: 'CLOSING', close_reason: 'enough' },
      types: ['session.closing'],
    });
    expect(session.log.at(-1)).toMatchObject({ audience: null, sender_id: 'hub', event_data: { reason: 'enough' } });
    expect(session.metadata.closed_at).toBeNull();
  });

  it('[LC6] closes an INVITED session at once, for the creator or an acked invitee', () => {
    for (const by of ['alice', 'bob', null]) {
      const session = new TestSession().ack('bob');
      expect(close(session, by)).toEqual({
        answer: { state: 'CLOSED', close_reason: 'enough' },
        types: ['session.closed'],
      });
    }
  });

  it('[LC6] keeps the first reason', () => {
    const session = openSession();
    close(session, 'alice', 'first');
    expect(close(session, 'bob', 'second')).toEqual(nothing(session));
    expect(close(session, null, 'third')).toEqual(nothing(session));
    session.carryOut(finishDraining(session.state));
    expect(close(session, 'bob', 'fourth')).toEqual({ answer: { state: 'CLOSED', close_reason: 'first' }, types: [] });
  });

  it('[L6] changes nothing in an EXPIRED session', () => {
    const session = openSession();
    due(session, 3_600_000);
    expect(close(session, 'alice')).toEqual({ answer: { state: 'EXPIRED', close_reason: 'ttl_expired' }, types: [] });
  });

  it.each(['invited', 'hidden', 'removed', 'rejected'] as const)('[LC6] rejects a participant that is %s', (status) => {
    const session = new TestSession({ names: ['alice', 'bob', 'carol', 'dave'], requiredAcks: 1 }).ack('bob', 'carol');
    if (status === 'hidden') session.hub('session.participant.hidden', { agent_id: 'id-carol' });
    if (status === 'removed') session.hub('session.participant.removed', { agent_id: 'id-carol' });
    if (status === 'rejected') session.hub('session.invite.reject', { agent_id: 'id-dave' });
    const name = status === 'invited' || status === 'rejected' ? 'dave' : 'carol';
    expect(refusedBy(closeSession(session.state, idOf(name), 'enough'))).toEqual(
      refusedAs('forbidden', `only an active participant may close session ${SESSION_ID}; you are ${status}`),
    );
  });

  it.each(['invited', 'hidden', 'removed', 'rejected'] as const)(
    '[LC6, L6] changes nothing in an ended session for a participant that is %s',
    (status) => {
      const session = new TestSession({ names: ['alice', 'bob', 'carol', 'dave'], requiredAcks: 1 }).ack(
        'bob',
        'carol',
      );
      if (status === 'hidden') session.hub('session.participant.hidden', { agent_id: 'id-carol' });
      if (status === 'removed') session.hub('session.participant.removed', { agent_id: 'id-carol' });
      if (status === 'rejected') session.hub('session.invite.reject', { agent_id: 'id-dave' });
      close(session, 'alice', 'first');
      session.carryOut(finishDraining(session.state));
      const name = status === 'invited' || status === 'rejected' ? 'dave' : 'carol';
      expect(close(session, name)).toEqual({ answer: { state: 'CLOSED', close_reason: 'first' }, types: [] });
    },
  );

  it('[AM2] returns not_found to a non-participant in every state', () => {
    const session = openSession();
    for (const state of ['INVITED', 'ACTIVE', 'CLOSING', 'CLOSED', 'EXPIRED'] as const) {
      const there = { ...session.state, metadata: { ...session.metadata, state } };
      expect(refusedBy(closeSession(there, 'id-mallory', 'enough')).code).toBe('not_found');
    }
  });

  it('[LC6] with close_by creator only allows the creator and operators', () => {
    const knobs = { close_by: 'creator' };
    const refusal = refusedBy(closeSession(openSession({ knobs }).state, 'id-bob', 'enough'));
    expect(refusal).toEqual(refusedAs('forbidden', `only its creator may close session ${SESSION_ID} (knob close_by)`));
    expect(close(openSession({ knobs }), 'alice').types).toEqual(['session.closing']);
    expect(close(openSession({ knobs }), null).types).toEqual(['session.closing']);
  });
});

describe('draining', () => {
  it('[LC7] ends only a CLOSING session, with its own reason', () => {
    const session = openSession();
    expect(session.carryOut(finishDraining(session.state))).toEqual(nothing(session));
    close(session, 'alice', 'enough');
    expect(session.carryOut(finishDraining(session.state))).toEqual({
      answer: { state: 'CLOSED', close_reason: 'enough' },
      types: ['session.closed'],
    });
    expect(session.carryOut(finishDraining(session.state))).toEqual(nothing(session));
    expect(session.log.at(-1)?.event_data).toEqual({ reason: 'enough' });
  });

  it('[LC7] ends at the drain timeout after the closing', () => {
    const session = openSession({ drainTimeoutMs: 2_000 });
    session.nowMs += 10_000;
    close(session, 'alice');
    expect(lifecycleDeadline(session.state.head)).toBe(START_MS + 12_000);
    expect(due(session, 11_999)).toEqual(nothing(session));
    expect(due(session, 12_000).types).toEqual(['session.closed']);
  });
});

describe('deadlines', () => {
  it('[LC5] closes with invite_timeout at the invite deadline without a quorum', () => {
    const session = new TestSession().ack('bob');
    expect(lifecycleDeadline(session.state.head)).toBe(START_MS + 30_000);
    expect(due(session, 29_999)).toEqual(nothing(session));
    expect(due(session, 30_000)).toEqual({
      answer: { state: 'CLOSED', close_reason: 'invite_timeout' },
      types: ['session.closed'],
    });
  });

  it('[LC5] closes with the violated acks_within, if there is one', () => {
    const session = new TestSession({ governedBy: consulting, names: ['alice', 'bob'] });
    expect(due(session, 29_999)).toEqual(nothing(session));
    expect(due(session, 30_000).answer).toEqual({
      state: 'CLOSED',
      close_reason: 'expectation_violated:acks_within',
    });
  });

  it('[LC5] does not close for an acks_within that only audits', () => {
    const audit = { name: 'acks_within', on_violation: 'audit', params: { seconds: 5 } };
    const session = new TestSession({ expectations: [audit] });
    expect(due(session, 5_000)).toEqual(nothing(session));
    expect(due(session, 30_000).answer.close_reason).toBe('invite_timeout');
  });

  it('[LC5] ignores the invite deadline once the session is open', () => {
    const session = new TestSession({ requiredAcks: 1 }).ack('bob');
    expect(lifecycleDeadline(session.state.head)).toBe(START_MS + 3_600_000);
    expect(due(session, 30_000)).toEqual(nothing(session));
  });

  it('[LC9] expires with ttl_expired at expires_at', () => {
    const session = openSession({ ttlMs: 60_000 });
    expect(due(session, 59_999)).toEqual(nothing(session));
    expect(due(session, 60_000)).toEqual({
      answer: { state: 'EXPIRED', close_reason: 'ttl_expired' },
      types: ['session.expired'],
    });
    expect(session.metadata.closed_at).toBe(session.log.at(-1)?.created_at);
    expect(lifecycleDeadline(session.state.head)).toBeNull();
    expect(due(session, 10_000_000)).toEqual(nothing(session));
  });

  it('[LC9] expires an INVITED session if expires_at comes first', () => {
    const session = new TestSession({ ttlMs: 10_000 });
    expect(lifecycleDeadline(session.state.head)).toBe(START_MS + 10_000);
    expect(due(session, 9_999)).toEqual(nothing(session));
    expect(due(session, 10_000).answer).toEqual({ state: 'EXPIRED', close_reason: 'ttl_expired' });
  });

  it('[LC9] does not expire a CLOSING session', () => {
    const session = openSession({ ttlMs: 10_000, drainTimeoutMs: 5_000 });
    session.nowMs += 9_000;
    close(session, 'alice');
    expect(due(session, 10_000)).toEqual(nothing(session));
    expect(due(session, 14_000).answer).toEqual({ state: 'CLOSED', close_reason: 'enough' });
  });

  it('[LC10] expires an orphaned session without TTL at the given time', () => {
    const session = openSession({ ttlMs: 0 });
    const orphanedAtMs = START_MS + 86_400_000;
    expect(lifecycleDeadline(session.state.head)).toBeNull();
    expect(due(session, 86_399_999, orphanedAtMs)).toEqual(nothing(session));
    expect(due(session, 86_400_000, null)).toEqual(nothing(session));
    expect(due(session, 86_400_000, orphanedAtMs)).toEqual({
      answer: { state: 'EXPIRED', close_reason: 'orphaned' },
      types: ['session.expired'],
    });
  });

  it('[LC10] does not orphan a session with a TTL', () => {
    const session = openSession({ ttlMs: 60_000 });
    expect(due(session, 59_999, START_MS)).toEqual(nothing(session));
  });

  it('[LC10] does not orphan an INVITED or CLOSING session', () => {
    const invited = new TestSession({ ttlMs: 0 });
    expect(due(invited, 1, START_MS)).toEqual(nothing(invited));
    const closing = openSession({ ttlMs: 0 });
    close(closing, 'alice');
    expect(due(closing, 1, START_MS)).toEqual(nothing(closing));
  });

  it('[L6] gives every live session a deadline, unless it is open without TTL', () => {
    expect(lifecycleDeadline(new TestSession({ ttlMs: 0 }).state.head)).toBe(START_MS + 30_000);
    const session = openSession({ ttlMs: 0 });
    close(session, null);
    expect(lifecycleDeadline(session.state.head)).toBe(START_MS + 5_000);
  });
});

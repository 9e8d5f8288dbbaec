import { describe, expect, it } from 'vitest';
import { closeSession, finishDraining } from '../../../src/core/decisions/end-session.ts';
import { ackInvite, rejectInvite, removeParticipant } from '../../../src/core/decisions/membership.ts';
import { idOf } from '../../../src/testing/lib/history.ts';
import { refusedAs, refusedBy } from '../refused.ts';
import { anyoneSpeaks, openSession, SESSION_ID, type Setup, TestSession } from '../session.ts';

const five = { names: ['alice', 'bob', 'carol', 'dave', 'erin'] };
const alone = anyoneSpeaks({}, { participants: { min: 1, max: null, roles: [] } });

const ack = (session: TestSession, name: string) => session.carryOut(ackInvite(session.state, idOf(name)));
const reject = (session: TestSession, name: string) =>
  session.carryOut(rejectInvite(session.state, idOf(name), 'busy'));
const remove = (session: TestSession, name: string) =>
  session.carryOut(removeParticipant(session.state, idOf(name), 'unregistered'));

/** A session of alice with bob and carol in the given state. */
function inState(state: string, setup: Setup = {}): TestSession {
  const session = state === 'INVITED' ? new TestSession(setup) : openSession(setup);
  if (state === 'EXPIRED') session.hub('session.expired', { reason: 'ttl_expired' });
  if (state === 'CLOSING' || state === 'CLOSED') session.carryOut(closeSession(session.state, null, 'enough'));
  if (state === 'CLOSED') session.carryOut(finishDraining(session.state));
  return session;
}

describe('an ack', () => {
  it('[LC3] that completes the quorum opens the session in its unit', () => {
    const session = new TestSession();
    expect(ack(session, 'carol')).toEqual({ answer: { state: 'INVITED' }, types: ['session.invite.ack'] });
    expect(session.metadata.pending_acks).toEqual(['id-bob']);
    expect(ack(session, 'bob')).toEqual({
      answer: { state: 'ACTIVE' },
      types: ['session.invite.ack', 'session.opened'],
    });
    const [bobs, opened] = session.log.slice(-2);
    expect([bobs?.audience, bobs?.event_data]).toEqual([['id-alice'], { agent_id: 'id-bob' }]);
    expect([opened?.audience, opened?.event_data]).toEqual([null, { active: ['id-alice', 'id-bob', 'id-carol'] }]);
    expect(session.metadata).toMatchObject({ state: 'ACTIVE', pending_acks: [] });
  });

  it.each([1, 2, 3, 4])('[LC3] opens a session of five as number %i of as many required acks', (requiredAcks) => {
    const session = new TestSession({ ...five, requiredAcks });
    const states = ['bob', 'carol', 'dave', 'erin'].map((name) => ack(session, name).answer.state);
    expect(states.indexOf('ACTIVE') + 1).toBe(requiredAcks);
    expect(session.types().filter((type) => type === 'session.opened')).toHaveLength(1);
  });

  it('[LC3] after the opening joins, and the adapter sees it', () => {
    const session = new TestSession({ requiredAcks: 1 }).ack('bob');
    session.say('alice', 'we begin');
    expect(session.statuses()).toEqual({ alice: 'active', bob: 'active', carol: 'invited' });
    expect(ack(session, 'carol')).toEqual({
      answer: { state: 'ACTIVE' },
      types: ['session.invite.ack', 'session.participant.joined'],
    });
    expect(session.log.at(-1)).toMatchObject({
      audience: null,
      event_data: { agent_id: 'id-carol', name: 'carol', role: 'participant', order: 2 },
    });
    expect(session.statuses().carol).toBe('active');
    expect(session.metadata.pending_acks).toEqual([]);
  });

  it('[LC3] repeated after a lost answer has no effect', () => {
    for (const state of ['ACTIVE', 'CLOSING', 'CLOSED', 'EXPIRED']) {
      const session = inState(state);
      expect(ack(session, 'bob')).toEqual({ answer: { state }, types: [] });
    }
  });

  it('[LC3, AM2] requires a pending invitee', () => {
    const session = inState('INVITED');
    expect(refusedBy(ackInvite(session.state, 'id-mallory'))).toEqual(
      refusedAs('not_found', `no session ${SESSION_ID}`),
    );
    expect(refusedBy(ackInvite(session.state, 'id-alice'))).toEqual(
      refusedAs('protocol_error', `alice has no open invite to session ${SESSION_ID}: it is active`, {
        status: 'active',
      }),
    );
  });

  it.each(['rejected', 'removed', 'hidden'] as const)('[LC3] is rejected for a participant that is %s', (status) => {
    const session = new TestSession({ ...five, requiredAcks: 1 }).ack('bob', 'carol');
    if (status === 'rejected') reject(session, 'dave');
    if (status === 'removed') remove(session, 'carol');
    if (status === 'hidden') session.hub('session.participant.hidden', { agent_id: 'id-carol' });
    const name = status === 'rejected' ? 'dave' : 'carol';
    expect(refusedBy(ackInvite(session.state, idOf(name)))).toMatchObject({
      code: 'protocol_error',
      details: { status },
    });
  });

  it.each(['CLOSING', 'CLOSED', 'EXPIRED'])('[LC3, L6] is too late for a session that is %s', (state) => {
    const session = new TestSession({ requiredAcks: 1 }).ack('bob');
    if (state === 'EXPIRED') session.hub('session.expired', { reason: 'ttl_expired' });
    else session.carryOut(closeSession(session.state, null, 'enough'));
    if (state === 'CLOSED') session.carryOut(finishDraining(session.state));
    const late = refusedBy(ackInvite(session.state, 'id-carol'));
    const reason = state === 'EXPIRED' ? 'ttl_expired' : 'enough';
    expect(late).toEqual(
      refusedAs(
        'session_closed',
        `session ${SESSION_ID} is ${state} (${reason}); its invite can no longer be answered`,
        { session_id: SESSION_ID, state, close_reason: reason },
      ),
    );
    expect(refusedBy(rejectInvite(session.state, 'id-carol', 'no'))).toEqual(late);
  });
});

describe('a reject', () => {
  /** Required acks of four invitees, and the number of rejects that ends the session. */
  it.each([
    [4, 1],
    [3, 2],
    [2, 3],
    [1, 4],
  ])('[LC4] with %i of four acks required, ends the session as number %i', (requiredAcks, fatal) => {
    const session = new TestSession({ ...five, requiredAcks });
    for (const [i, name] of ['bob', 'carol', 'dave', 'erin'].slice(0, fatal).entries()) {
      const { answer, types } = reject(session, name);
      const ends = i + 1 === fatal;
      expect(types).toEqual(ends ? ['session.invite.reject', 'session.closed'] : ['session.invite.reject']);
      expect(answer).toEqual({ state: ends ? 'CLOSED' : 'INVITED' });
      expect(session.statuses()[name]).toBe('rejected');
    }
    expect(session.metadata.close_reason).toBe('invite_rejected');
    expect(session.metadata.rejected_by).toHaveLength(fatal);
  });

  it('[LC4] counts acked invitees for the quorum', () => {
    const session = new TestSession({ ...five, requiredAcks: 3 }).ack('bob', 'carol');
    expect(reject(session, 'dave').types).toEqual(['session.invite.reject']);
    expect(reject(session, 'erin').types).toEqual(['session.invite.reject', 'session.closed']);
  });

  it('[LC4] after the opening does not end the session', () => {
    const session = new TestSession({ requiredAcks: 1 }).ack('bob');
    expect(reject(session, 'carol')).toEqual({ answer: { state: 'ACTIVE' }, types: ['session.invite.reject'] });
    expect(session.log.at(-1)).toMatchObject({
      audience: ['id-alice'],
      event_data: { agent_id: 'id-carol', reason: 'busy' },
    });
    expect(session.metadata).toMatchObject({ pending_acks: [], rejected_by: ['id-carol'] });
  });

  it('[LC4] repeated has no effect, even if the session has ended', () => {
    const session = new TestSession();
    reject(session, 'bob');
    expect(reject(session, 'bob')).toEqual({ answer: { state: 'CLOSED' }, types: [] });
  });

  it('[LC3, AM2] requires a pending invitee', () => {
    const session = new TestSession({ ...five, requiredAcks: 2 }).ack('bob');
    expect(refusedBy(rejectInvite(session.state, 'id-mallory', 'no')).code).toBe('not_found');
    for (const name of ['alice', 'bob']) {
      expect(refusedBy(rejectInvite(session.state, idOf(name), 'no'))).toMatchObject({
        code: 'protocol_error',
        details: { status: 'active' },
      });
    }
    expect(session.metadata.state).toBe('INVITED');
  });
});

describe('a participant that leaves', () => {
  it('[LC12] counts as declining if it is a pending invitee', () => {
    const session = new TestSession({ requiredAcks: 1 });
    expect(remove(session, 'bob').types).toEqual(['session.invite.reject']);
    expect(session.log.at(-1)?.event_data).toEqual({ agent_id: 'id-bob', reason: 'unregistered' });
    expect(remove(session, 'carol').types).toEqual(['session.invite.reject', 'session.closed']);
    expect(session.metadata.close_reason).toBe('invite_rejected');
  });

  it('[LC12, LC4] no longer counts for the quorum of an INVITED session', () => {
    const session = new TestSession({ ...five, requiredAcks: 3 }).ack('bob');
    expect(remove(session, 'bob').types).toEqual(['session.participant.removed']);
    expect(session.metadata.state).toBe('INVITED');
    session.ack('carol', 'dave');
    expect(session.metadata.state).toBe('INVITED');
    session.ack('erin');
    expect(session.metadata.state).toBe('ACTIVE');
    expect(session.log.at(-1)?.event_data).toEqual({ active: ['id-alice', 'id-carol', 'id-dave', 'id-erin'] });
  });

  it('[LC12, LC4] may make the quorum of an INVITED session unreachable', () => {
    const session = new TestSession({ ...five, requiredAcks: 4 }).ack('bob');
    expect(remove(session, 'bob').types).toEqual(['session.participant.removed', 'session.closed']);
    expect(session.metadata.close_reason).toBe('invite_rejected');
  });

  it('[LC12] ends an INVITED session if it is the creator', () => {
    const session = new TestSession({ requiredAcks: 1 });
    expect(remove(session, 'alice').types).toEqual(['session.participant.removed', 'session.closed']);
    expect(session.metadata).toMatchObject({ state: 'CLOSED', close_reason: 'creator_removed' });
  });

  it('[LC12] is removed from an ACTIVE session, which continues while enough remain', () => {
    const session = openSession();
    expect(remove(session, 'bob')).toEqual({ answer: { state: 'ACTIVE' }, types: ['session.participant.removed'] });
    expect(session.log.at(-1)).toMatchObject({
      audience: null,
      event_data: { agent_id: 'id-bob', reason: 'unregistered' },
    });
    expect(remove(session, 'alice').types).toEqual(['session.participant.removed', 'session.closing']);
    expect(session.metadata).toMatchObject({ state: 'CLOSING', close_reason: 'below_minimum' });
  });

  it('[LC12] closes an ACTIVE session if it is the last active one', () => {
    const session = openSession({ governedBy: alone, names: ['alice', 'bob'] });
    session.hub('session.participant.hidden', { agent_id: 'id-bob' });
    expect(remove(session, 'alice').types).toEqual(['session.participant.removed', 'session.closing']);
    expect(session.metadata.close_reason).toBe('no_active_participants');
  });

  it('[LC12] is removed from a CLOSING session, which keeps its reason', () => {
    const session = inState('CLOSING');
    expect(remove(session, 'bob')).toEqual({ answer: { state: 'CLOSING' }, types: ['session.participant.removed'] });
    expect(remove(session, 'alice').types).toEqual(['session.participant.removed']);
    expect(session.metadata.close_reason).toBe('enough');
  });

  it('[LC12] changes nothing in a CLOSING session if it is a pending invitee', () => {
    const session = new TestSession({ requiredAcks: 1 }).ack('bob');
    session.carryOut(closeSession(session.state, null, 'enough'));
    expect(remove(session, 'carol')).toEqual({ answer: { state: 'CLOSING' }, types: [] });
  });

  it.each(['CLOSED', 'EXPIRED'])('[LC12, L6] changes nothing in a session that is %s', (state) => {
    const session = inState(state);
    expect(remove(session, 'bob')).toEqual({ answer: { state }, types: [] });
  });

  it('[LC12] leaves only once', () => {
    const session = new TestSession({ ...five, requiredAcks: 1 }).ack('bob', 'carol');
    remove(session, 'carol');
    reject(session, 'dave');
    for (const name of ['carol', 'dave']) expect(remove(session, name).types).toEqual([]);
  });

  it('[AM2] gets not_found if it never was a participant', () => {
    const session = inState('ACTIVE');
    expect(refusedBy(removeParticipant(session.state, 'id-mallory', 'left')).code).toBe('not_found');
  });
});

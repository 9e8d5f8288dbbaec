import { describe, expect, it } from 'vitest';
import { closeSession, finishDraining } from '../../../src/core/decisions/end-session.ts';
import { ackInvite, rejectInvite, removeParticipant } from '../../../src/core/decisions/membership.ts';
import { idOf } from '../../../src/testing/lib/history.ts';
import { refusedBy } from '../refused.ts';
import { anyoneSpeaks, openSession, SESSION_ID, type Setup, TestSession } from '../session.ts';

const five = { names: ['alice', 'bob', 'carol', 'dave', 'erin'] };
const alone = anyoneSpeaks({}, { participants: { min: 1, max: null, roles: [] } });

const ack = (session: TestSession, name: string) => session.carryOut(ackInvite(session.state, idOf(name)));
const reject = (session: TestSession, name: string) =>
  session.carryOut(rejectInvite(session.state, idOf(name), 'busy'));
const remove = (session: TestSession, name: string) =>
  session.carryOut(removeParticipant(session.state, idOf(name), 'unregistered'));

/** Brings a session with bob and carol (alice opened it) into a state. */
function inState(state: string, setup: Setup = {}): TestSession {
  const session = state === 'INVITED' ? new TestSession(setup) : openSession(setup);
  if (state === 'EXPIRED') session.hub('session.expired', { reason: 'ttl_expired' });
  if (state === 'CLOSING' || state === 'CLOSED') session.carryOut(closeSession(session.state, null, 'enough'));
  if (state === 'CLOSED') session.carryOut(finishDraining(session.state));
  return session;
}

describe('an ack', () => {
  it('[LC3] that makes the quorum opens the session in its unit', () => {
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

  it.each([1, 2, 3, 4])('[LC3] opens a session of five when it is number %i of as many required', (requiredAcks) => {
    const session = new TestSession({ ...five, requiredAcks });
    const states = ['bob', 'carol', 'dave', 'erin'].map((name) => ack(session, name).answer.state);
    expect(states.indexOf('ACTIVE') + 1).toBe(requiredAcks);
    expect(session.types().filter((type) => type === 'session.opened')).toHaveLength(1);
  });

  it('[LC3] that comes late joins, and the adapter is told', () => {
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

  it('[LC3] repeated because its answer was lost is the same ack', () => {
    for (const state of ['ACTIVE', 'CLOSING', 'CLOSED', 'EXPIRED']) {
      const session = inState(state);
      expect(ack(session, 'bob')).toEqual({ answer: { state }, types: [] });
    }
  });

  it('[LC3, AM2] of anyone but a pending invitee is refused', () => {
    const session = inState('INVITED');
    expect(refusedBy(ackInvite(session.state, 'id-mallory'))).toEqual({
      code: 'not_found',
      message: `no session ${SESSION_ID}`,
      details: undefined,
    });
    expect(refusedBy(ackInvite(session.state, 'id-alice'))).toEqual({
      code: 'protocol_error',
      message: `alice has no open invite to session ${SESSION_ID}: it is active`,
      details: { status: 'active' },
    });
  });

  it.each(['rejected', 'removed', 'hidden'] as const)('[LC3] of someone %s is refused', (status) => {
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

  it.each(['CLOSING', 'CLOSED', 'EXPIRED'])('[LC3, L6] of a session that is %s comes too late', (state) => {
    const session = new TestSession({ requiredAcks: 1 }).ack('bob');
    if (state === 'EXPIRED') session.hub('session.expired', { reason: 'ttl_expired' });
    else session.carryOut(closeSession(session.state, null, 'enough'));
    if (state === 'CLOSED') session.carryOut(finishDraining(session.state));
    const late = refusedBy(ackInvite(session.state, 'id-carol'));
    const reason = state === 'EXPIRED' ? 'ttl_expired' : 'enough';
    expect(late).toEqual({
      code: 'session_closed',
      message: `session ${SESSION_ID} is ${state} (${reason}); its invite can no longer be answered`,
      details: { session_id: SESSION_ID, state, close_reason: reason },
    });
    expect(refusedBy(rejectInvite(session.state, 'id-carol', 'no'))).toEqual(late);
  });
});

describe('a reject', () => {
  /** Acks required of the four invitees, and how many rejects it takes to end the session. */
  it.each([
    [4, 1],
    [3, 2],
    [2, 3],
    [1, 4],
  ])('[LC4] with %i of four acks required, reject number %i ends the session', (requiredAcks, fatal) => {
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

  it('[LC4] those who acked count for the quorum', () => {
    const session = new TestSession({ ...five, requiredAcks: 3 }).ack('bob', 'carol');
    expect(reject(session, 'dave').types).toEqual(['session.invite.reject']);
    expect(reject(session, 'erin').types).toEqual(['session.invite.reject', 'session.closed']);
  });

  it('[LC4] after the opening ends nothing', () => {
    const session = new TestSession({ requiredAcks: 1 }).ack('bob');
    expect(reject(session, 'carol')).toEqual({ answer: { state: 'ACTIVE' }, types: ['session.invite.reject'] });
    expect(session.log.at(-1)).toMatchObject({
      audience: ['id-alice'],
      event_data: { agent_id: 'id-carol', reason: 'busy' },
    });
    expect(session.metadata).toMatchObject({ pending_acks: [], rejected_by: ['id-carol'] });
  });

  it('[LC4] repeated is the same reject, also when the session has ended', () => {
    const session = new TestSession();
    reject(session, 'bob');
    expect(reject(session, 'bob')).toEqual({ answer: { state: 'CLOSED' }, types: [] });
  });

  it('[LC3, AM2] of anyone but a pending invitee is refused', () => {
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

describe('someone who leaves', () => {
  it('[LC12] an INVITED session as a pending invitee has declined', () => {
    const session = new TestSession({ requiredAcks: 1 });
    expect(remove(session, 'bob').types).toEqual(['session.invite.reject']);
    expect(session.log.at(-1)?.event_data).toEqual({ agent_id: 'id-bob', reason: 'unregistered' });
    expect(remove(session, 'carol').types).toEqual(['session.invite.reject', 'session.closed']);
    expect(session.metadata.close_reason).toBe('invite_rejected');
  });

  it('[LC12, LC4] an INVITED session after its ack no longer counts for the quorum', () => {
    const session = new TestSession({ ...five, requiredAcks: 3 }).ack('bob');
    expect(remove(session, 'bob').types).toEqual(['session.participant.removed']);
    expect(session.metadata.state).toBe('INVITED');
    session.ack('carol', 'dave');
    expect(session.metadata.state).toBe('INVITED');
    session.ack('erin');
    expect(session.metadata.state).toBe('ACTIVE');
    expect(session.log.at(-1)?.event_data).toEqual({ active: ['id-alice', 'id-carol', 'id-dave', 'id-erin'] });
  });

  it('[LC12, LC4] an INVITED session after its ack may put the quorum out of reach', () => {
    const session = new TestSession({ ...five, requiredAcks: 4 }).ack('bob');
    expect(remove(session, 'bob').types).toEqual(['session.participant.removed', 'session.closed']);
    expect(session.metadata.close_reason).toBe('invite_rejected');
  });

  it('[LC12] an INVITED session as its creator ends it', () => {
    const session = new TestSession({ requiredAcks: 1 });
    expect(remove(session, 'alice').types).toEqual(['session.participant.removed', 'session.closed']);
    expect(session.metadata).toMatchObject({ state: 'CLOSED', close_reason: 'creator_removed' });
  });

  it('[LC12] an ACTIVE session is removed, and it goes on while enough are left', () => {
    const session = openSession();
    expect(remove(session, 'bob')).toEqual({ answer: { state: 'ACTIVE' }, types: ['session.participant.removed'] });
    expect(session.log.at(-1)).toMatchObject({
      audience: null,
      event_data: { agent_id: 'id-bob', reason: 'unregistered' },
    });
    expect(remove(session, 'alice').types).toEqual(['session.participant.removed', 'session.closing']);
    expect(session.metadata).toMatchObject({ state: 'CLOSING', close_reason: 'below_minimum' });
  });

  it('[LC12] an ACTIVE session as the last one active closes it', () => {
    const session = openSession({ governedBy: alone, names: ['alice', 'bob'] });
    session.hub('session.participant.hidden', { agent_id: 'id-bob' });
    expect(remove(session, 'alice').types).toEqual(['session.participant.removed', 'session.closing']);
    expect(session.metadata.close_reason).toBe('no_active_participants');
  });

  it('[LC12] a CLOSING session is removed, and the first reason stays', () => {
    const session = inState('CLOSING');
    expect(remove(session, 'bob')).toEqual({ answer: { state: 'CLOSING' }, types: ['session.participant.removed'] });
    expect(remove(session, 'alice').types).toEqual(['session.participant.removed']);
    expect(session.metadata.close_reason).toBe('enough');
  });

  it('[LC12] a CLOSING session as a pending invitee changes nothing: it can leave all the same', () => {
    const session = new TestSession({ requiredAcks: 1 }).ack('bob');
    session.carryOut(closeSession(session.state, null, 'enough'));
    expect(remove(session, 'carol')).toEqual({ answer: { state: 'CLOSING' }, types: [] });
  });

  it.each(['CLOSED', 'EXPIRED'])('[LC12, L6] a session that is %s changes nothing', (state) => {
    const session = inState(state);
    expect(remove(session, 'bob')).toEqual({ answer: { state }, types: [] });
  });

  it('[LC12] twice leaves once', () => {
    const session = new TestSession({ ...five, requiredAcks: 1 }).ack('bob', 'carol');
    remove(session, 'carol');
    reject(session, 'dave');
    for (const name of ['carol', 'dave']) expect(remove(session, name).types).toEqual([]);
  });

  it('[AM2] and was never there does not learn that the session exists', () => {
    const session = inState('ACTIVE');
    expect(refusedBy(removeParticipant(session.state, 'id-mallory', 'left')).code).toBe('not_found');
  });
});

import { describe, expect, it } from 'vitest';
import {
  hideParticipant,
  leaveSession,
  rejectInvite,
  returnParticipant,
} from '../../../src/core/decisions/membership.ts';
import { idOf } from '../../../src/testing/lib/history.ts';
import { refusedBy } from '../refused.ts';
import { openSession, SESSION_ID, TestSession } from '../session.ts';

describe('hideParticipant and returnParticipant', () => {
  it('[MB4] accept a name or id, with or without a reason', () => {
    const session = openSession();
    expect(session.carryOut(hideParticipant(session.state, 'bob', 'silent'))).toEqual({
      answer: { state: 'ACTIVE' },
      types: ['session.participant.hidden'],
    });
    expect(session.log.at(-1)).toMatchObject({ audience: null, event_data: { agent_id: 'id-bob', reason: 'silent' } });
    session.carryOut(hideParticipant(session.state, idOf('carol')));
    expect(session.log.at(-1)?.event_data).toEqual({ agent_id: 'id-carol' });
    expect(session.statuses()).toEqual({ alice: 'active', bob: 'hidden', carol: 'hidden' });
    session.carryOut(returnParticipant(session.state, 'bob'));
    expect(session.log.at(-1)).toMatchObject({
      event_type: 'session.participant.returned',
      event_data: { agent_id: 'id-bob' },
    });
    expect(session.statuses()).toEqual({ alice: 'active', bob: 'active', carol: 'hidden' });
  });

  it('[MB4] do nothing when repeated', () => {
    const session = openSession();
    expect(returnParticipant(session.state, 'bob')).toEqual({ kind: 'nothing', answer: { state: 'ACTIVE' } });
    session.carryOut(hideParticipant(session.state, 'bob'));
    expect(hideParticipant(session.state, 'bob')).toEqual({ kind: 'nothing', answer: { state: 'ACTIVE' } });
    session.hub('session.closing', { reason: 'done' });
    expect(hideParticipant(session.state, 'bob')).toEqual({ kind: 'nothing', answer: { state: 'CLOSING' } });
  });

  it('[MB4] prefer an id to an equal name', () => {
    const session = openSession();
    const participants = session.metadata.participants.map((one) =>
      one.name === 'bob' ? { ...one, name: idOf('carol') } : one,
    );
    const state = { ...session.state, metadata: { ...session.metadata, participants } };
    session.carryOut(hideParticipant(state, idOf('carol')));
    expect(session.statuses()).toEqual({ alice: 'active', bob: 'active', carol: 'hidden' });
  });

  it('[MB4] close the session when nobody is active', () => {
    const session = openSession({ names: ['alice', 'bob'] });
    session.carryOut(hideParticipant(session.state, 'bob'));
    expect(session.metadata.state).toBe('ACTIVE');
    expect(session.carryOut(hideParticipant(session.state, 'alice')).types).toEqual([
      'session.participant.hidden',
      'session.closing',
    ]);
    expect(session.metadata.close_reason).toBe('no_active_participants');
  });

  it('[MB4] reject other statuses with a reason', () => {
    const session = new TestSession({ requiredAcks: 1 });
    expect(refusedBy(hideParticipant(session.state, 'alice'))).toMatchObject({
      code: 'protocol_error',
      message: `only a participant that is active in an active session can be hidden; alice is active in session ${SESSION_ID}, which is INVITED`,
    });
    session.ack('bob');
    expect(refusedBy(hideParticipant(session.state, 'carol'))).toMatchObject({ code: 'protocol_error' });
    expect(refusedBy(returnParticipant(session.state, 'carol'))).toMatchObject({ code: 'protocol_error' });
    session.carryOut(rejectInvite(session.state, idOf('carol'), 'no'));
    expect(refusedBy(returnParticipant(session.state, 'carol')).message).toContain('carol is rejected');
    expect(() => hideParticipant(session.state, 'mallory')).toThrow(
      `session ${SESSION_ID} has no participant "mallory"; it has alice, bob, carol`,
    );
    session.hub('session.closing', { reason: 'done' });
    expect(refusedBy(hideParticipant(session.state, 'bob')).code).toBe('session_closed');
  });
});

describe('leaveSession', () => {
  it('[MB1] removes the participant once, with the reason left', () => {
    const session = openSession();
    expect(session.carryOut(leaveSession(session.state, idOf('bob'))).types).toEqual(['session.participant.removed']);
    expect(session.log.at(-1)?.event_data).toEqual({ agent_id: 'id-bob', reason: 'left' });
    expect(leaveSession(session.state, idOf('bob'))).toEqual({ kind: 'nothing', answer: { state: 'ACTIVE' } });
  });

  it('[MB1] tells an invitee to decline, and does nothing after that', () => {
    const session = new TestSession({ requiredAcks: 1 });
    expect(refusedBy(leaveSession(session.state, idOf('bob')))).toMatchObject({
      code: 'protocol_error',
      message: `you have not joined session ${SESSION_ID}; decline its invite with reject_invite`,
    });
    session.carryOut(rejectInvite(session.state, idOf('bob'), 'no'));
    expect(leaveSession(session.state, idOf('bob'))).toEqual({ kind: 'nothing', answer: { state: 'INVITED' } });
    expect(refusedBy(leaveSession(session.state, idOf('mallory'))).code).toBe('not_found');
  });

  it('[MB1, LC12] may end the session', () => {
    const pair = openSession({ names: ['alice', 'bob'] });
    pair.carryOut(leaveSession(pair.state, idOf('alice')));
    expect(pair.metadata).toMatchObject({ state: 'CLOSING', close_reason: 'below_minimum' });
    const pending = new TestSession();
    pending.carryOut(leaveSession(pending.state, idOf('alice')));
    expect(pending.metadata).toMatchObject({ state: 'CLOSED', close_reason: 'creator_removed' });
    expect(leaveSession(pending.state, idOf('bob'))).toEqual({ kind: 'nothing', answer: { state: 'CLOSED' } });
  });
});

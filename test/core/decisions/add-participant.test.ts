import { describe, expect, it } from 'vitest';
import { addParticipant, type InviteCandidate } from '../../../src/core/decisions/add-participant.ts';
import { closeSession } from '../../../src/core/decisions/end-session.ts';
import { ackInvite, rejectInvite, removeParticipant } from '../../../src/core/decisions/membership.ts';
import { DEFAULT_LIMITS } from '../../../src/core/records/access/limits.ts';
import { foldEnvelope } from '../../../src/core/state/state.ts';
import { idOf } from '../../../src/testing/lib/history.ts';
import { refusedBy } from '../refused.ts';
import { anyoneSpeaks, openSession, SESSION_ID, TestSession } from '../session.ts';

const newcomer = (name: string, role?: string): InviteCandidate => ({
  asked: name,
  agent: { agent_id: idOf(name), name },
  role,
});

const add = (session: TestSession, name: string, by = 'alice', role?: string, limits = DEFAULT_LIMITS) =>
  addParticipant(session.state, idOf(by), newcomer(name, role), limits);

describe('addParticipant', () => {
  it('[MB2] appends the invitee and keeps required_acks', () => {
    const session = openSession({ labels: { topic: 'x' } });
    const { required_acks } = session.metadata;
    const { answer, types } = session.carryOut(add(session, 'dave'));
    const dave = {
      agent_id: 'id-dave',
      name: 'dave',
      role: 'participant',
      order: 3,
      joined_at: null,
      status: 'invited',
    };
    expect({ answer, types }).toEqual({ answer: { state: 'ACTIVE', participant: dave }, types: ['session.invite'] });
    expect(session.log.at(-1)).toMatchObject({
      sender_id: 'hub',
      audience: ['id-dave'],
      event_data: {
        agent_id: 'id-dave',
        name: 'dave',
        role: 'participant',
        order: 3,
        type: 'plain',
        creator_id: 'id-alice',
        creator_name: 'alice',
        labels: { topic: 'x' },
      },
    });
    expect(session.metadata).toMatchObject({ required_acks, pending_acks: ['id-dave'], rejected_by: [] });
    expect(session.metadata.participants.at(-1)).toEqual(dave);
    expect(session.state.head.members).toMatchObject({ 'id-dave': 'invited' });
    expect(session.state.status_seq['id-dave']).toBe(session.metadata.head_seq);
  });

  it('[MB3] joins the invitee of an active session on its ack', () => {
    const session = openSession();
    session.carryOut(add(session, 'dave'));
    const { types } = session.carryOut(ackInvite(session.state, idOf('dave')));
    expect(types).toEqual(['session.invite.ack', 'session.participant.joined']);
    expect(session.log.at(-1)?.event_data).toEqual({
      agent_id: 'id-dave',
      name: 'dave',
      role: 'participant',
      order: 3,
    });
    expect(session.metadata.pending_acks).toEqual([]);
    expect(session.statuses()).toMatchObject({ dave: 'active' });
    expect(session.state.head.members).toMatchObject({ 'id-dave': 'active' });
  });

  it('[MB3] counts the ack before the opening, and tells the adapter of the join before session.opened', () => {
    const session = new TestSession({ names: ['alice', 'bob', 'carol'], requiredAcks: 2 });
    session.carryOut(add(session, 'dave'));
    expect(session.metadata).toMatchObject({
      state: 'INVITED',
      required_acks: 2,
      pending_acks: ['id-bob', 'id-carol', 'id-dave'],
    });
    session.ack('bob');
    const { types } = session.carryOut(ackInvite(session.state, idOf('dave')));
    expect(types).toEqual(['session.invite.ack', 'session.participant.joined', 'session.opened']);
    expect(session.log.at(-1)?.event_data).toEqual({ active: ['id-alice', 'id-bob', 'id-dave'] });
    expect(session.state.adapter_state).toMatchObject({ types: ['session.participant.joined', 'session.opened'] });
    expect(session.statuses()).toEqual({ alice: 'active', bob: 'active', carol: 'invited', dave: 'active' });
    expect(session.metadata.participants.find(({ name }) => name === 'dave')?.joined_at).not.toBeNull();
  });

  it('[MB2] returns existing participants and open invites unchanged', () => {
    const session = openSession();
    session.carryOut(add(session, 'dave'));
    session.hub('session.participant.hidden', { agent_id: 'id-carol' });
    for (const [name, status] of [
      ['dave', 'invited'],
      ['bob', 'active'],
      ['carol', 'hidden'],
      ['alice', 'active'],
    ] as const) {
      const decision = add(session, name, 'alice', name === 'dave' ? 'nonsense' : undefined);
      expect(decision).toMatchObject({ kind: 'nothing', answer: { state: 'ACTIVE', participant: { name, status } } });
    }
  });

  it('[MB2, LC4] invites an agent again that declined, at its old place', () => {
    const session = new TestSession({ requiredAcks: 1 });
    session.ack('carol');
    session.carryOut(rejectInvite(session.state, idOf('bob'), 'busy'));
    expect(session.metadata.rejected_by).toEqual(['id-bob']);
    const { answer } = session.carryOut(add(session, 'bob'));
    expect(answer).toMatchObject({ participant: { name: 'bob', order: 1, status: 'invited', joined_at: null } });
    expect(session.metadata).toMatchObject({ pending_acks: ['id-bob'], rejected_by: [] });
    expect(session.metadata.participants.map(({ name }) => name)).toEqual(['alice', 'bob', 'carol']);
    session.carryOut(rejectInvite(session.state, idOf('bob'), 'still busy'));
    expect(session.metadata.rejected_by).toEqual(['id-bob']);
    session.carryOut(add(session, 'bob'));
    session.ack('bob');
    expect(session.statuses()).toEqual({ alice: 'active', bob: 'active', carol: 'active' });
    expect(session.state.head.members).toEqual({ 'id-alice': 'active', 'id-bob': 'active', 'id-carol': 'active' });
  });

  it('[MB2] rejects with a reason', () => {
    const session = openSession();
    expect(refusedBy(add(session, 'dave', 'mallory'))).toMatchObject({
      code: 'not_found',
      message: `no session ${SESSION_ID}`,
    });
    expect(refusedBy(add(session, 'dave', 'bob'))).toMatchObject({
      code: 'forbidden',
      message: `only alice, the creator of session ${SESSION_ID}, may add participants`,
    });
    const unknown = addParticipant(
      session.state,
      idOf('alice'),
      { asked: 'eve', agent: null, role: undefined },
      DEFAULT_LIMITS,
    );
    expect(refusedBy(unknown)).toMatchObject({
      code: 'not_found',
      message: 'params.participant: no agent with name or id "eve" is registered',
    });
    session.carryOut(removeParticipant(session.state, idOf('bob'), 'left'));
    expect(refusedBy(add(session, 'bob'))).toMatchObject({
      code: 'protocol_error',
      message: `bob was removed from session ${SESSION_ID} and cannot be invited again`,
    });
    for (const role of ['initiator', 'judge']) {
      expect(refusedBy(add(session, 'dave', 'alice', role))).toMatchObject({
        code: 'protocol_error',
        message: `params.role: plain has no role "${role}"; valid roles: participant`,
      });
    }
    session.hub('session.participant.hidden', { agent_id: 'id-alice' });
    expect(refusedBy(add(session, 'dave'))).toMatchObject({
      code: 'forbidden',
      message: `you are hidden in session ${SESSION_ID} and may not add participants`,
    });
    session.hub('session.participant.returned', { agent_id: 'id-alice' });
    session.carryOut(closeSession(session.state, null, 'done'));
    expect(refusedBy(add(session, 'dave')).code).toBe('session_closed');
    session.hub('session.closed', { reason: 'done' });
    expect(refusedBy(add(session, 'dave')).code).toBe('session_closed');
  });

  it('[MB2] accepts a role of the session type', () => {
    const manifest = { participants: { min: 1, max: null, roles: ['initiator', 'judge'] } };
    const session = openSession({ governedBy: anyoneSpeaks({}, manifest) });
    expect(session.carryOut(add(session, 'dave', 'alice', 'judge')).answer.participant.role).toBe('judge');
    expect(session.carryOut(add(session, 'erin')).answer.participant.role).toBe('participant');
  });

  it('[MB2] accepts no more participants than the type; declining or leaving makes room', () => {
    const manifest = { participants: { min: 1, max: 3, roles: [] } };
    const session = openSession({ governedBy: anyoneSpeaks({}, manifest) });
    expect(refusedBy(add(session, 'dave'))).toMatchObject({
      code: 'protocol_error',
      message: `session ${SESSION_ID} is full: plain allows at most 3 participants`,
    });
    session.carryOut(removeParticipant(session.state, idOf('bob'), 'left'));
    session.carryOut(add(session, 'dave'));
    expect(refusedBy(add(session, 'erin')).code).toBe('protocol_error');
    session.carryOut(rejectInvite(session.state, idOf('dave'), 'no'));
    expect(session.carryOut(add(session, 'erin')).answer.participant.order).toBe(4);
    expect(refusedBy(add(session, 'dave')).code).toBe('protocol_error');
  });

  it('[MB2, RE6] accepts no more participants than the hub, including those that left', () => {
    const session = openSession({ governedBy: anyoneSpeaks({}, { participants: { min: 1, max: null, roles: [] } }) });
    const limits = { ...DEFAULT_LIMITS, maxParticipants: 3 };
    session.carryOut(removeParticipant(session.state, idOf('bob'), 'left'));
    expect(refusedBy(add(session, 'dave', 'alice', undefined, limits))).toMatchObject({
      code: 'protocol_error',
      message: `session ${SESSION_ID} has had 3 participants; at most 3 are allowed`,
    });
    // An agent that declined keeps its place.
    const asked = new TestSession({ requiredAcks: 1 });
    asked.carryOut(rejectInvite(asked.state, idOf('bob'), 'busy'));
    expect(asked.carryOut(add(asked, 'bob', 'alice', undefined, limits)).types).toEqual(['session.invite']);
  });

  it('[L3] folds the log to the same state', () => {
    const session = new TestSession({ requiredAcks: 1 });
    session.carryOut(rejectInvite(session.state, idOf('bob'), 'busy'));
    session.carryOut(add(session, 'dave'));
    session.ack('dave');
    session.carryOut(add(session, 'bob'));
    session.carryOut(add(session, 'erin'));
    session.ack('bob');
    const context = { adapter: null, epoch: 1 };
    const folded = session.log.reduce<TestSession['state'] | null>(
      (state, one) => foldEnvelope(state, one, context),
      null,
    );
    expect({ ...folded, adapter_state: null }).toEqual({ ...session.state, adapter_state: null });
  });
});

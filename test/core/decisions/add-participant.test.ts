import { describe, expect, it } from 'vitest';
import { addParticipant, type InviteCandidate } from '../../../src/core/decisions/add-participant.ts';
import { closeSession } from '../../../src/core/decisions/end-session.ts';
import { ackInvite, rejectInvite, removeParticipant } from '../../../src/core/decisions/membership.ts';
import { DEFAULT_LIMITS } from '../../../src/core/records/access/limits.ts';
import { foldEnvelope } from '../../../src/core/state/state.ts';
import { idOf } from '../../../src/testing/lib/history.ts';
import { anyoneSpeaks, openSession, SESSION_ID, TestSession } from '../session.ts';

const newcomer = (name: string, role?: string): InviteCandidate => ({
  asked: name,
  agent: { agent_id: idOf(name), name },
  role,
});

const add = (session: TestSession, name: string, by = 'alice', role?: string, limits = DEFAULT_LIMITS) =>
  addParticipant(session.state, idOf(by), newcomer(name, role), limits);

function refusalOf(decision: ReturnType<typeof add>): { readonly code: string; readonly message: string } {
  if (decision.kind !== 'refuse') throw new Error(`expected a refusal, got ${decision.kind}`);
  return { code: decision.error.code, message: decision.error.message };
}

describe('addParticipant', () => {
  it('[MB2] invites a newcomer, who is put last; required_acks stays', () => {
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

  it('[MB3] in an active session the ack joins', () => {
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

  it('[MB3] before it opens the ack counts, and the adapter hears who joined before it hears who is active', () => {
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

  it('[MB2] who is in or asked already is not asked again', () => {
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

  it('[MB2, LC4] who declined is asked again, at its place, and no longer counts as declined', () => {
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

  it('[MB2] is refused, with a reason, where it may not be', () => {
    const session = openSession();
    expect(refusalOf(add(session, 'dave', 'mallory'))).toEqual({
      code: 'not_found',
      message: `no session ${SESSION_ID}`,
    });
    expect(refusalOf(add(session, 'dave', 'bob'))).toEqual({
      code: 'forbidden',
      message: `only alice, who created session ${SESSION_ID}, may add to it`,
    });
    const unknown = addParticipant(
      session.state,
      idOf('alice'),
      { asked: 'eve', agent: null, role: undefined },
      DEFAULT_LIMITS,
    );
    expect(refusalOf(unknown)).toEqual({
      code: 'not_found',
      message: 'params.participant: no agent with name or id "eve" is registered',
    });
    session.carryOut(removeParticipant(session.state, idOf('bob'), 'left'));
    expect(refusalOf(add(session, 'bob'))).toEqual({
      code: 'protocol_error',
      message: `bob was removed from session ${SESSION_ID}, and that is for good`,
    });
    for (const role of ['initiator', 'judge']) {
      expect(refusalOf(add(session, 'dave', 'alice', role))).toEqual({
        code: 'protocol_error',
        message: `params.role: plain has no role "${role}" to give; it has participant`,
      });
    }
    session.hub('session.participant.hidden', { agent_id: 'id-alice' });
    expect(refusalOf(add(session, 'dave'))).toEqual({
      code: 'forbidden',
      message: `you are hidden in session ${SESSION_ID} and may not add to it`,
    });
    session.hub('session.participant.returned', { agent_id: 'id-alice' });
    session.carryOut(closeSession(session.state, null, 'done'));
    expect(refusalOf(add(session, 'dave')).code).toBe('session_closed');
    session.hub('session.closed', { reason: 'done' });
    expect(refusalOf(add(session, 'dave')).code).toBe('session_closed');
  });

  it('[MB2] takes a role of the session type', () => {
    const manifest = { participants: { min: 1, max: null, roles: ['initiator', 'judge'] } };
    const session = openSession({ governedBy: anyoneSpeaks({}, manifest) });
    expect(session.carryOut(add(session, 'dave', 'alice', 'judge')).answer.participant.role).toBe('judge');
    expect(session.carryOut(add(session, 'erin')).answer.participant.role).toBe('participant');
  });

  it('[MB2] takes no more than the type does; who declined or left makes room', () => {
    const manifest = { participants: { min: 1, max: 3, roles: [] } };
    const session = openSession({ governedBy: anyoneSpeaks({}, manifest) });
    expect(refusalOf(add(session, 'dave'))).toEqual({
      code: 'protocol_error',
      message: `plain takes at most 3 participants, and session ${SESSION_ID} has them`,
    });
    session.carryOut(removeParticipant(session.state, idOf('bob'), 'left'));
    session.carryOut(add(session, 'dave'));
    expect(refusalOf(add(session, 'erin')).code).toBe('protocol_error');
    session.carryOut(rejectInvite(session.state, idOf('dave'), 'no'));
    expect(session.carryOut(add(session, 'erin')).answer.participant.order).toBe(4);
    expect(refusalOf(add(session, 'dave')).code).toBe('protocol_error');
  });

  it('[MB2, RE6] takes no more than the hub does, those who left included', () => {
    const session = openSession({ governedBy: anyoneSpeaks({}, { participants: { min: 1, max: null, roles: [] } }) });
    const limits = { ...DEFAULT_LIMITS, maxParticipants: 3 };
    session.carryOut(removeParticipant(session.state, idOf('bob'), 'left'));
    expect(refusalOf(add(session, 'dave', 'alice', undefined, limits))).toEqual({
      code: 'protocol_error',
      message: `session ${SESSION_ID} has had 3 participants, and 3 are the most`,
    });
    // Who declined has its place already.
    const asked = new TestSession({ requiredAcks: 1 });
    asked.carryOut(rejectInvite(asked.state, idOf('bob'), 'busy'));
    expect(asked.carryOut(add(asked, 'bob', 'alice', undefined, limits)).types).toEqual(['session.invite']);
  });

  it('[L3] folds to the same from the log', () => {
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

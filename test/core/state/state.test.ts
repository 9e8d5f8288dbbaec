import fc from 'fast-check';
import { consulting } from 'parley-hub/adapters/consulting';
import { conversation } from 'parley-hub/adapters/conversation';
import { describe, expect, it } from 'vitest';
import { admitPost } from '../../../src/core/decisions/admit.ts';
import { applyDueDeadline, closeSession, finishDraining } from '../../../src/core/decisions/end-session.ts';
import { ackInvite, rejectInvite, removeParticipant } from '../../../src/core/decisions/membership.ts';
import { type CompleteAdapter, completeAdapter, type SessionAdapter } from '../../../src/core/ports/adapter.ts';
import type { Envelope } from '../../../src/core/records/session/envelope.ts';
import { isTerminal } from '../../../src/core/records/session/session.ts';
import type { Head } from '../../../src/core/records/session/unit.ts';
import { foldHead } from '../../../src/core/state/fold-head.ts';
import { foldEnvelope, type SessionState } from '../../../src/core/state/state.ts';
import { idOf } from '../../../src/testing/lib/history.ts';
import { itDeep } from '../../support/size.ts';
import { anyoneSpeaks, draft, openSession, type Setup, TestSession } from '../session.ts';

const runs = { numRuns: 1000 };
const names = ['alice', 'bob', 'carol', 'dave'];

/** Passes the turn among the active participants and closes at "bye", to use all adapter members. */
const relay: SessionAdapter = anyoneSpeaks({
  initialState: () => ({ next: 0, since: 0 }),
  fold: ({ event_type, seq }, state) =>
    event_type === 'msg.text' ? { next: (state as { next: number }).next + 1, since: seq } : state,
  onAccepted: (_metadata, { event_data }) => (event_data.text === 'bye' ? { next_state: 'CLOSING' } : {}),
  expectedNext({ participants }, state) {
    const { next, since } = state as { next: number; since: number };
    const active = participants.filter(({ status }) => status === 'active');
    const agent_id = active[next % Math.max(active.length, 1)]?.agent_id;
    return agent_id === undefined || since === 0 ? null : { agent_id, since_seq: since };
  },
});

const setups = fc.constantFrom<Setup>(
  { governedBy: consulting, names: ['alice', 'bob'] },
  { governedBy: conversation, names: ['alice', 'bob'], ttlMs: 0 },
  { governedBy: relay, names },
  { governedBy: relay, names, requiredAcks: 1, ttlMs: 20_000 },
  { governedBy: relay, names, requiredAcks: 2, maxEnvelopes: 14 },
  { governedBy: anyoneSpeaks(), names, requiredAcks: 3, ttlMs: 10_000 },
);
const move = fc.record({
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('ack', 'say', 'note') },
    { weight: 3, arbitrary: fc.constantFrom('hide', 'return', 'wait') },
    { weight: 1, arbitrary: fc.constantFrom('reject', 'remove', 'close', 'drain', 'bye') },
  ),
  name: fc.constantFrom(...names),
  ms: fc.integer({ min: 0, max: 12_000 }),
});
type Move = typeof move extends fc.Arbitrary<infer T> ? T : never;
/** Half from the start, half with everyone joined. */
const sessions = fc
  .tuple(setups, fc.boolean(), fc.array(move, { maxLength: 30 }))
  .map(([setup, joined, moves]) => played(joined ? openSession(setup) : new TestSession(setup), moves, setup));

interface Played {
  readonly session: TestSession;
  readonly adapter: CompleteAdapter;
}

function played(session: TestSession, moves: readonly Move[], { governedBy = relay }: Setup): Played {
  const adapter = completeAdapter(governedBy);
  for (const one of moves) play(session, one, adapter);
  return { session, adapter };
}

/** Applies the move if it is allowed now. */
function play(session: TestSession, { kind, name, ms }: Move, adapter: CompleteAdapter): void {
  const { state } = session;
  const id = idOf(name);
  const status = session.statuses()[name];
  const live = !isTerminal(session.metadata.state);
  const post = (event_type: string, text: string) =>
    admitPost(draft(name, { event_type, event_data: { text } }), {
      state,
      adapter,
      unavailable: null,
      bound: true,
      repeat: undefined,
      expectedSeq: null,
      denied: null,
      retryAfterMs: 0,
      inbox: null,
    });
  const decision = () => {
    switch (kind) {
      case 'ack':
        return ackInvite(state, id);
      case 'reject':
        return rejectInvite(state, id, 'busy');
      case 'remove':
        return removeParticipant(state, id, 'left');
      case 'close':
        return closeSession(state, id, 'enough');
      case 'drain':
        return finishDraining(state);
      case 'wait':
        session.nowMs += ms;
        return applyDueDeadline(state, session.nowMs, null);
      default:
        return post(kind === 'note' ? 'note' : 'msg.text', kind);
    }
  };
  if (kind === 'hide' || kind === 'return') {
    const may = live && status === (kind === 'hide' ? 'active' : 'hidden');
    const type = kind === 'hide' ? 'session.participant.hidden' : 'session.participant.returned';
    if (may) session.hub(type, { agent_id: id });
    return;
  }
  const decided = decision();
  if (decided.kind === 'append') session.append(...decided.drafts);
}

function folded(log: readonly Envelope[], adapter: CompleteAdapter | null, from: SessionState | null = null) {
  return log.reduce<SessionState | null>(
    (state, envelope) => foldEnvelope(state, envelope, { adapter, epoch: 1 }),
    from,
  );
}

describe('the state of a session', () => {
  itDeep('[L3, RE7] equals the fold of its log, with the same turns', () => {
    const reached = new Set<string>();
    fc.assert(
      fc.property(sessions, ({ session, adapter }) => {
        reached.add(session.metadata.state);
        expect(folded(session.log, adapter)).toStrictEqual(session.state);
        let state: SessionState | null = null;
        for (const { envelope, turn } of session.entries) {
          state = foldEnvelope(state, envelope, { adapter, epoch: 1 });
          expect(state.head.turn).toEqual(turn);
        }
      }),
      runs,
    );
    expect([...reached].sort()).toEqual(['ACTIVE', 'CLOSED', 'CLOSING', 'EXPIRED', 'INVITED']);
  });

  itDeep('[L3] survives JSON and continues to fold equally', () => {
    fc.assert(
      fc.property(sessions, fc.nat(), ({ session, adapter }, cut) => {
        const at = 1 + (cut % session.log.length);
        const snapshot = folded(session.log.slice(0, at), adapter);
        const restored = JSON.parse(JSON.stringify(snapshot)) as SessionState;
        expect(restored).toStrictEqual(snapshot);
        expect(folded(session.log.slice(at), adapter, restored)).toStrictEqual(session.state);
      }),
      runs,
    );
  });

  it('[L3] has a head that equals the fold of its entries and matches its metadata', () => {
    fc.assert(
      fc.property(sessions, ({ session }) => {
        const { metadata, head } = session.state;
        expect(session.entries.reduce<Head | null>(foldHead, null)).toStrictEqual(head);
        const { state, created_at, closed_at, close_reason, expires_at, creator_id, labels, manifest } = metadata;
        expect(head).toMatchObject({ state, created_at, closed_at, close_reason, expires_at, creator_id, labels });
        expect(head).toMatchObject({ session_id: metadata.session_id, seq: metadata.head_seq });
        expect([head.type, head.version]).toEqual([manifest.type, manifest.version]);
        expect(Object.entries(head.members)).toEqual(metadata.participants.map((one) => [one.agent_id, one.status]));
        expect(head.envelope_id).toBe(session.log.at(-1)?.envelope_id);
        const removed = metadata.participants.filter(({ status }) => status === 'removed');
        expect(head.left).toEqual(
          Object.fromEntries(removed.map(({ agent_id }) => [agent_id, session.state.status_seq[agent_id]])),
        );
      }),
      runs,
    );
  });

  it('[L2, L4, L6] has a gap-free log without entries after the end or content after the closing', () => {
    fc.assert(
      fc.property(sessions, ({ session }) => {
        expect(session.log.map(({ seq }) => seq)).toEqual(session.log.map((_, i) => i + 1));
        const types = session.types();
        const last = types.findIndex((type) => type === 'session.closed' || type === 'session.expired');
        if (last !== -1) expect(last).toBe(types.length - 1);
        const closing = types.indexOf('session.closing');
        const opened = types.indexOf('session.opened');
        for (const [i, { sender_id }] of session.log.entries()) {
          if (sender_id === 'hub') continue;
          expect(opened !== -1 && i > opened && (closing === -1 || i < closing)).toBe(true);
        }
        for (const once of ['session.created', 'session.opened', 'session.closing']) {
          expect(types.filter((type) => type === once).length).toBeLessThanOrEqual(1);
        }
      }),
      runs,
    );
  });

  it('[L6, LC12] is never open without active participants or with too few members', () => {
    fc.assert(
      fc.property(sessions, ({ session }) => {
        const { state, participants, manifest, required_acks, pending_acks } = session.metadata;
        const count = (...statuses: string[]) => participants.filter(({ status }) => statuses.includes(status)).length;
        if (state === 'ACTIVE') {
          expect(count('active')).toBeGreaterThan(0);
          expect(count('active', 'hidden')).toBeGreaterThanOrEqual(manifest.participants.min);
        }
        expect(pending_acks).toHaveLength(count('invited'));
        if (state === 'INVITED') expect(count('active', 'hidden', 'invited') - 1).toBeGreaterThanOrEqual(required_acks);
      }),
      runs,
    );
  });

  it("[LC13] folds without an adapter, except for the adapter's state and the turn", () => {
    fc.assert(
      fc.property(sessions, ({ session }) => {
        const bare = folded(session.log, null);
        expect(bare?.metadata).toStrictEqual(session.metadata);
        expect(bare?.status_seq).toStrictEqual(session.state.status_seq);
        expect(bare?.adapter_state).toBeUndefined();
        expect(bare?.head).toStrictEqual({ ...session.state.head, turn: null });
      }),
      runs,
    );
  });

  it('[L3] is not changed by later folds', () => {
    fc.assert(
      fc.property(sessions, ({ session, adapter }) => {
        let state = deepFreeze(folded(session.log.slice(0, 1), adapter));
        for (const envelope of session.log.slice(1)) {
          state = deepFreeze(foldEnvelope(state, envelope, { adapter, epoch: 1 }));
        }
        expect(state).toStrictEqual(session.state);
      }),
      runs,
    );
  });
});

describe('participants and lifecycle in the state', () => {
  it('[RE7] have the status, its seq and the join time of each participant', () => {
    const session = new TestSession({ names, requiredAcks: 2 });
    session.nowMs += 1_000;
    session.ack('bob', 'carol');
    session.hub('session.participant.hidden', { agent_id: 'id-bob' });
    session.hub('session.participant.returned', { agent_id: 'id-bob' });
    session.hub('session.participant.hidden', { agent_id: 'id-carol' });
    session.hub('session.participant.removed', { agent_id: 'id-bob' });
    session.say('alice', 'anyone?');
    expect(session.types(5)).toEqual([
      'session.invite.ack',
      'session.invite.ack',
      'session.opened',
      'session.participant.hidden',
      'session.participant.returned',
      'session.participant.hidden',
      'session.participant.removed',
      'msg.text',
    ]);
    expect(session.statuses()).toEqual({ alice: 'active', bob: 'removed', carol: 'hidden', dave: 'invited' });
    expect(session.state.status_seq).toEqual({ 'id-alice': 1, 'id-bob': 11, 'id-carol': 10, 'id-dave': 1 });
    expect(session.metadata.participants.map(({ joined_at }) => joined_at)).toEqual([
      '2026-01-01T00:00:00.000Z',
      '2026-01-01T00:00:01.000Z',
      '2026-01-01T00:00:01.000Z',
      null,
    ]);
  });

  it('[RE7] take a new participant from the envelope', () => {
    const session = openSession();
    session.hub('session.participant.joined', { agent_id: 'id-zoe', name: 'zoe', role: 'participant', order: 3 });
    expect(session.metadata.participants.at(-1)).toEqual({
      agent_id: 'id-zoe',
      name: 'zoe',
      role: 'participant',
      order: 3,
      joined_at: '2026-01-01T00:00:00.000Z',
      status: 'active',
    });
    expect(session.state.status_seq['id-zoe']).toBe(7);
    expect(session.state.head.members['id-zoe']).toBe('active');
  });

  it('[RE7] ignore a repeated join, and return a hidden participant on a join', () => {
    const session = openSession();
    const before = session.metadata.participants;
    session.nowMs += 1_000;
    session.hub('session.participant.joined', { agent_id: 'id-bob', name: 'bob', role: 'participant', order: 1 });
    expect(session.metadata.participants).toEqual(before);
    session.hub('session.participant.hidden', { agent_id: 'id-bob' });
    session.hub('session.participant.joined', { agent_id: 'id-bob', name: 'bob', role: 'participant', order: 1 });
    expect(session.metadata.participants[1]).toMatchObject({ status: 'active', joined_at: '2026-01-01T00:00:01.000Z' });
  });

  it('[RE7] have the times and the reason of the closing and the end', () => {
    const session = openSession();
    session.nowMs += 1_000;
    session.hub('session.closing', { reason: 'enough' });
    expect(session.state.head).toMatchObject({
      closing_at: '2026-01-01T00:00:01.000Z',
      closing_seq: 7,
      closed_at: null,
    });
    session.nowMs += 1_000;
    session.hub('session.closed', { reason: 'enough' });
    expect(session.state.head).toMatchObject({ closed_at: '2026-01-01T00:00:02.000Z', close_reason: 'enough' });
    expect(session.metadata).toMatchObject({ closed_at: '2026-01-01T00:00:02.000Z', close_reason: 'enough' });
  });
});

describe("the adapter's fold", () => {
  it('[L3] sees content, context.set and five hub types, once each', () => {
    const session = new TestSession({ names, requiredAcks: 1 }).ack('bob', 'carol');
    session.append(
      draft('alice', { event_type: 'msg.packet' }),
      draft('alice', { event_type: 'context.set' }),
      draft('alice', { event_type: 'note' }),
      draft('alice', { event_type: 'task.progress' }),
    );
    session.hub('expectation.violated', {});
    session.hub('task.expired', {});
    for (const what of ['hidden', 'returned', 'removed'] as const) {
      session.hub(`session.participant.${what}`, { agent_id: 'id-carol' });
    }
    session.hub('session.invite.reject', { agent_id: 'id-dave' });
    session.hub('session.closing', { reason: 'x' });
    session.hub('session.closed', { reason: 'x' });
    expect(session.state.adapter_state).toEqual({
      folded: 8,
      types: [
        'session.opened',
        'session.participant.joined',
        'msg.packet',
        'context.set',
        'note',
        'session.participant.hidden',
        'session.participant.returned',
        'session.participant.removed',
      ],
    });
  });

  it('[DL11] gives a turn only while the session is ACTIVE', () => {
    const session = openSession({ governedBy: consulting, names: ['alice', 'bob'] });
    expect(session.state.head.turn).toEqual({ agent_id: 'id-alice', since_seq: 4 });
    session.hub('session.closing', { reason: 'enough' });
    expect(session.state.head.turn).toBeNull();
  });
});

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}

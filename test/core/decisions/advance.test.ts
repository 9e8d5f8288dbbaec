import { consulting } from 'parley-hub/adapters/consulting';
import { describe, expect, it } from 'vitest';
import { advance, endDraft, type Governance } from '../../../src/core/decisions/advance.ts';
import { ackInvite } from '../../../src/core/decisions/membership.ts';
import { HubError, ProtocolError, WireError } from '../../../src/core/lib/errors.ts';
import type { SessionAdapter } from '../../../src/core/ports/adapter.ts';
import type { LifecycleEvent } from '../../../src/core/state/lifecycle.ts';
import { refused } from '../refused.ts';
import { anyoneSpeaks, draft, openSession, TestSession } from '../session.ts';

const alone = anyoneSpeaks({}, { participants: { min: 1, max: null, roles: [] } });
const gone = (name: string) => ({ agent_id: `id-${name}`, reason: 'left' });

describe('a unit', () => {
  it('[LC8, L4] contains the reply and the closing it causes', () => {
    const session = openSession({ governedBy: consulting, names: ['alice', 'bob'] });
    expect(session.say('alice', 'how far is the moon?').entries).toHaveLength(1);
    const { entries, after } = session.say('bob', '384,400 km');
    expect(entries.map(({ envelope, turn }) => [envelope.seq, envelope.event_type, turn])).toEqual([
      [6, 'msg.text', null],
      [7, 'session.closing', null],
    ]);
    expect(entries[1]?.envelope).toMatchObject({
      sender_id: 'hub',
      audience: null,
      event_data: { reason: 'consulting_complete' },
    });
    expect(after.metadata).toMatchObject({ state: 'CLOSING', close_reason: 'consulting_complete', head_seq: 7 });
  });

  it('[LC8, DL11] records the turn after each entry', () => {
    const session = new TestSession({ governedBy: consulting, names: ['alice', 'bob'] });
    session.ack('bob');
    expect(session.entries.map(({ turn }) => turn)).toEqual([null, null, null, { agent_id: 'id-alice', since_seq: 4 }]);
    expect(session.say('alice', 'how far?').entries[0]?.turn).toEqual({ agent_id: 'id-bob', since_seq: 5 });
  });

  it('[LC8] calls onAccepted only for content of participants', () => {
    const asked: string[] = [];
    const governedBy = anyoneSpeaks({
      onAccepted(metadata, { event_type, seq }, state) {
        asked.push(`${event_type} ${seq} at ${metadata.head_seq}, ${(state as { folded: number }).folded} folded`);
        return {};
      },
    });
    const session = openSession({ governedBy });
    for (const event_type of ['msg.text', 'context.set', 'note', 'task.progress']) {
      session.append(draft('alice', { event_type }));
    }
    session.hub('session.participant.hidden', gone('bob'));
    expect(asked).toEqual(['msg.text 7 at 7, 2 folded', 'context.set 8 at 8, 3 folded', 'note 9 at 9, 4 folded']);
  });

  it('[LC8] closes when the adapter says so, with or without a reason', () => {
    const closing = (result: ReturnType<SessionAdapter['onAccepted']>) => {
      const session = openSession({ governedBy: anyoneSpeaks({ onAccepted: () => result }) });
      session.say('alice', 'hi');
      return session.metadata.close_reason;
    };
    expect(closing({ next_state: 'CLOSING', close_reason: 'done' })).toBe('done');
    expect(closing({ next_state: 'CLOSING' })).toBe('adapter_closed');
    expect(closing({ close_reason: 'not asked for' })).toBeNull();
    expect(closing({})).toBeNull();
  });

  it("[LC13] folds without an adapter, except for the adapter's state and the turn", () => {
    const session = openSession({ governedBy: consulting, names: ['alice', 'bob'] });
    const governance: Governance = {
      adapter: null,
      epoch: 1,
      maxEnvelopes: 100,
      stamp: () => ({ envelope_id: 'f'.repeat(32), created_at: '2026-01-01T00:00:00.000Z' }),
    };
    const { after } = advance(session.state, [endDraft(session.metadata, 'close', 'enough')], governance);
    expect(after.metadata.state).toBe('CLOSING');
    expect(after.adapter_state).toBe(session.state.adapter_state);
    expect(after.head.turn).toBeNull();
  });

  it('[LC8] requires a draft', () => {
    const nothing = () => advance(null, [], { adapter: null, epoch: 1, maxEnvelopes: 9, stamp: () => never() });
    expect(nothing).toThrow(HubError);
    expect(nothing).toThrow('a unit needs at least one draft');
  });
});

describe('stamping', () => {
  it('[RE3, L2] assigns gap-free seqs with increasing ids and times, and freezes the envelope', () => {
    const session = openSession();
    session.nowMs -= 60_000;
    for (let i = 0; i < 5; i++) session.say('alice', `${i}`);
    const { log } = session;
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, i) => i + 1));
    for (const [i, after] of log.slice(1).entries()) {
      const before = log[i];
      expect(after.envelope_id > (before?.envelope_id ?? '')).toBe(true);
      expect(after.created_at >= (before?.created_at ?? '')).toBe(true);
    }
    expect(log.every((envelope) => Object.isFrozen(envelope))).toBe(true);
  });

  it('[RE3, RE4] requests a stamp after the last one of the session', () => {
    const session = openSession();
    const asked: (string | null)[] = [];
    const stamps = ['e'.repeat(32), 'f'.repeat(32)];
    const governance: Governance = {
      adapter: null,
      epoch: 1,
      maxEnvelopes: 100,
      stamp(last) {
        asked.push(last);
        return { envelope_id: stamps[asked.length - 1] ?? '', created_at: '2026-01-02T00:00:00.000Z' };
      },
    };
    advance(session.state, [draft('alice'), draft('bob')], governance);
    expect(asked).toEqual([session.state.head.envelope_id, 'e'.repeat(32)]);
  });

  it('[RE3] overwrites forged members of a draft', () => {
    const session = openSession();
    const forged = { ...draft('alice'), seq: 99, envelope_id: 'forged', depth: 9, created_at: 'forged' };
    const { entries } = session.append(forged);
    expect(entries[0]?.envelope).toMatchObject({ seq: 7, depth: 0, created_at: '2026-01-01T00:00:00.000Z' });
    expect(entries[0]?.envelope.envelope_id).toMatch(/^[0-9a-f]{32}$/);
  });

  it.each([
    [null, 0],
    [{ session_id: 'p', depth: 0 }, 1],
    [{ session_id: 'p', depth: 4 }, 5],
  ])('[RE3] gives a child of %j the depth %i', (parent, depth) => {
    const session = openSession({ parent });
    session.say('alice', 'hi');
    expect(new Set(session.log.map((envelope) => envelope.depth))).toEqual(new Set([depth]));
    expect(session.metadata.depth).toBe(depth);
  });
});

describe('a full log', () => {
  it('[RE6] closes with log_full in the unit that fills it', () => {
    const session = openSession({ maxEnvelopes: 8 });
    expect(session.say('alice', 'seven').entries).toHaveLength(1);
    const { entries } = session.say('alice', 'eight');
    expect(entries.map(({ envelope }) => envelope.event_type)).toEqual(['msg.text', 'session.closing']);
    expect(session.metadata).toMatchObject({ state: 'CLOSING', close_reason: 'log_full', head_seq: 9 });
  });

  it('[RE6] keeps the reason of an adapter that closes', () => {
    const onAccepted = () => ({ next_state: 'CLOSING', close_reason: 'done' }) as const;
    const session = openSession({ governedBy: anyoneSpeaks({ onAccepted }), maxEnvelopes: 7 });
    expect(session.say('alice', 'seven').entries).toHaveLength(2);
    expect(session.metadata.close_reason).toBe('done');
  });

  it('[RE6, LC8] closes after the whole unit, never between two of its drafts', () => {
    const session = new TestSession({ requiredAcks: 1, maxEnvelopes: 6 }).ack('bob');
    expect(session.metadata.head_seq).toBe(5);
    const { types } = session.carryOut(ackInvite(session.state, 'id-carol'));
    expect(types).toEqual(['session.invite.ack', 'session.participant.joined', 'session.closing']);
    expect(session.metadata.close_reason).toBe('log_full');
  });

  it('[RE6] closes when a change of participants fills it', () => {
    const session = openSession({ maxEnvelopes: 7 });
    session.hub('session.participant.hidden', gone('bob'));
    expect(session.metadata).toMatchObject({ state: 'CLOSING', close_reason: 'log_full' });
  });

  it('[RE6, LC7] still accepts the end of the session', () => {
    const session = openSession({ maxEnvelopes: 7 });
    session.say('alice', 'seven');
    session.append(endDraft(session.metadata, 'drained', 'log_full'));
    expect(session.types(7)).toEqual(['msg.text', 'session.closing', 'session.closed']);
  });
});

describe('the remaining participants', () => {
  it('[LC12] below_minimum in the same unit, counting hidden participants', () => {
    const session = openSession();
    session.hub('session.participant.hidden', gone('bob'));
    session.hub('session.participant.removed', gone('carol'));
    expect(session.metadata.state).toBe('ACTIVE');
    const { entries } = session.hub('session.participant.removed', gone('bob'));
    expect(entries.map(({ envelope }) => envelope.event_type)).toEqual([
      'session.participant.removed',
      'session.closing',
    ]);
    expect(session.metadata.close_reason).toBe('below_minimum');
  });

  it('[LC12] no_active_participants if all are hidden or removed', () => {
    for (const how of ['session.participant.hidden', 'session.participant.removed'] as const) {
      const session = openSession({ governedBy: alone });
      session.hub(how, gone('alice'));
      session.hub(how, gone('bob'));
      expect(session.metadata.state).toBe('ACTIVE');
      session.hub(how, gone('carol'));
      expect(session.metadata).toMatchObject({ state: 'CLOSING', close_reason: 'no_active_participants' });
    }
  });

  it('[LC12] report no_active_participants before below_minimum', () => {
    const session = openSession({ names: ['alice', 'bob'] });
    session.hub('session.participant.hidden', gone('alice'));
    session.hub('session.participant.removed', gone('bob'));
    expect(session.metadata.close_reason).toBe('no_active_participants');
  });

  it('[LC12] do not include open invites', () => {
    const session = new TestSession({ requiredAcks: 1 }).ack('bob');
    session.hub('session.participant.removed', gone('bob'));
    expect(session.metadata.close_reason).toBe('below_minimum');
  });

  it('[LC12, LC1] are not counted before the opening or while closing', () => {
    const invited = new TestSession().ack('bob');
    expect(invited.hub('session.participant.removed', gone('bob')).entries).toHaveLength(1);
    const closing = openSession();
    closing.append(endDraft(closing.metadata, 'close', 'enough'));
    expect(closing.hub('session.participant.removed', gone('bob')).entries).toHaveLength(1);
    expect(closing.hub('session.participant.removed', gone('alice')).entries).toHaveLength(1);
  });
});

describe('an adapter that breaks', () => {
  const members = ['fold', 'onAccepted', 'expectedNext'] as const;
  const thrown = [new Error('oops'), new ProtocolError('oops'), new WireError('not_found', 'oops'), 'oops'];
  it.each(members.flatMap((member) => thrown.map((what) => ({ member, what }))))(
    '[AM7, AM8] rejects as internal without changing the state when $member throws $what',
    ({ member, what }) => {
      const session = openSession();
      const broken = openSession({
        governedBy: anyoneSpeaks({
          [member]: (first: { event_type?: string; head_seq?: number }, second?: { event_type?: string }) => {
            const isText = [first.event_type, second?.event_type].includes('msg.text') || first.head_seq === 7;
            if (isText) throw what;
            return member === 'fold' ? { folded: 0, types: [] } : null;
          },
        }),
      });
      const before = broken.state;
      const answer = refused(() => broken.say('alice', 'hi'));
      expect(answer.code).toBe('internal');
      expect(answer.message).toMatch(/failed: oops$/);
      expect(broken.state).toBe(before);
      expect(broken.log).toHaveLength(session.log.length);
    },
  );
});

describe('endDraft', () => {
  it.each([
    ['INVITED', 'close', 'session.closed'],
    ['INVITED', 'expire', 'session.expired'],
    ['ACTIVE', 'close', 'session.closing'],
    ['ACTIVE', 'auto_close', 'session.closing'],
    ['ACTIVE', 'expire', 'session.expired'],
    ['CLOSING', 'drained', 'session.closed'],
  ] as const)('[LC1] turns %s and %s into %s', (state, event, type) => {
    const { metadata } = openSession();
    expect(endDraft({ ...metadata, state }, event, 'why')).toMatchObject({
      event_type: type,
      event_data: { reason: 'why' },
    });
  });

  it.each([
    ['INVITED', 'quorum'],
    ['INVITED', 'adapter_close'],
    ['ACTIVE', 'drained'],
    ['CLOSING', 'expire'],
    ['CLOSING', 'close'],
  ] as const)('[LC1] throws for %s and %s', (state, event: LifecycleEvent) => {
    const { metadata } = openSession();
    expect(() => endDraft({ ...metadata, state }, event, 'why')).toThrow(HubError);
  });

  it.each(['CLOSED', 'EXPIRED'] as const)('[L6] throws for a session that is %s', (state) => {
    const { metadata } = openSession();
    for (const event of ['close', 'expire', 'drained', 'auto_close'] as const) {
      expect(() => endDraft({ ...metadata, state }, event, 'why')).toThrow(HubError);
    }
  });
});

function never(): never {
  throw new Error('not asked for');
}

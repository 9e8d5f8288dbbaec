import { describe, expect, it } from 'vitest';
import {
  isAddressedTo,
  isDeliverable,
  isPastTtl,
  isReadable,
  membershipEnd,
} from '../../../src/core/records/session/delivery.ts';
import type { Envelope } from '../../../src/core/records/session/envelope.ts';
import { envelope } from '../../support/sample-records.ts';
import { openSession, type Setup, TestSession } from '../session.ts';

const names = ['alice', 'bob', 'carol', 'dave'];
const some: Setup = { names, requiredAcks: 1 };

describe('membership', () => {
  it('[DL1] has no end for a joined or hidden participant, even after the session ends', () => {
    const session = openSession(some);
    session.hub('session.participant.hidden', { agent_id: 'id-bob' });
    for (const id of ['id-alice', 'id-bob', 'id-carol']) expect(membershipEnd(session.state.head, id)).toBe(Infinity);
    session.hub('session.expired', { reason: 'ttl_expired' });
    expect(membershipEnd(session.state.head, 'id-bob')).toBe(Infinity);
  });

  it('[DL8] never began for a non-participant, an open invite or a rejected one', () => {
    const session = new TestSession(some).ack('bob');
    session.hub('session.invite.reject', { agent_id: 'id-dave' });
    for (const id of ['id-mallory', 'id-carol', 'id-dave']) expect(membershipEnd(session.state.head, id)).toBe(0);
  });

  it('[DL12] ends with the removal, whatever follows', () => {
    const session = openSession(some);
    const removal = session.hub('session.participant.removed', { agent_id: 'id-bob' }).after.metadata.head_seq;
    session.say('alice', 'bob is gone');
    session.hub('session.participant.hidden', { agent_id: 'id-carol' });
    expect(membershipEnd(session.state.head, 'id-bob')).toBe(removal);
  });

  it('[DL12] ends with the removal, not with an earlier hide', () => {
    const session = openSession(some);
    session.hub('session.participant.hidden', { agent_id: 'id-bob' });
    session.say('alice', 'bob hears this');
    const removal = session.hub('session.participant.removed', { agent_id: 'id-bob' }).after.metadata.head_seq;
    expect(membershipEnd(session.state.head, 'id-bob')).toBe(removal);
  });

  it('[DL12] ends with a removal before the opening', () => {
    const session = new TestSession({ names }).ack('bob');
    session.hub('session.participant.removed', { agent_id: 'id-bob' });
    expect(membershipEnd(session.state.head, 'id-bob')).toBe(6);
  });
});

describe('delivery', () => {
  const to = (audience: readonly string[] | null, given: Partial<Envelope> = {}) =>
    envelope({ seq: 5, sender_id: 'id-alice', audience, ...given });
  const invite = to(['id-bob'], { sender_id: 'hub', event_type: 'session.invite' });

  /** The envelope, the agent, and whether the agent gets and can read it. */
  it.each([
    ['for everyone', to(null), 'id-bob', true, true],
    ['for it', to(['id-carol', 'id-bob']), 'id-bob', true, true],
    ['for others', to(['id-carol']), 'id-bob', false, false],
    ['for nobody', to([], { sender_id: 'hub' }), 'id-bob', false, false],
    ['its own, for everyone', to(null), 'id-alice', false, true],
    ['its own, for others', to(['id-carol']), 'id-alice', false, true],
    ['its own, for itself too', to(['id-alice', 'id-carol']), 'id-alice', false, true],
    ['an invite for it', invite, 'id-bob', false, false],
    ['of the hub, for everyone', to(null, { sender_id: 'hub' }), 'id-bob', true, true],
  ])('[DL1, DL13] handles an envelope %s', (_what, said, agentId, deliverable, readable) => {
    expect(isDeliverable(said, agentId, Infinity)).toBe(deliverable);
    expect(isReadable(said, agentId, Infinity)).toBe(readable);
  });

  it.each([
    [4, false],
    [5, true],
    [6, true],
    [0, false],
  ])('[DL1, DL12, DL13] includes seq 5 in a membership that ends at %i: %s', (end, within) => {
    expect(isDeliverable(to(null), 'id-bob', end)).toBe(within);
    expect(isReadable(to(null), 'id-bob', end)).toBe(within);
    expect(isReadable(to(null), 'id-alice', end)).toBe(within);
  });

  it('[DL8] keeps invites outside every stream', () => {
    expect(isAddressedTo({ ...invite, audience: null }, 'id-bob')).toBe(false);
  });

  it('[LC3, DL1] gives a late participant the log from its start, without whispers to others', () => {
    const session = new TestSession(some).ack('bob');
    session.say('alice', 'before you came');
    session.say('alice', 'for bob', ['id-bob']);
    session.ack('carol');
    session.say('bob', 'welcome');
    const heard = session.log.filter((one) =>
      isDeliverable(one, 'id-carol', membershipEnd(session.state.head, 'id-carol')),
    );
    expect(heard.map(({ event_type, event_data }) => event_data.text ?? event_type)).toEqual([
      'session.opened',
      'before you came',
      'session.participant.joined',
      'welcome',
    ]);
  });

  it('[DL12] ends with the removal for a removed participant', () => {
    const session = openSession(some);
    session.hub('session.participant.removed', { agent_id: 'id-bob' });
    session.say('alice', 'at last');
    const end = membershipEnd(session.state.head, 'id-bob');
    const heard = session.log.filter((one) => isDeliverable(one, 'id-bob', end));
    expect(heard.at(-1)?.event_type).toBe('session.participant.removed');
  });
});

describe('ttl_seconds', () => {
  const said = envelope({ seq: 1, ttl_seconds: 2.5, created_at: '2026-01-01T00:00:00.000Z' });
  const start = Date.UTC(2026, 0, 1);

  it.each([
    [0, false],
    [2_500, false],
    [2_501, true],
    [1e12, true],
  ])('[DL10] of 2.5 s has passed after %i ms: %s', (ms, over) => {
    expect(isPastTtl(said, start + ms)).toBe(over);
  });

  it('[DL10] never passes if absent', () => {
    expect(isPastTtl({ ...said, ttl_seconds: null }, Number.MAX_SAFE_INTEGER)).toBe(false);
    expect(isPastTtl({ ...said, ttl_seconds: Number.MAX_VALUE }, Number.MAX_SAFE_INTEGER)).toBe(false);
  });
});

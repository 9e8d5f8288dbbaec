import { describe, expect, it } from 'vitest';
import {
  type ChildEnd,
  MAX_OPEN,
  mayNotDelegate,
  outcomeOf,
} from '../../../src/core/decisions/delegation-decisions.ts';
import type { AcceptEntry } from '../../../src/core/ports/expectation.ts';
import { PLAIN } from '../../../src/core/records/session/envelope.ts';
import type { SessionMetadata } from '../../../src/core/records/session/session.ts';
import type { DelegationReply } from '../../../src/core/records/work/delegation.ts';
import type { OpenDelegation } from '../../../src/core/state/open-delegations.ts';
import { isFor } from '../../../src/core/state/pacing.ts';
import { openSession, SESSION_ID } from '../session.ts';

const BY_HUB: ChildEnd = {
  reply: null,
  gone: null,
  failed: null,
  closed_by: null,
  delegator_gone: false,
  target_gone: false,
};
const REPLY: DelegationReply = { text: 'x', seq: 1, envelope_id: '', sender_id: '', usage: null, cost_usd: null };

function ended(close_reason: string, bob: 'active' | 'removed' | 'rejected' = 'active'): SessionMetadata {
  const { metadata } = openSession();
  const participants = metadata.participants.map((one) => (one.name === 'bob' ? { ...one, status: bob } : one));
  return { ...metadata, state: 'CLOSED', close_reason, participants };
}

describe('the outcome of a delegation', () => {
  it.each([
    ['invite_rejected', 'rejected'],
    ['invite_timeout', 'timed_out'],
    ['expectation_violated:acks_within', 'timed_out'],
    ['expectation_violated:reply_within', 'timed_out'],
    ['ttl_expired', 'timed_out'],
    ['expectation_violated:budget_within', 'over_budget'],
    ['parent_closed', 'parent_closed'],
    ['delegator_removed', 'delegator_removed'],
    ['prompt_refused: too long', 'refused'],
    ['log_full', 'closed'],
  ])(
    '[DG7] maps the reason %s of the hub to %s; a reply wins, and any other closer gives closed',
    (reason, outcome) => {
      const child = ended(reason);
      expect(outcomeOf(child, 'id-bob', BY_HUB)).toEqual({ outcome, reason });
      expect(outcomeOf(child, 'id-bob', { ...BY_HUB, reply: REPLY }).outcome).toBe('replied');
      expect(outcomeOf(child, 'id-bob', { ...BY_HUB, closed_by: 'id-bob' })).toEqual({ outcome: 'closed', reason });
    },
  );

  it('[DG6, DG7] reports the participant that left rather than below_minimum, the target first', () => {
    const gone = 'unregistered';
    const below = 'below_minimum';
    expect(outcomeOf(ended(below, 'removed'), 'id-bob', { ...BY_HUB, gone, delegator_gone: true })).toEqual({
      outcome: 'left',
      reason: gone,
    });
    expect(outcomeOf(ended(below), 'id-bob', { ...BY_HUB, delegator_gone: true }).outcome).toBe('delegator_removed');
    expect(outcomeOf(ended(below), 'id-bob', BY_HUB)).toEqual({ outcome: 'closed', reason: below });
    const declined = ended('invite_rejected', 'rejected');
    expect(outcomeOf(declined, 'id-bob', { ...BY_HUB, gone, target_gone: true }).outcome).toBe('left');
    expect(outcomeOf(declined, 'id-bob', { ...BY_HUB, gone: 'busy' })).toEqual({ outcome: 'rejected', reason: 'busy' });
  });
});

describe('open delegations', () => {
  it('[DG1] are limited to 256 per session', () => {
    const { state } = openSession();
    const open = (i: number): OpenDelegation => ({
      delegation_id: String(i),
      agent_id: 'id-alice',
      target_id: 'id-bob',
      root_session_id: SESSION_ID,
      budget: null,
      seq: i,
    });
    const withOpen = (length: number) => ({ ...state, delegations: Array.from({ length }, (_, i) => open(i)) });
    expect(MAX_OPEN).toBe(256);
    expect(mayNotDelegate(withOpen(MAX_OPEN - 1), 'id-alice')).toBeNull();
    expect(mayNotDelegate(withOpen(MAX_OPEN), 'id-alice')).toMatchObject({
      code: 'invalid_create',
      details: { most: 256 },
    });
  });
});

describe('an evaluator', () => {
  it('[EX21] sees settlements of the delegator only if it requests them', () => {
    const { metadata } = openSession();
    const envelope = {
      ...PLAIN,
      session_id: SESSION_ID,
      sender_id: 'hub',
      audience: null,
      event_type: 'delegation.settled',
      event_data: { agent_id: 'id-alice' },
      envelope_id: '0'.repeat(32),
      seq: 9,
      depth: 0,
      created_at: '2026-01-01T00:00:00.000Z',
    };
    const watched = (settlements: boolean | undefined, applies_to: readonly string[]) => {
      const evaluator = { name: 'x', version: 1, ...(settlements === undefined ? {} : { settlements }) };
      // Only the members under test.
      return {
        entry: { name: 'x', on_violation: 'warn', params: {}, applies_to },
        evaluator,
      } as unknown as AcceptEntry;
    };
    expect(isFor(watched(true, ['id-alice']), envelope, metadata)).toBe(true);
    expect(isFor(watched(true, ['id-bob']), envelope, metadata)).toBe(false);
    expect(isFor(watched(false, ['id-alice']), envelope, metadata)).toBe(false);
    expect(isFor(watched(undefined, ['id-alice']), envelope, metadata)).toBe(false);
    expect(
      isFor(watched(undefined, ['id-alice']), { ...envelope, event_type: 'msg.text', sender_id: 'id-alice' }, metadata),
    ).toBe(true);
  });
});

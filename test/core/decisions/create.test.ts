import { consulting } from 'parley-hub/adapters/consulting';
import { describe, expect, it } from 'vitest';
import { acksWithinMs, createDrafts } from '../../../src/core/decisions/create.ts';
import { ProtocolError, WireError } from '../../../src/core/lib/errors.ts';
import { DEFAULT_LIMITS } from '../../../src/core/records/access/limits.ts';
import type { CreatedData, ExpectationEntry } from '../../../src/core/records/session/session.ts';
import { refused, refusedAs, wrongField } from '../refused.ts';
import { anyoneSpeaks, createFacts, SESSION_ID, type Setup, START_MS, TestSession } from '../session.ts';

const at = (ms: number) => new Date(START_MS + ms).toISOString();
const created = (setup: Setup = {}) => createDrafts(createFacts(setup))[0]?.event_data as unknown as CreatedData;
const between = (min: number, max: number | null) =>
  anyoneSpeaks({}, { participants: { min, max, roles: ['initiator', 'participant'] } });
const acks = (seconds: unknown, on_violation = 'auto_close') =>
  ({ name: 'acks_within', on_violation, params: { seconds } }) as ExpectationEntry;
const seven = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'grace'];

describe('the first unit of a session', () => {
  it('[RE7, LC2] contains session.created with all immutable data, and an invite for everyone else', () => {
    const parent = { session_id: 'parent', depth: 2 };
    const drafts = createDrafts(
      createFacts({ labels: { intent: 'test' }, knobs: { close_by: 'any', rounds: 3 }, parent, idempotencyKey: 'k1' }),
    );
    expect(drafts.map(({ event_type, audience, sender_id }) => [event_type, audience, sender_id])).toEqual([
      ['session.created', [], 'hub'],
      ['session.invite', ['id-bob'], 'hub'],
      ['session.invite', ['id-carol'], 'hub'],
    ]);
    expect(drafts[0]).toMatchObject({ session_id: SESSION_ID, idempotency_key: 'k1' });
    expect(drafts[0]?.event_data).toEqual({
      manifest: anyoneSpeaks().manifest,
      creator_id: 'id-alice',
      participants: [
        { agent_id: 'id-alice', name: 'alice', role: 'initiator', order: 0 },
        { agent_id: 'id-bob', name: 'bob', role: 'participant', order: 1 },
        { agent_id: 'id-carol', name: 'carol', role: 'participant', order: 2 },
      ],
      knobs: { close_by: 'any', rounds: 3 },
      labels: { intent: 'test' },
      required_acks: 2,
      invite_deadline_at: at(30_000),
      expires_at: at(3_600_000),
      drain_timeout_ms: 5_000,
      parent_session_id: 'parent',
      depth: 3,
      versions: { adapter: 1 },
      request_digest: 'digest',
    });
    expect(drafts[1]?.event_data).toEqual({
      agent_id: 'id-bob',
      name: 'bob',
      role: 'participant',
      order: 1,
      type: 'plain',
      creator_id: 'id-alice',
      creator_name: 'alice',
      labels: { intent: 'test' },
    });
  });

  it('[RE7] is folded into matching metadata', () => {
    const { metadata } = new TestSession({ parent: { session_id: 'parent', depth: 0 } });
    expect(metadata).toMatchObject({
      session_id: SESSION_ID,
      state: 'INVITED',
      created_at: at(0),
      opened_at: null,
      expires_at: at(3_600_000),
      depth: 1,
      required_acks: 2,
      pending_acks: ['id-bob', 'id-carol'],
      rejected_by: [],
      head_seq: 3,
      epoch: 1,
    });
    expect(metadata.participants.map(({ name, status, joined_at }) => [name, status, joined_at])).toEqual([
      ['alice', 'active', at(0)],
      ['bob', 'invited', null],
      ['carol', 'invited', null],
    ]);
  });

  it('[LC2] opens at once without invitees or required acks', () => {
    const alone = new TestSession({ governedBy: between(1, null), names: ['alice'] });
    expect(alone.types()).toEqual(['session.created', 'session.opened']);
    expect(alone.metadata).toMatchObject({ state: 'ACTIVE', opened_at: at(0) });
    expect(created({ governedBy: between(1, null), names: ['alice'] }).invite_deadline_at).toBeNull();
    const free = new TestSession({ governedBy: between(1, null), requiredAcks: 0 });
    expect(free.types()).toEqual(['session.created', 'session.invite', 'session.invite', 'session.opened']);
    expect(free.log[3]?.event_data).toEqual({ active: ['id-alice'] });
    expect(free.statuses()).toEqual({ alice: 'active', bob: 'invited', carol: 'invited' });
  });

  it('[RE7] makes the other of two participants the respondent', () => {
    const roles = (setup: Setup) => created(setup).participants.map(({ name, role }) => `${name} ${role}`);
    expect(roles({ names: ['alice', 'bob'] })).toEqual(['alice initiator', 'bob respondent']);
    expect(roles({ names: ['alice', 'bob'], creator_id: 'id-bob' })).toEqual(['alice respondent', 'bob initiator']);
    expect(roles({ names: ['alice', 'bob', 'carol'], creator_id: 'id-bob' })).toEqual([
      'alice participant',
      'bob initiator',
      'carol participant',
    ]);
  });

  it('[RE7, LC10] leaves expires_at null without a TTL', () => {
    expect(created({ ttlMs: 0 }).expires_at).toBeNull();
  });

  it.each([
    ['1 of 2', between(2, 4), 1, '2 to 4'],
    ['5 of 4', between(2, 4), 5, '2 to 4'],
    ['3 of exactly 2', between(2, 2), 3, 'exactly 2'],
    ['7 of 6, the bound of the hub', between(1, null), 7, '1 to 6'],
    ['7 of 6, the bound of the hub being tighter', between(1, 100), 7, '1 to 6'],
  ])('[RE6, RE8] rejects %s participants', (_what, governedBy, count, expected) => {
    const limits = { ...DEFAULT_LIMITS, maxParticipants: 6 };
    expect(refused(() => created({ governedBy, names: seven.slice(0, count), limits }))).toEqual(
      refusedAs('invalid_create', `participants: plain takes ${expected}, the creator included; got ${count}`, {
        field: 'participants',
        expected,
        received: String(count),
      }),
    );
  });

  it('[RE6] accepts 256 participants, but not 257', () => {
    const names = Array.from({ length: 257 }, (_, i) => `agent${i}`);
    expect(created({ names: names.slice(0, 256) }).participants).toHaveLength(256);
    expect(refused(() => created({ names })).details).toEqual({
      field: 'participants',
      expected: '2 to 256',
      received: '257',
    });
  });
});

describe('required_acks', () => {
  /** Minimum of the type, number of participants (with the creator), and the valid range of required acks. */
  const rows = [
    [1, 1, 0, 0],
    [1, 4, 0, 3],
    [2, 2, 1, 1],
    [2, 4, 1, 3],
    [3, 4, 2, 3],
    [4, 4, 3, 3],
  ] as const;

  it.each(rows)(
    '[LC3] with a minimum of %i and %i participants may be %i to %i, default all',
    (min, count, least, most) => {
      const setup = { governedBy: between(min, null), names: seven.slice(0, count) };
      expect(created(setup).required_acks).toBe(most);
      for (let requiredAcks = least; requiredAcks <= most; requiredAcks++) {
        expect(created({ ...setup, requiredAcks }).required_acks).toBe(requiredAcks);
      }
      for (const requiredAcks of [least - 1, most + 1]) {
        expect(refused(() => created({ ...setup, requiredAcks }))).toEqual({
          code: 'invalid_create',
          message: `required_acks: expected ${least} to ${most}, got ${requiredAcks}`,
          details: { field: 'required_acks', expected: `${least} to ${most}`, received: String(requiredAcks) },
        });
      }
    },
  );
});

describe('the deadline of invites', () => {
  it.each([
    ['the default of the hub', {}, 30_000],
    ['the request', { inviteTimeoutMs: 7_000 }, 7_000],
    ['an acks_within that closes', { expectations: [acks(12)] }, 12_000],
    ['an acks_within before the request', { expectations: [acks(12)], inviteTimeoutMs: 7_000 }, 12_000],
    ['the shortest of several', { expectations: [acks(12), acks(4), acks(8)] }, 4_000],
    ['a century at most', { expectations: [acks(36_500 * 86_400)] }, 36_500 * 86_400_000],
    ['not an acks_within that only audits', { expectations: [acks(12, 'audit')] }, 30_000],
    ['not another expectation', { expectations: [{ ...acks(12), name: 'max_silence' }] }, 30_000],
  ] as const)('[LC5] is %s', (_what, setup, ms) => {
    expect(created(setup as Setup).invite_deadline_at).toBe(at(ms));
  });

  it('[LC5] comes from the manifest, unless the request replaces the expectations', () => {
    const setup = { governedBy: consulting, names: ['alice', 'bob'] };
    expect(created({ ...setup, inviteTimeoutMs: 7_000 }).invite_deadline_at).toBe(at(30_000));
    const replaced = created({ ...setup, inviteTimeoutMs: 7_000, expectations: [] });
    expect(replaced.invite_deadline_at).toBe(at(7_000));
    expect(replaced.manifest.expectations).toEqual([]);
    expect(acksWithinMs(replaced.manifest)).toBeNull();
    expect(acksWithinMs(consulting.manifest)).toBe(30_000);
  });

  it.each([
    [0, '0'],
    [-5, '-5'],
    [36_500 * 86_400 + 1, '3153600001'],
    [1e300, '1e+300'],
    ['30s', '"30s"'],
    [undefined, 'nothing'],
    [null, 'null'],
  ])('[LC5, RE1] rejects %j seconds', (seconds, received) => {
    const expected = 'more than 0 seconds (at most 36500 days)';
    const field = 'expectations.1.params.seconds';
    expect(refused(() => created({ expectations: [acks(5), acks(seconds)] }))).toEqual(
      wrongField(field, expected, received, 'invalid_create'),
    );
  });
});

describe('validateCreate', () => {
  it('[RE8, AD3] gets the metadata of the future session', () => {
    const seen: unknown[] = [];
    const governedBy = anyoneSpeaks({
      validateCreate: ({ state, participants }) => seen.push([state, participants.length]),
    });
    created({ governedBy });
    expect(seen).toEqual([['INVITED', 3]]);
  });

  it('[LC2] becomes invalid_create with the message of the adapter', () => {
    const governedBy = anyoneSpeaks({
      validateCreate() {
        throw new ProtocolError('needs a judge', { field: 'participants' });
      },
    });
    expect(refused(() => created({ governedBy }))).toEqual(
      refusedAs('invalid_create', 'needs a judge', { field: 'participants' }),
    );
  });

  it.each([
    ['an Error', new Error('oops')],
    ['a WireError that is not its to throw', new WireError('not_found', 'oops')],
    ['text', 'oops'],
  ])('[AM7] becomes internal when it throws %s', (_what, thrown) => {
    const governedBy = anyoneSpeaks({
      validateCreate() {
        throw thrown;
      },
    });
    expect(refused(() => created({ governedBy }))).toEqual(
      refusedAs('internal', 'validateCreate of plain failed: oops'),
    );
  });
});

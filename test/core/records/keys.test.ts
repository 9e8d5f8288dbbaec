import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admitPost } from '../../../src/core/decisions/admit.ts';
import { canonicalJson, type JsonObject } from '../../../src/core/lib/json.ts';
import { completeAdapter } from '../../../src/core/ports/adapter.ts';
import type { Draft } from '../../../src/core/records/session/envelope.ts';
import { digestText, keyHash, keyName, keyRecord } from '../../../src/core/records/session/keys.ts';
import type { LifecycleState } from '../../../src/core/records/session/session.ts';
import { envelope } from '../../support/sample-records.ts';
import { refusedAs, refusedBy } from '../refused.ts';
import { anyoneSpeaks, draft, openSession } from '../session.ts';

const runs = { numRuns: 1000 };
const data = fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }).map((value) => value as JsonObject);

function keyed(first: Partial<Draft> = {}) {
  const session = openSession({ names: ['alice', 'bob', 'carol', 'dave'] });
  const adapter = completeAdapter(anyoneSpeaks());
  const facts = {
    adapter,
    unavailable: null,
    bound: true,
    expectedSeq: null,
    denied: null,
    retryAfterMs: 0,
    inbox: null,
  };
  const post = (given: Partial<Draft>, repeat = true, state: LifecycleState = 'ACTIVE') => {
    const accepted = session.log.findLast(({ idempotency_key }) => idempotency_key === 'k');
    const there = { ...session.state, metadata: { ...session.metadata, state } };
    const record = repeat && accepted !== undefined ? keyRecord(accepted) : undefined;
    return admitPost(draft('alice', { idempotency_key: 'k', ...given }), { ...facts, state: there, repeat: record });
  };
  const { answer } = session.carryOut(post(first, false));
  return { session, post, answer };
}

describe('a repeated key', () => {
  it.each(['INVITED', 'ACTIVE', 'CLOSING', 'CLOSED', 'EXPIRED'] as const)(
    '[AM3, L5] returns the first acceptance for the same content in a session that is %s',
    (state) => {
      const { post, answer } = keyed();
      expect(post({}, true, state)).toEqual({ kind: 'nothing', answer: { ...answer, duplicate: true } });
    },
  );

  it('[AM3] ignores the order of members', () => {
    const { post } = keyed({ event_data: { text: 'hi', mood: { a: 1, b: [2] } } });
    expect(post({ event_data: { mood: { b: [2], a: 1 }, text: 'hi' } }).kind).toBe('nothing');
  });

  it('[AM3] may have a different traceparent', () => {
    expect(keyed({ traceparent: '00-1' }).post({ traceparent: '00-2' }).kind).toBe('nothing');
  });

  it.each<[string, Partial<Draft>]>([
    ['text', { event_data: { text: 'bye' } }],
    ['data', { event_data: { text: 'hello', mood: 'good' } }],
    ['type', { event_type: 'note' }],
    ['audience', { audience: ['id-bob'] }],
    ['cause', { causation_id: 'c1' }],
    ['task', { task_id: 't1' }],
    ['priority', { priority: 'urgent' }],
    ['ttl', { ttl_seconds: 5 }],
  ])('[AM3] with a different %s is rejected with the first acceptance', (_what, changed) => {
    const { post, answer } = keyed();
    const { envelope_id, seq, created_at } = answer;
    expect(refusedBy(post(changed))).toEqual(
      refusedAs('duplicate', `idempotency_key "k" was used for other content (seq ${seq}); take a new key`, {
        envelope_id,
        seq,
        created_at,
      }),
    );
  });

  it('[AM3, AM6] may name agents that were dropped from the audience or have left', () => {
    const audience = ['id-bob', 'id-mallory', 'id-carol'];
    const { session, post } = keyed({ audience });
    expect(post({ audience }).kind).toBe('nothing');
    session.hub('session.participant.removed', { agent_id: 'id-carol' });
    expect(post({ audience }).kind).toBe('nothing');
    expect(post({ audience: ['id-carol', 'id-bob'] }).kind).toBe('nothing');
  });

  it.each([
    ['fewer agents', ['id-bob']],
    ['more agents', ['id-bob', 'id-carol', 'id-dave']],
    ['other agents', ['id-bob', 'id-dave']],
    ['everyone', null],
  ])('[AM3] that names %s is rejected', (_what, audience) => {
    const { post } = keyed({ audience: ['id-bob', 'id-carol'] });
    expect(refusedBy(post({ audience })).code).toBe('duplicate');
  });

  it('[AM3] differs from one for everyone', () => {
    for (const audience of [['id-bob', 'id-carol', 'id-dave'], ['id-mallory']]) {
      expect(refusedBy(keyed().post({ audience })).code).toBe('duplicate');
    }
  });
});

describe('the digest of content', () => {
  it('[AM3] ignores the order of keys', () => {
    fc.assert(
      fc.property(data, (event_data) => {
        const reversed = Object.fromEntries(Object.entries(event_data).reverse());
        expect(keyRecord(envelope({ event_data: reversed })).digest).toBe(keyRecord(envelope({ event_data })).digest);
      }),
      runs,
    );
  });

  it('[AM3] reflects every other difference', () => {
    fc.assert(
      fc.property(data, data, (a, b) => {
        const same = keyRecord(envelope({ event_data: a })).digest === keyRecord(envelope({ event_data: b })).digest;
        expect(same).toBe(canonicalJson(a) === canonicalJson(b));
      }),
      runs,
    );
  });

  it('[AM3] has 28 hex digits and differs for similar texts', () => {
    const texts = Array.from({ length: 20_000 }, (_, i) => `${'x'.repeat(i % 7)}${i}`);
    const digests = new Set(texts.map(digestText));
    expect(digests.size).toBe(new Set(texts).size);
    for (const digest of digests) expect(digest).toMatch(/^[0-9a-f]{28}$/);
  });
});

describe('the name of a key', () => {
  it('[AM3] is unique per sender and key', () => {
    const id = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 1 });
    fc.assert(
      fc.property(id, fc.string(), id, fc.string(), (sender, key, otherSender, otherKey) => {
        const same = sender === otherSender && key === otherKey;
        expect(keyName(sender, key) === keyName(otherSender, otherKey)).toBe(same);
      }),
      runs,
    );
  });
});

describe('the hash of a key', () => {
  const usual = ['', 'msg-', '2026-01-31 ', 'reply to '];

  it('[AM3] is a stable 32-bit integer', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (sender, key, other) => {
        const hash = keyHash(sender, key);
        keyHash(other, key);
        expect(keyHash(sender, key)).toBe(hash);
        expect(hash | 0).toBe(hash);
      }),
      runs,
    );
  });

  it.each(usual)('[AM3] rarely collides: %s1, %s2, …', (start) => {
    const hashes = new Set(Array.from({ length: 100_000 }, (_, i) => keyHash('alice', `${start}${i}`)));
    // One or two collisions are expected by chance.
    expect(hashes.size).toBeGreaterThan(100_000 - 20);
  });
});

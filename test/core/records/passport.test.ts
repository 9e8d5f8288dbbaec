import { describe, expect, it } from 'vitest';
import { passportFrom } from '../../../src/core/records/identity/passport.ts';
import { parsePassportClaim } from '../../../src/core/records/identity/passport-schema.ts';
import { refused } from '../refused.ts';

describe('a passport', () => {
  it.each(['a', '0', 'alice', 'agent-7', 'a.b_c-d', 'hub-1', 'hubert', 'x'.repeat(64)])(
    '[RE5] accepts the name "%s"',
    (name) => {
      expect(parsePassportClaim({ name })).toEqual({ name });
    },
  );

  const shape = 'a name of a-z 0-9 . _ - (1 to 64 characters, starting with a letter or digit)';
  it.each([
    ['', shape],
    ['Alice', shape],
    ['-a', shape],
    ['.a', shape],
    ['_a', shape],
    ['a b', shape],
    ['a\n', shape],
    ['älice', shape],
    ['x'.repeat(65), shape],
    ['__proto__', shape],
    ['hub', 'another name: "hub" is the hub itself'],
    [5, 'a name'],
    [null, 'a name'],
    [undefined, 'a name'],
  ])('[RE1, RE5] rejects the name %j', (name, expected) => {
    expect(refused(() => parsePassportClaim({ name }))).toMatchObject({
      code: 'bad_frame',
      details: { field: 'passport.name', expected },
    });
  });

  it('[RE1] names its other invalid fields', () => {
    expect(refused(() => parsePassportClaim({ name: 'a', kind: 'cat' })).details).toEqual({
      field: 'passport.kind',
      expected: 'agent, human or remote_agent',
      received: '"cat"',
    });
    expect(refused(() => parsePassportClaim({ name: 'a', model: 'x'.repeat(257) })).details?.field).toBe(
      'passport.model',
    );
  });

  it('[RE3, RE7] gets its id and time from the hub, and null for missing claims', () => {
    const claim = parsePassportClaim({ name: 'alice', model: 'm1', agent_id: 'forged', created_at: 'forged' });
    expect(passportFrom(claim, 'a1', '2026-01-01T00:00:00.000Z')).toEqual({
      agent_id: 'a1',
      name: 'alice',
      kind: 'agent',
      owner: null,
      provider: null,
      model: 'm1',
      cost: null,
      region: null,
      created_at: '2026-01-01T00:00:00.000Z',
    });
  });
});

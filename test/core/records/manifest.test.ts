import { describe, expect, it } from 'vitest';
import { HubError } from '../../../src/core/lib/errors.ts';
import type { JsonObject } from '../../../src/core/lib/json.ts';
import { compileKnobs, parseManifest } from '../../../src/core/records/session/manifest.ts';
import type { Manifest } from '../../../src/core/records/session/session.ts';
import { refused, refusedAs, wrongField } from '../refused.ts';

const manifest = {
  type: 'debate',
  version: 3,
  participants: { min: 2, max: 8, roles: ['initiator', 'participant'] },
  knobs_schema: { type: 'object', properties: { rounds: { type: 'integer', default: 3 } } },
  default_view: { name: 'full_transcript', params: {} },
  expectations: [
    { name: 'turn_within', on_violation: 'hide', params: { seconds: 60 }, applies_to: ['participant'] },
    { name: 'max_silence', on_violation: 'audit', params: { seconds: 600 } },
  ],
};

describe('a manifest', () => {
  it('[AD1] is returned unchanged, frozen and unshared', () => {
    const parsed = parseManifest(manifest);
    expect(parsed).toEqual(manifest);
    expect(parsed.knobs_schema).not.toBe(manifest.knobs_schema);
    for (const part of [parsed, parsed.participants.roles, parsed.knobs_schema, parsed.expectations[0]?.params]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it.each([null, 2])('[AD1] accepts a minimum of 2 and a maximum of %j', (max) => {
    const given = { ...manifest, participants: { ...manifest.participants, max } };
    expect(parseManifest(given)).toEqual(given);
  });

  const of = (changes: object) => ({ ...manifest, ...changes });
  const people = (changes: object) => of({ participants: { ...manifest.participants, ...changes } });
  const expecting = (changes: object) => of({ expectations: [{ ...manifest.expectations[1], ...changes }] });
  const keys = 'type, version, participants, knobs_schema, default_view, expectations, grants, ttl_seconds';
  const bad: readonly (readonly [string, unknown, string, string, string])[] = [
    ['text', 'consulting', 'manifest', 'an object', '"consulting"'],
    ['nothing', undefined, 'manifest', 'an object', 'nothing'],
    ['a strange key', of({ colour: 'red' }), 'manifest.colour', `one of ${keys}`, '"colour"'],
    ['a type with a capital', of({ type: 'Debate' }), 'manifest.type', 'a type such as "consulting"', '"Debate"'],
    ['an empty type', of({ type: '' }), 'manifest.type', 'text of 1 to 64 characters', '""'],
    ['version 0', of({ version: 0 }), 'manifest.version', 'a whole number from 1 to 1000000', '0'],
    ['version 1.5', of({ version: 1.5 }), 'manifest.version', 'a whole number from 1 to 1000000', '1.5'],
    ['version "1"', of({ version: '1' }), 'manifest.version', 'a whole number from 1 to 1000000', '"1"'],
    ['min 0', people({ min: 0 }), 'manifest.participants.min', 'a whole number from 1 to 256', '0'],
    ['min above max', people({ min: 9 }), 'manifest.participants', 'min at most max', 'an object with min, max, roles'],
    ['no max', people({ max: undefined }), 'manifest.participants.max', 'a whole number from 1 to 100000', 'nothing'],
    ['roles as text', people({ roles: 'all' }), 'manifest.participants.roles', 'a list', '"all"'],
    ['a list as knobs_schema', of({ knobs_schema: [] }), 'manifest.knobs_schema', 'an object', 'an array of 0'],
    [
      'a view without params',
      of({ default_view: { name: 'x' } }),
      'manifest.default_view.params',
      'an object',
      'nothing',
    ],
    ['no expectations', of({ expectations: null }), 'manifest.expectations', 'a list', 'null'],
    [
      'a nameless expectation',
      expecting({ name: '' }),
      'manifest.expectations.0.name',
      'text of 1 to 64 characters',
      '""',
    ],
    ['applies_to as text', expecting({ applies_to: 'x' }), 'manifest.expectations.0.applies_to', 'a list', '"x"'],
    [
      'an instance in its data',
      expecting({ params: { since: new Date(0) } }),
      'manifest.expectations[0].params.since',
      'a JSON value',
      'a Date',
    ],
  ];

  it.each(bad)('[AD1, RE1] with %s is rejected', (_what, value, field, expected, received) => {
    expect(refused(() => parseManifest(value))).toEqual(wrongField(field, expected, received));
  });
});

describe('knobs', () => {
  const schema = {
    type: 'object',
    properties: {
      rounds: { type: 'integer', minimum: 1, maximum: 100, default: 3 },
      ordering: { enum: ['round_robin', 'random'], default: 'round_robin' },
      topic: { type: 'string', minLength: 2, maxLength: 5 },
      code: { type: 'string', pattern: '^x' },
      strict: { type: 'boolean' },
      tags: { type: 'array', items: { type: 'string' }, maxItems: 2 },
      step: { type: 'number', multipleOf: 5, exclusiveMaximum: 100 },
      judge: { type: ['string', 'null'] },
      mode: { anyOf: [{ type: 'string' }, { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] }] },
      nested: { type: 'object', properties: { a: { const: 1 } }, required: ['a'], additionalProperties: false },
      context: { type: 'object', default: { vars: { n: 1 } } },
    },
    additionalProperties: false,
  };
  const knobs = (given: JsonObject, knobs_schema: JsonObject = schema) =>
    compileKnobs({ ...manifest, knobs_schema } as Manifest)(given);

  it('[RE8, RE7] get the defaults of the schema and close_by in a frozen copy', () => {
    const filled = knobs({ topic: 'art' });
    expect(filled).toEqual({
      topic: 'art',
      rounds: 3,
      ordering: 'round_robin',
      context: { vars: { n: 1 } },
      close_by: 'any',
    });
    expect(Object.isFrozen(filled)).toBe(true);
    expect(Object.isFrozen(filled.context)).toBe(true);
    expect(knobs({ rounds: 5, close_by: 'creator' })).toMatchObject({ rounds: 5, close_by: 'creator' });
  });

  it('[RE8] accept anything with an empty schema', () => {
    expect(knobs({ anything: [1] }, {})).toEqual({ anything: [1], close_by: 'any' });
  });

  const known = [...Object.keys(schema.properties), 'close_by'].join(', ');
  const bad: readonly (readonly [JsonObject, string, string, string])[] = [
    [{ colour: 'red' }, 'knobs.colour', `one of ${known}`, '"colour"'],
    [{ rounds: 'three' }, 'knobs.rounds', 'a number', '"three"'],
    [{ rounds: 1.5 }, 'knobs.rounds', 'a whole number', '1.5'],
    [{ rounds: 0 }, 'knobs.rounds', 'at least 1', '0'],
    [{ rounds: 101 }, 'knobs.rounds', 'at most 100', '101'],
    [{ rounds: null }, 'knobs.rounds', 'a number', 'null'],
    [{ ordering: 'alphabetical' }, 'knobs.ordering', '"round_robin" or "random"', '"alphabetical"'],
    [{ topic: 5 }, 'knobs.topic', 'text', '5'],
    [{ topic: 'a' }, 'knobs.topic', 'text of at least 2 characters', '"a"'],
    [{ topic: 'abcdef' }, 'knobs.topic', 'text of at most 5 characters', '"abcdef"'],
    [{ code: 'y' }, 'knobs.code', 'text that matches /^x/', '"y"'],
    [{ strict: 'yes' }, 'knobs.strict', 'true or false', '"yes"'],
    [{ tags: 'a' }, 'knobs.tags', 'a list', '"a"'],
    [{ tags: ['a', 5] }, 'knobs.tags.1', 'text', '5'],
    [{ tags: ['a', 'b', 'c'] }, 'knobs.tags', 'a list of at most 2', 'an array of 3'],
    [{ step: 3 }, 'knobs.step', 'a multiple of 5', '3'],
    [{ step: 100 }, 'knobs.step', 'less than 100', '100'],
    [{ judge: 5 }, 'knobs.judge', 'text or null', '5'],
    [{ mode: 5 }, 'knobs.mode', 'text or an object', '5'],
    [{ mode: { x: 'y' } }, 'knobs.mode.x', 'a number', '"y"'],
    [{ nested: {} }, 'knobs.nested.a', '1', 'nothing'],
    [{ nested: { a: 1, b: 2 } }, 'knobs.nested.b', 'one of a', '"b"'],
    [{ close_by: 'nobody' }, 'knobs.close_by', 'any or creator', '"nobody"'],
  ];

  it.each(bad)('[RE1, RE8] reject %j', (given, field, expected, received) => {
    expect(refused(() => knobs(given))).toEqual(wrongField(field, expected, received, 'invalid_create'));
  });

  it('[RE8] reject all if the schema has none', () => {
    const none = { type: 'object', properties: {}, additionalProperties: false };
    expect(knobs({}, none)).toEqual({ close_by: 'any' });
    expect(refused(() => knobs({ x: 1 }, none))).toEqual(
      refusedAs('invalid_create', 'knobs.x: expected one of close_by, got "x"', {
        field: 'knobs.x',
        expected: 'one of close_by',
        received: '"x"',
      }),
    );
  });

  it.each([
    [{ type: 'nonsense' }],
    [{ type: 'object', if: {} }],
    [{ type: 'string', pattern: '(' }],
    [{ $ref: '#/nowhere' }],
  ])('[RE8] reject the unenforceable schema %j at registration', (knobs_schema) => {
    const compile = () => compileKnobs({ ...manifest, knobs_schema } as Manifest);
    expect(compile).toThrow(HubError);
    expect(compile).toThrow('manifest.knobs_schema of debate version 3 cannot be enforced: ');
  });
});

// A form made from a schema: typed texts become a value, or errors at their fields.

import fc from 'fast-check';
import { discussion } from 'parley-hub/adapters/discussion';
import { governed } from 'parley-hub/adapters/governed';
import { workflow } from 'parley-hub/adapters/workflow';
import type { Json, JsonObject, Manifest } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import {
  asFormError,
  type CreateDraft,
  knobsField,
  newDraft,
  participantsFrom,
  readCreate,
  roleOf,
} from '../../../src/console/parts/create/create-draft.ts';
import { type Draft, draftOf, emptyDraft, OTHERS } from '../../../src/console/parts/form/draft.ts';
import { fieldOf } from '../../../src/console/parts/form/field.ts';
import { errorsElsewhere, errorsOf, errorsWithin } from '../../../src/console/parts/form/field-errors.ts';
import { readForm } from '../../../src/console/parts/form/read-form.ts';
import { createParams } from '../../../src/core/records/session/create-schema.ts';
import { compileKnobs } from '../../../src/core/records/session/manifest.ts';

const SCHEMA: JsonObject = {
  type: 'object',
  required: ['topic', 'limits'],
  additionalProperties: false,
  properties: {
    topic: { type: 'string', minLength: 3, description: 'what it is about' },
    rounds: { type: 'integer', minimum: 1, maximum: 9 },
    share: { type: 'number', exclusiveMinimum: 0, multipleOf: 0.1 },
    loud: { type: 'boolean', default: false },
    ordering: { enum: ['one', 2, null] },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 2 },
    limits: { type: 'object', additionalProperties: false, properties: { usd: { type: 'number' } } },
    open: { type: 'object', properties: { a: { type: 'string' } } },
    odd: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    any: { type: 'object' },
  },
};
const FIELD = fieldOf(SCHEMA, 'Knobs', true);

function read(draft: Draft): { value: unknown; errors: unknown } {
  return readForm(FIELD, draft, 'knobs');
}

describe('a form made from a schema', () => {
  it('[UI60] has fields for supported keywords, and JSON text for the rest', () => {
    expect(FIELD.kind === 'group' && FIELD.members.map(([name, { kind }]) => [name, kind])).toEqual([
      ['topic', 'text'],
      ['rounds', 'number'],
      ['share', 'number'],
      ['loud', 'flag'],
      ['ordering', 'choice'],
      ['tags', 'list'],
      ['limits', 'group'],
      ['open', 'group'],
      ['odd', 'json'],
      ['any', 'json'],
    ]);
    for (const strange of [true, null, 'x', {}, { $ref: '#/x' }, { type: ['string', 'null'] }, { type: 'array' }]) {
      expect(fieldOf(strange).kind).toBe('json');
    }
  });

  it('[UI60] reports each invalid entry at its field', () => {
    const draft = {
      topic: 'ab',
      rounds: '2.5',
      share: '0.25',
      loud: 'perhaps',
      ordering: '7',
      tags: ['', 'b', 'c'],
      limits: { usd: 'ten' },
      odd: '{"a":\n 1,}',
      any: '[1]',
    };
    expect(read(draft).errors).toEqual([
      { field: 'knobs.topic', message: 'expected at least 3 characters, got 2' },
      { field: 'knobs.rounds', message: 'expected a whole number' },
      { field: 'knobs.share', message: 'expected a multiple of 0.1' },
      { field: 'knobs.loud', message: 'expected yes or no' },
      { field: 'knobs.ordering', message: 'expected one of the choices' },
      { field: 'knobs.tags', message: 'expected at most 2 entries, got 3' },
      { field: 'knobs.tags.0', message: 'a value is required' },
      { field: 'knobs.limits.usd', message: 'expected a number' },
      { field: 'knobs.odd', message: 'line 2, column 4: expected a name in double quotes, got "}"' },
      { field: 'knobs.any', message: 'expected a JSON object: { \u2026 }' },
    ]);
    expect(read({}).errors).toEqual([{ field: 'knobs.topic', message: 'a value is required' }]);
  });

  it('[UI60] reads numbers, leaves out empty fields, and keeps an empty required group', () => {
    const draft = {
      topic: 'ships',
      rounds: ' 3 ',
      share: '.5',
      loud: 'false',
      ordering: '1',
      tags: ['a'],
      odd: '"x"',
      open: { [OTHERS]: '{"b":1}' },
    };
    expect(read(draft)).toEqual({
      value: {
        topic: 'ships',
        rounds: 3,
        share: 0.5,
        loud: false,
        ordering: 2,
        tags: ['a'],
        odd: 'x',
        limits: {},
        open: { b: 1 },
      },
      errors: [],
    });
    for (const text of ['0x10', '1e999', 'NaN', '--1', '1,5', 'Infinity', '']) {
      expect(readForm(fieldOf({ type: 'number' }), text, 'n').value).toBeUndefined();
    }
    expect(read({ topic: 'abc', open: { a: 'x', [OTHERS]: '{"a":1}' } }).errors).toEqual([
      { field: 'knobs.open.', message: '"a" has its own field above' },
    ]);
  });

  it('[UI60] returns a value put into it unchanged, whatever its member names', () => {
    const name = fc.oneof(
      fc.string({ minLength: 1, maxLength: 8 }),
      fc.constantFrom('constructor', 'toString', 'a.b', '<img>'),
    );
    const leaf = fc.constantFrom<JsonObject>(
      { type: 'string', minLength: 1 },
      { type: 'number' },
      { type: 'boolean' },
      { enum: [1, '1', null] },
      { type: 'array', items: { type: 'integer' } },
      {},
    );
    const schemas = fc.dictionary(
      name.filter((one) => one !== '__proto__'),
      leaf,
      { maxKeys: 5 },
    );
    fc.assert(
      fc.property(schemas, fc.infiniteStream(fc.nat()), (properties, random) => {
        const next = () => random.next().value ?? 0;
        const value = Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, sample(one, next())]));
        const field = fieldOf({ type: 'object', properties, additionalProperties: false }, '', true);
        expect(readForm(field, draftOf(field, value), 'v')).toEqual({ value, errors: [] });
      }),
    );
  });

  it('[UI60] shows errors of the hub at the nearest field', () => {
    const errors = [
      { field: 'knobs.graph.transitions.0.when', message: 'no' },
      { field: 'knobs.rounds', message: 'small' },
      { field: 'wait', message: 'odd' },
    ];
    expect(errorsOf(errors, 'knobs.graph')).toEqual([]);
    expect(errorsWithin(errors, 'knobs.graph')).toEqual(['transitions.0.when: no']);
    expect(errorsWithin(errors, 'knobs.rounds')).toEqual(['small']);
    expect(errorsElsewhere(errors, ['knobs'])).toEqual([{ field: 'wait', message: 'odd' }]);
    expect(asFormError({ field: 'params.participants.0', message: 'x' }).field).toBe('participants.0');
  });
});

function sample({ type, enum: options }: JsonObject, n: number): Json {
  if (Array.isArray(options)) return options[n % options.length] ?? null;
  if (type === 'string') return `text ${n}`;
  if (type === 'number') return n / 8;
  if (type === 'boolean') return n % 2 === 0;
  if (type === 'array') return [n, -n - 1];
  return { any: [n, null, { deep: 'x' }] };
}

function drafted(manifest: Manifest, more: Partial<CreateDraft>): CreateDraft {
  return { ...newDraft(manifest), ...more };
}

const BOB = { by: 'name', text: ' bob ' } as const;
const failed = (field: string, message: string) => ({ ok: false, errors: [{ field, message }] });

describe('a draft of a new session', () => {
  it('[UI61] reports too few, too many and duplicate participants before the hub is asked', () => {
    const { manifest } = discussion;
    const nobody = readCreate(drafted(manifest, { participants: [{ by: 'name', text: ' ' }] }), manifest, 'me');
    expect(nobody).toEqual(failed('participants', 'expected at least 2 including you, got 1'));
    const twice = readCreate(drafted(manifest, { participants: [BOB, { by: 'name', text: 'bob' }] }), manifest, 'me');
    expect(twice).toEqual(failed('participants.1', '"bob" is listed twice'));
    const two = { ...manifest, participants: { min: 2, max: 2, roles: ['initiator', 'respondent'] } };
    const many = readCreate(drafted(two, { participants: [BOB, { by: 'capability', text: 'review' }] }), two, 'me');
    expect(many).toEqual(failed('participants', 'expected at most 2 including you, got 3'));
    const roles = (names: readonly string[]) => {
      const participants = names.map((text) => ({ by: 'name', text }) as const);
      return participants.map((one) => roleOf(drafted(manifest, { participants }), one, 'me'));
    };
    expect(roles(['bob'])).toEqual(['respondent']);
    expect(roles(['bob', 'me'])).toEqual(['respondent', 'initiator']);
    expect(roles(['bob', 'carol'])).toEqual(['participant', 'participant']);
  });

  it('[UI61] becomes valid create_session parameters, with numbers, labels and expectations', () => {
    const { manifest } = discussion;
    const draft = drafted(manifest, {
      participants: [BOB, { by: 'capability', text: 'review' }],
      knobs: { ordering: '2', rounds: '4', close_by: '1' },
      options: {
        ttl: '2h',
        intent: 'to agree',
        required_acks: '1',
        labels: [{ name: 'team', value: 'red' }],
        expectations: [{ name: 'turn_within', on_violation: '1', params: '{"seconds": 9}' }],
      },
    });
    const read = readCreate(draft, manifest, 'me');
    expect(read).toEqual({
      ok: true,
      params: {
        type: 'discussion',
        version: 1,
        participants: ['bob', { capability: 'review' }],
        knobs: { ordering: 'moderated', rounds: 4, close_by: 'creator' },
        ttl: '2h',
        intent: 'to agree',
        required_acks: 1,
        labels: { team: 'red' },
        expectations: [{ name: 'turn_within', on_violation: 'warn', params: { seconds: 9 } }],
      },
    });
    expect(createParams.safeParse(read.ok && read.params).success).toBe(true);
    expect(compileKnobs(manifest)(read.ok ? (read.params.knobs ?? {}) : {})).toMatchObject({ rounds: 4 });
    expect(participantsFrom(draft, 'me')).toEqual(['me', 'bob']);
  });

  it('[UI61] reports invalid options by their names', () => {
    const { manifest } = discussion;
    const options = { ttl: 'soon', required_acks: '-1', expectations: [{ params: '3' }] };
    const read = readCreate(drafted(manifest, { participants: [BOB], options }), manifest, 'me');
    expect(read.ok ? [] : read.errors.map(({ field }) => field)).toEqual([
      'required_acks',
      'expectations.0.name',
      'expectations.0.on_violation',
      'expectations.0.params',
      'ttl',
    ]);
  });

  it('[UI61] exists for every session type: a workflow requires a graph, a governed run a config', () => {
    for (const [manifest, field] of [
      [workflow.manifest, 'knobs.graph'],
      [governed.manifest, 'knobs.config'],
    ] as const) {
      expect(knobsField(manifest).kind).toBe('group');
      const read = readCreate(drafted(manifest, { participants: [BOB] }), manifest, 'me');
      expect(read).toEqual(failed(field, 'a value is required'));
    }
    expect(emptyDraft(fieldOf({ type: 'string' }))).toBe('');
  });
});

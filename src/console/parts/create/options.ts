/** What any session may be opened with, whatever its type: a form of its own, made the way forms of knobs are. */

import type { Json } from '../../../core/lib/json.ts';
import type { CreateParams } from '../../../core/records/session/create-params.ts';
import type { Draft } from '../form/draft.ts';
import { type Field, fieldOf } from '../form/field.ts';
import type { FieldError } from '../form/field-errors.ts';
import { readForm } from '../form/read-form.ts';

const duration = (title: string, description: string) => ({
  type: 'string',
  title,
  description: `${description}: 30s, 15m, 2h, 1d`,
});
const DURATIONS = ['ttl', 'invite_timeout', 'drain_timeout'] as const;
const ACTIONS = ['audit', 'warn', 'notify_session', 'hide', 'remove', 'auto_close'];

export const OPTIONS: Field = fieldOf(
  {
    type: 'object',
    additionalProperties: false,
    properties: {
      intent: { type: 'string', title: 'Intent', description: 'what it is for', maxLength: 1024 },
      ttl: duration('Time to live', 'it expires after this'),
      invite_timeout: duration('Time to answer invites', 'who has not answered by then counts as no'),
      drain_timeout: duration('Time to drain', 'how long a closing session waits for what is open'),
      required_acks: {
        type: 'integer',
        title: 'Answers needed',
        description: 'it opens when so many have said yes',
        minimum: 0,
        maximum: 100_000,
      },
      labels: {
        type: 'array',
        title: 'Labels',
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['name', 'value'],
          properties: { name: { type: 'string' }, value: { type: 'string' } },
        },
      },
      expectations: {
        type: 'array',
        title: 'Expectations',
        description: 'these take the place of those of its type; none here = those of its type',
        maxItems: 64,
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['name', 'on_violation'],
          properties: {
            name: { type: 'string', description: 'such as turn_within, max_turns, budget_within', maxLength: 64 },
            on_violation: { enum: ACTIONS, title: 'on violation' },
            params: { type: 'object', description: 'such as {"seconds": 60}' },
            applies_to: {
              type: 'array',
              title: 'applies to',
              description: 'roles or ids; nobody named = everybody',
              items: { type: 'string' },
            },
          },
        },
      },
    },
  },
  'Options',
);

/** What it is for is asked at the top; the others are folded away. */
export const INTENT: Field = only('What it is for', (name) => name === 'intent');
export const OTHER_OPTIONS: Field = only('Options', (name) => name !== 'intent');

function only(title: string, isIn: (name: string) => boolean): Field {
  return OPTIONS.kind === 'group'
    ? { ...OPTIONS, title, members: OPTIONS.members.filter(([name]) => isIn(name)) }
    : OPTIONS;
}

type Options = Pick<
  CreateParams,
  'intent' | 'ttl' | 'invite_timeout' | 'drain_timeout' | 'required_acks' | 'labels' | 'expectations'
>;

export interface OptionsRead {
  readonly params: Options;
  readonly errors: readonly FieldError[];
}

/** Paths of errors are those of `create_session`: `ttl`, `expectations.0.params`. */
export function readOptions(draft: Draft): OptionsRead {
  const { value, errors } = readForm(OPTIONS, draft, '');
  const given = (value ?? {}) as Readonly<Record<string, Json>>;
  const durations = DURATIONS.filter((name) => given[name] !== undefined && !DURATION.test(String(given[name])));
  const { labels, expectations, ...others } = given;
  const pairs = (labels ?? []) as readonly { readonly name: string; readonly value: string }[];
  const entries = (expectations ?? []) as unknown as NonNullable<Options['expectations']>;
  return {
    // The form has made sure of the shape of each.
    params: {
      ...(others as Options),
      ...(pairs.length === 0 ? {} : { labels: Object.fromEntries(pairs.map((one) => [one.name, one.value])) }),
      ...(entries.length === 0 ? {} : { expectations: entries.map((one) => ({ ...one, params: one.params ?? {} })) }),
    },
    errors: [
      ...errors.map(({ field, message }) => ({ field: field.replace(/^\./, ''), message })),
      ...durations.map((field) => ({ field, message: 'expected a duration such as 30s, 15m, 2h, 1d' })),
    ],
  };
}

const DURATION = /^\d+(?:\.\d+)?[smhd]?$/;

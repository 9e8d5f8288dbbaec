/** Builds the form for the options that every session type has. */

import type { Json } from '../../../core/lib/json.ts';
import type { CreateParams } from '../../../core/records/session/create-params.ts';
import type { Draft } from '../form/draft.ts';
import { type Field, fieldOf, type GroupField } from '../form/field.ts';
import type { FieldError } from '../form/field-errors.ts';
import { readForm } from '../form/read-form.ts';

const duration = (title: string, description: string) => ({
  type: 'string',
  title,
  description: `${description}, such as 30s, 15m, 2h, 1d`,
});
const DURATIONS = ['ttl', 'invite_timeout', 'drain_timeout'] as const;
const ACTIONS = ['audit', 'warn', 'notify_session', 'hide', 'remove', 'auto_close'];

// The cast to GroupField is safe: a schema with properties becomes a group.
export const OPTIONS = fieldOf(
  {
    type: 'object',
    additionalProperties: false,
    properties: {
      intent: { type: 'string', title: 'Intent', description: 'the purpose of the session', maxLength: 1024 },
      ttl: duration('Time to live', 'the session expires after this time'),
      invite_timeout: duration('Time to answer invites', 'later, an unanswered invite counts as declined'),
      drain_timeout: duration('Time to drain', 'how long a closing session waits for acks'),
      required_acks: {
        type: 'integer',
        title: 'Required acceptances',
        description: 'the session becomes active after this many',
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
        description: 'replace the expectations of the session type; an empty list keeps them',
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
              description: 'roles or ids; an empty list = everybody',
              items: { type: 'string' },
            },
          },
        },
      },
    },
  },
  'Options',
) as GroupField;

/** The form shows the intent at its top, and collapses the other options. */
export const INTENT: Field = only('Purpose', (name) => name === 'intent');
export const OTHER_OPTIONS: Field = only('Options', (name) => name !== 'intent');

function only(title: string, isIncluded: (name: string) => boolean): Field {
  return { ...OPTIONS, title, members: OPTIONS.members.filter(([name]) => isIncluded(name)) };
}

type Options = Pick<
  CreateParams,
  'intent' | 'ttl' | 'invite_timeout' | 'drain_timeout' | 'required_acks' | 'labels' | 'expectations'
>;

interface OptionsRead {
  readonly params: Options;
  readonly errors: readonly FieldError[];
}

/** Error paths are those of `create_session`: `ttl`, `expectations.0.params`. */
export function readOptions(draft: Draft): OptionsRead {
  const { value, errors } = readForm(OPTIONS, draft, '');
  const given = (value ?? {}) as Readonly<Record<string, Json>>;
  const durations = DURATIONS.filter((name) => given[name] !== undefined && !DURATION.test(String(given[name])));
  const { labels, expectations, ...others } = given;
  const pairs = (labels ?? []) as readonly { readonly name: string; readonly value: string }[];
  const entries = (expectations ?? []) as unknown as NonNullable<Options['expectations']>;
  return {
    // `readForm` has validated the shape of each member.
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

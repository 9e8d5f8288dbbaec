/** Schemas of the fields that records share: ids, names, times, counts and keys. Imports no record. */

import { z } from 'zod';
import { utf8Bytes } from '../lib/json.ts';
import { integerBetween, text } from '../lib/schema.ts';

export const GENERATED_ID: RegExp = /^[0-9a-f]{32}$/;

export const EVENT_TYPE: RegExp = /^[A-Za-z][A-Za-z0-9._-]{0,127}$/;

export const TRACEPARENT: RegExp = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

export const sessionId: z.ZodType<string> = z
  .string({ error: 'a session id' })
  .regex(GENERATED_ID, 'a session id of 32 lower-case hex digits');

export const generatedId: z.ZodType<string> = z.string().regex(GENERATED_ID, 'an id of 32 lower-case hex digits');

export const time: z.ZodType<string> = z.iso.datetime({
  precision: 3,
  error: 'a time such as 2026-01-31T12:00:00.000Z',
});

export const seq: z.ZodType<number> = integerBetween(1, Number.MAX_SAFE_INTEGER);

export const count: z.ZodType<number> = integerBetween(0, Number.MAX_SAFE_INTEGER);

export const traceparent: z.ZodType<string> = z
  .string({ error: 'a W3C traceparent' })
  .regex(TRACEPARENT, 'a W3C traceparent: version-trace-parent-flags of 2-32-16-2 lower-case hex digits');

export const eventType: z.ZodType<string> = z
  .string({ error: 'an event type' })
  .regex(EVENT_TYPE, 'an event type such as msg.text (1 to 128 characters)');

/** A name or an agent id. */
export const agentRef: z.ZodType<string> = text(64);

export const AUDIENCE_LENGTH = 4096;

export const audience: z.ZodType<string[]> = z
  .array(agentRef, { error: 'a list of agent ids, or null for everyone' })
  .min(1, 'at least one agent id, or null for everyone')
  .max(AUDIENCE_LENGTH, `at most ${AUDIENCE_LENGTH} agent ids`);

export const key: z.ZodType<string> = text(128).refine((value) => utf8Bytes(value) <= 128, 'a key of 1 to 128 bytes');

export const agentName: z.ZodType<string> = z
  .string({ error: 'a name' })
  .regex(NAME, 'a name of a-z 0-9 . _ - (1 to 64 characters, starting with a letter or digit)')
  // "hub" is the sender of hub envelopes.
  .refine((name) => name !== 'hub', 'another name: "hub" is the hub itself')
  // Names and ids are accepted in the same places: a name that looks like an id could impersonate another agent.
  .refine((name) => !GENERATED_ID.test(name), 'another name: 32 hex digits are an id');

/** A search keyword; surrounding space would never match. */
export const keyword: z.ZodType<string> = text(64).refine(
  (value) => value === value.trim(),
  'text of 1 to 64 characters without space around it',
);

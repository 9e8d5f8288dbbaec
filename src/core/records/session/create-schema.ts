/** Schemas of the parameters that create a session. */

import { z } from 'zod';
import { anyObject, integerBetween, text, textMap } from '../../lib/schema.ts';
import { DURATION, isDuration } from '../../lib/time.ts';
import { agentRef, key, keyword, sessionId } from '../fields.ts';
import type { CreateParams, Duration, ParticipantRef, SessionTemplate } from './create-params.ts';
import { expectationEntry } from './record-schemas.ts';

export const participantRef: z.ZodType<ParticipantRef> = z.union([agentRef, z.strictObject({ capability: keyword })], {
  error: 'a name, an id or {capability}',
});

const duration = z.custom<Duration>(isDuration, DURATION).optional();

/** Schemas of the members of a template, for schemas that extend it. */
export const templateMembers: {
  readonly [Name in keyof Required<SessionTemplate>]: z.ZodType<SessionTemplate[Name]>;
} = {
  type: text(64),
  version: integerBetween(1, 1_000_000).optional(),
  participants: z
    .array(participantRef, { error: 'a list of names' })
    .min(1, 'at least one name')
    .max(4096, 'at most 4096 names'),
  knobs: anyObject().optional(),
  labels: textMap().optional(),
  intent: text(1024).optional(),
  expectations: z.array(expectationEntry).max(64, 'at most 64 expectations').optional(),
  required_acks: integerBetween(0, 100_000).optional(),
  ttl: duration,
  invite_timeout: duration,
  drain_timeout: duration,
};

export const createParams: z.ZodType<CreateParams> = z.object({
  ...templateMembers,
  parent_session_id: sessionId.optional(),
  idempotency_key: key.optional(),
  wait: z.enum(['active', 'created'], { error: 'active or created' }).optional(),
});

/** Strict: an error here would otherwise appear only when a run starts. */
export const sessionTemplate: z.ZodType<SessionTemplate> = z.strictObject(templateMembers, {
  error: ({ code }) =>
    code === 'unrecognized_keys'
      ? 'what create_session takes, but for parent_session_id, idempotency_key and wait'
      : 'an object such as {type, participants}',
});

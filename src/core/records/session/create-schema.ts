/** What a session may be created with, asked for at once or by a schedule. */

import { z } from 'zod';
import { participantRef } from '../../identity-schemas.ts';
import type { CreateParams, Duration } from '../../operations.ts';
import { expectationEntry, key, sessionId } from './record-schemas.ts';
import type { SessionTemplate } from '../work/schedule.ts';
import { anyObject, text, texts, whole } from '../../lib/schema.ts';
import { DURATION, isDuration } from '../../time.ts';

const duration = z.custom<Duration>(isDuration, DURATION).optional();

/** What a session is made of, for those who call it otherwise. */
export const templateMembers: {
  readonly [Name in keyof Required<SessionTemplate>]: z.ZodType<SessionTemplate[Name]>;
} = {
  type: text(64),
  version: whole(1, 1_000_000).optional(),
  participants: z
    .array(participantRef, { error: 'a list of names' })
    .min(1, 'at least one name')
    .max(4096, 'at most 4096 names'),
  knobs: anyObject().optional(),
  labels: texts().optional(),
  intent: text(1024).optional(),
  expectations: z.array(expectationEntry).max(64, 'at most 64 expectations').optional(),
  required_acks: whole(0, 100_000).optional(),
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

/** A slip of the pen would be found only when it is opened, so there is nothing beside what there is. */
export const sessionTemplate: z.ZodType<SessionTemplate> = z.strictObject(templateMembers, {
  error: ({ code }) =>
    code === 'unrecognized_keys'
      ? 'what create_session takes, but for parent_session_id, idempotency_key and wait'
      : 'an object such as {type, participants}',
});

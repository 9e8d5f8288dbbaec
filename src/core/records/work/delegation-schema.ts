/** The schemas of delegation: what may be asked, and what is answered. */

import { z } from 'zod';
import { DELEGATION_OUTCOMES, type DelegateAnswer, type DelegateParams, type DelegationReply } from './delegation.ts';
import { participantRef } from '../../identity-schemas.ts';
import { isWellFormed } from '../../lib/json.ts';
import type { Duration } from '../../operations.ts';
import { count, key, madeId, seq, sessionId } from '../session/record-schemas.ts';
import { anyObject, oneOf, record, whole } from '../../lib/schema.ts';
import type { Spent } from '../session/spending.ts';
import { durationMs, isDuration } from '../../time.ts';

/** A year: the times of the child that are made of it stay times. */
const MOST_TIMEOUT_MS = 365 * 86_400_000;
const TIMEOUT = 'a duration such as 30s, 15m, 2h or 1d, more than 0 and at most 365d';

const timeout = z.custom<Duration>((value) => {
  const ms = isDuration(value) ? durationMs(value, 'timeout') : 0;
  return ms > 0 && ms <= MOST_TIMEOUT_MS;
}, TIMEOUT);

/** As much as a session may expect to stay within. */
const MOST_USD = 1_000_000;
const MOST_TOKENS = 1_000_000_000_000_000;
const DOLLARS = `a number of dollars, more than 0 and at most ${MOST_USD}`;
const budget = z
  .strictObject(
    {
      usd: z.number({ error: DOLLARS }).positive(DOLLARS).max(MOST_USD, DOLLARS).optional(),
      tokens: whole(1, MOST_TOKENS).optional(),
    },
    { error: ({ code }) => (code === 'unrecognized_keys' ? 'usd or tokens' : 'an object {usd, tokens}') },
  )
  .refine(({ usd, tokens }) => usd !== undefined || tokens !== undefined, 'usd or tokens');

/** How much can be said is the hub's to say: a limit that can be set. */
const prompt = z
  .string({ error: 'text of at least 1 character' })
  .min(1, 'text of at least 1 character')
  .refine(isWellFormed, 'well-formed Unicode text (no lone surrogate)');

export const delegateParams: z.ZodType<DelegateParams> = z.object({
  session_id: sessionId,
  target: participantRef,
  prompt,
  budget: budget.optional(),
  timeout: timeout.optional(),
  wait: z.enum(['reply', 'opened'], { error: 'reply or opened' }).optional(),
  idempotency_key: key.optional(),
});

const amount = z.number().min(0);

export const delegateAnswer: z.ZodType<DelegateAnswer> = record<DelegateAnswer>({
  delegation_id: madeId,
  child_session_id: sessionId.nullable(),
  outcome: oneOf<DelegateAnswer['outcome']>({ ...DELEGATION_OUTCOMES, open: 1 }),
  reason: z.string().nullable(),
  reply: record<DelegationReply>({
    text: z.string(),
    seq,
    envelope_id: madeId,
    sender_id: madeId,
    usage: anyObject().nullable(),
    cost_usd: amount.nullable(),
  }).nullable(),
  spent: record<Spent>({ usd: amount, tokens: amount, unpriced: count }).nullable(),
  duplicate: z.literal(true).exactOptional(),
});

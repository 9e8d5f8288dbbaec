/** Schemas of delegations. */

import { z } from 'zod';
import { isWellFormed } from '../../lib/json.ts';
import { anyObject, integerBetween, oneOf, record } from '../../lib/schema.ts';
import { durationMs, isDuration } from '../../lib/time.ts';
import { count, generatedId, key, seq, sessionId } from '../fields.ts';
import type { Duration } from '../session/create-params.ts';
import { participantRef } from '../session/create-schema.ts';
import type { Spend } from '../session/spending.ts';
import { DELEGATION_OUTCOMES, type DelegateAnswer, type DelegateParams, type DelegationReply } from './delegation.ts';

/** One year, so that the times of the child stay valid. */
const MAX_TIMEOUT_MS = 365 * 86_400_000;

const TIMEOUT = 'a duration such as 30s, 15m, 2h or 1d, more than 0 and at most 365d';

const timeout = z.custom<Duration>((value) => {
  const ms = isDuration(value) ? durationMs(value, 'timeout') : 0;
  return ms > 0 && ms <= MAX_TIMEOUT_MS;
}, TIMEOUT);

/** The largest budget a session may have. */
const MAX_USD = 1_000_000;

const MAX_TOKENS = 1_000_000_000_000_000;

const DOLLARS = `a number of dollars, more than 0 and at most ${MAX_USD}`;

const budget = z
  .strictObject(
    {
      usd: z.number({ error: DOLLARS }).positive(DOLLARS).max(MAX_USD, DOLLARS).optional(),
      tokens: integerBetween(1, MAX_TOKENS).optional(),
    },
    { error: ({ code }) => (code === 'unrecognized_keys' ? 'usd or tokens' : 'an object {usd, tokens}') },
  )
  .refine(({ usd, tokens }) => usd !== undefined || tokens !== undefined, 'usd or tokens');

/** The hub's configuration limits its length. */
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
  delegation_id: generatedId,
  child_session_id: sessionId.nullable(),
  outcome: oneOf<DelegateAnswer['outcome']>({ ...DELEGATION_OUTCOMES, open: 1 }),
  reason: z.string().nullable(),
  reply: record<DelegationReply>({
    text: z.string(),
    seq,
    envelope_id: generatedId,
    sender_id: generatedId,
    usage: anyObject().nullable(),
    cost_usd: amount.nullable(),
  }).nullable(),
  spent: record<Spend>({ usd: amount, tokens: amount, unpriced: count }).nullable(),
  duplicate: z.literal(true).exactOptional(),
});

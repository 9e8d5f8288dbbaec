/** The schemas of tokens: what is asked for, and what is shown of them. */

import { z } from 'zod';
import { agentName, agentRef, grant, madeId, time } from '../session/record-schemas.ts';
import { record, schemaOf, text } from '../../lib/schema.ts';
import type { Schema } from '../../lib/schema-contract.ts';
import { DURATION, isDuration } from '../../time.ts';
import type { NewToken, TokenClaim, TokenRecord } from './tokens.ts';

export const tokenId: z.ZodType<string> = z
  .string({ error: 'the id of a token' })
  .regex(/^[0-9a-f]{16}$/, 'the id of a token: 16 lower-case hex digits');

const claim = {
  label: text(256).optional(),
  name: agentRef.optional(),
  grants: z.array(grant, { error: 'a list of grants' }).max(16, 'at most 16 grants').optional(),
  ttl: z.custom<string | number>(isDuration, DURATION).optional(),
};

/** Strict: a time to live that is called otherwise would be a token that never expires. */
export const tokenClaim: z.ZodType<TokenClaim> = z.strictObject(claim, {
  error: ({ code }) => (code === 'unrecognized_keys' ? Object.keys(claim).join(', ') : 'an object'),
});

const fields = {
  token_id: tokenId,
  label: z.string().nullable(),
  name: agentName.nullable(),
  grants: z.array(grant),
  created_at: time,
  created_by: madeId.nullable(),
  expires_at: time.nullable(),
  last_used_at: time.nullable(),
};

export const tokenRecord: z.ZodType<TokenRecord> = record<TokenRecord>(fields);
export const newToken: z.ZodType<NewToken> = record<NewToken>({ ...fields, token: text(256) });

const claimSchema: Schema<TokenClaim> = schemaOf(tokenClaim);

export function parseTokenClaim(value: unknown): TokenClaim {
  return claimSchema.parse(value, 'token');
}

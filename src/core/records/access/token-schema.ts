/** Schemas of tokens. */

import { z } from 'zod';
import { oneOf, record, schemaOf, text } from '../../lib/schema.ts';
import type { Schema } from '../../lib/schema-contract.ts';
import { DURATION, isDuration } from '../../lib/time.ts';
import { agentName, agentRef, generatedId, time } from '../fields.ts';
import type { Grant } from './grants.ts';
import type { NewToken, TokenClaim, TokenRecord } from './tokens.ts';

export const grant: z.ZodType<Grant> = oneOf<Grant>(
  { operate: 1, observe: 1, rules: 1, enrol: 1, approve: 1 },
  'a grant: operate, observe, rules, enrol or approve',
);

export const tokenId: z.ZodType<string> = z
  .string({ error: 'the id of a token' })
  .regex(/^[0-9a-f]{16}$/, 'the id of a token: 16 lower-case hex digits');

const claim = {
  label: text(256).optional(),
  name: agentRef.optional(),
  grants: z.array(grant, { error: 'a list of grants' }).max(16, 'at most 16 grants').optional(),
  ttl: z.custom<string | number>(isDuration, DURATION).optional(),
};

/** Strict: a misspelled `ttl` would make a token that never expires. */
export const tokenClaim: z.ZodType<TokenClaim> = z.strictObject(claim, {
  error: ({ code }) => (code === 'unrecognized_keys' ? Object.keys(claim).join(', ') : 'an object'),
});

const fields = {
  token_id: tokenId,
  label: z.string().nullable(),
  name: agentName.nullable(),
  grants: z.array(grant),
  created_at: time,
  created_by: generatedId.nullable(),
  expires_at: time.nullable(),
  last_used_at: time.nullable(),
};

export const tokenRecord: z.ZodType<TokenRecord> = record<TokenRecord>(fields);

export const newToken: z.ZodType<NewToken> = record<NewToken>({ ...fields, token: text(256) });

const claimSchema: Schema<TokenClaim> = schemaOf(tokenClaim);

export function parseTokenClaim(value: unknown): TokenClaim {
  return claimSchema.parse(value, 'token');
}

const SHAPE = /^parley_([0-9a-f]{16})_([A-Za-z0-9_-]{32,128})$/;

export function tokenText(tokenId: string, secret: string): string {
  return `parley_${tokenId}_${secret}`;
}

export function parseToken(token: unknown): { readonly tokenId: string; readonly secret: string } | null {
  const match = typeof token === 'string' ? SHAPE.exec(token) : null;
  const [, tokenId, secret] = match ?? [];
  return tokenId === undefined || secret === undefined ? null : { tokenId, secret };
}

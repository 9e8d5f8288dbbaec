/** Tokens the hub makes. */

import { z } from 'zod';
import { record } from '../../lib/schema.ts';
import { newToken, tokenClaim, tokenId, tokenRecord } from '../../records/access/token-schema.ts';
import type { NewToken, TokenClaim, TokenRecord } from '../../records/access/tokens.ts';
import { limit, operation } from './define-operation.ts';
import type { Operations } from './operation.ts';

export interface TokenOperations {
  create_token: { params: TokenClaim; result: NewToken };
  list_tokens: {
    params: { readonly after?: string | undefined; readonly limit?: number | undefined };
    result: { readonly tokens: readonly TokenRecord[]; readonly next: string | null };
  };
  revoke_token: { params: { readonly token_id: string }; result: { readonly token_id: string } };
}

export const TOKENS: Operations<TokenOperations> = {
  create_token: operation({
    params: tokenClaim,
    result: newToken,
    who: 'enroller',
    errors: ['forbidden', 'too_large'],
    help: 'Make a token: for one name, or for names that are registered with it; its secret is told this once.',
    retry: 'never',
    about: {
      name: 'The one identity it speaks for; absent = those that are registered with it.',
      label: 'What it is for.',
      grants: 'What it lets its bearer do; none you lack.',
      ttl: 'How long it holds; 0 = without end.',
    },
  }),
  list_tokens: operation({
    params: z.object({ after: tokenId.optional(), limit }),
    result: record<TokenOperations['list_tokens']['result']>({
      tokens: z.array(tokenRecord),
      next: tokenId.nullable(),
    }),
    who: 'enroller',
    errors: ['forbidden'],
    help: 'The tokens there are, without their secrets, a page at a time.',
    retry: 'always',
  }),
  revoke_token: operation({
    params: z.object({ token_id: tokenId }),
    result: record<TokenOperations['revoke_token']['result']>({ token_id: tokenId }),
    who: 'enroller',
    errors: ['forbidden', 'not_found'],
    help: 'Take a token back; whoever speaks with it is sent away.',
    retry: 'never',
    about: { token_id: 'The token; not its secret.' },
  }),
};

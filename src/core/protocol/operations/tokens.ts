/** Operations on tokens. */

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
    help: 'Create a token for one name, or for names registered with it; the secret is shown only now.',
    retry: 'never',
    about: {
      name: 'The only identity it may act as; absent = every identity registered with it.',
      label: 'A description.',
      grants: 'Its grants; you must have each of them.',
      ttl: 'Lifetime; 0 = no limit.',
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
    help: 'List tokens without their secrets, in pages.',
    retry: 'always',
  }),
  revoke_token: operation({
    params: z.object({ token_id: tokenId }),
    result: record<TokenOperations['revoke_token']['result']>({ token_id: tokenId }),
    who: 'enroller',
    errors: ['forbidden', 'not_found'],
    help: 'Revoke a token; connections that use it are closed.',
    retry: 'never',
    about: { token_id: 'The id of the token, not its secret.' },
  }),
};

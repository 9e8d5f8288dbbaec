/** The operations on tokens: for who may enrol, and nobody hands out more than it has. */

import { WireError } from '../core/lib/errors.ts';
import type { Grant } from '../core/records/access/grants.ts';
import { boundCaller, type Caller } from './caller.ts';
import type { Handler } from './handler.ts';
import type { HubParts } from './parts.ts';
import type { Tokens } from './registry/tokens.ts';

type Name = 'create_token' | 'list_tokens' | 'revoke_token';

const PAGE = 100;

export const tokenOperations: { readonly [N in Name]: Handler<N> } = {
  create_token(parts, caller, claim) {
    const { agentId } = enroller(parts, caller);
    const beyond = (claim.grants ?? []).find((grant: Grant) => !parts.registry.holds(agentId, grant));
    if (beyond !== undefined) {
      const message = `params.grants: you cannot hand out "${beyond}", which you do not have`;
      throw new WireError('forbidden', message, { field: 'params.grants' });
    }
    parts.backlog.check();
    return tokensOf(parts).create(claim, agentId);
  },

  list_tokens(parts, caller, { after = '', limit = PAGE }) {
    enroller(parts, caller);
    const tokens = [...tokensOf(parts).list(after)];
    const shown = tokens.slice(0, limit);
    return { tokens: shown, next: tokens.length > limit ? (shown.at(-1)?.token_id ?? null) : null };
  },

  revoke_token(parts, caller, { token_id }) {
    enroller(parts, caller);
    parts.backlog.check();
    return tokensOf(parts).revoke(token_id);
  },
};

function enroller(parts: HubParts, caller: Caller): { readonly agentId: string } {
  const binding = boundCaller(caller);
  if (parts.registry.holds(binding.agentId, 'enrol')) return binding;
  throw new WireError('forbidden', 'tokens take the grant "enrol"');
}

function tokensOf({ tokens }: HubParts): Tokens {
  if (tokens !== null) return tokens;
  throw new WireError('unavailable', 'this hub makes no tokens', { outcome: 'refused' });
}

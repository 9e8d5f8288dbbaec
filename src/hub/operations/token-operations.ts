/** The operations on tokens: for who may enrol, and nobody hands out more than it has. */

import { WireError } from '../../core/lib/errors.ts';
import type { Grant } from '../../core/records/access/grants.ts';
import type { Binding } from '../bindings/binding.ts';
import type { Backlog } from '../log/backlog.ts';
import type { Registry } from '../registry/registry.ts';
import type { Tokens } from '../registry/tokens.ts';
import { boundCaller, type Caller, type Handlers } from './handler.ts';

const PAGE = 100;

/** `tokens` null = this hub makes none. */
export function tokenOperations(
  registry: Pick<Registry, 'hasGrant'>,
  tokens: Tokens | null,
  backlog: Backlog,
): Handlers<'create_token' | 'list_tokens' | 'revoke_token'> {
  const enroller = (caller: Caller): Binding => {
    const binding = boundCaller(caller);
    if (registry.hasGrant(binding.agentId, 'enrol', binding.credential)) return binding;
    throw new WireError('forbidden', 'tokens take the grant "enrol"');
  };
  const known = (): Tokens => {
    if (tokens !== null) return tokens;
    throw new WireError('unavailable', 'this hub makes no tokens', { outcome: 'refused' });
  };

  return {
    create_token(caller, claim) {
      const { agentId, credential } = enroller(caller);
      const beyond = (claim.grants ?? []).find((grant: Grant) => !registry.hasGrant(agentId, grant, credential));
      if (beyond !== undefined) {
        const message = `params.grants: you cannot hand out "${beyond}", which you do not have`;
        throw new WireError('forbidden', message, { field: 'params.grants' });
      }
      backlog.check();
      return known().create(claim, agentId);
    },

    list_tokens(caller, { after = '', limit = PAGE }) {
      enroller(caller);
      const all = [...known().list(after)];
      const shown = all.slice(0, limit);
      return { tokens: shown, next: all.length > limit ? (shown.at(-1)?.token_id ?? null) : null };
    },

    revoke_token(caller, { token_id }) {
      enroller(caller);
      backlog.check();
      return known().revoke(token_id);
    },
  };
}

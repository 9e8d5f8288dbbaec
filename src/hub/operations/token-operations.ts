/** Handles the operations on tokens, which require the grant `enrol`. No token gets a grant that its creator lacks. */

import { WireError } from '../../core/lib/errors.ts';
import type { TokenOperations } from '../../core/protocol/operations/tokens.ts';
import type { Grant } from '../../core/records/access/grants.ts';
import type { Binding } from '../bindings/binding.ts';
import type { SharedRooms } from '../posting/shared-rooms.ts';
import type { Tokens } from '../registry/tokens.ts';
import type { Handlers } from './run-operation.ts';

const PAGE = 100;

type TokenOperationsNeeds = Pick<SharedRooms, 'registry' | 'tokens' | 'backlog'>;

export function tokenOperations({ registry, tokens, backlog }: TokenOperationsNeeds): Handlers<keyof TokenOperations> {
  const requireEnrol = ({ agentId, credential }: Binding): void => {
    if (registry.hasGrant(agentId, 'enrol', credential)) return;
    throw new WireError('forbidden', 'tokens require the grant "enrol"');
  };
  const known = (): Tokens => {
    if (tokens !== null) return tokens;
    throw new WireError('unavailable', 'this hub issues no tokens', { outcome: 'refused' });
  };

  return {
    create_token(by, claim) {
      requireEnrol(by);
      const { agentId, credential } = by;
      const beyond = (claim.grants ?? []).find((grant: Grant) => !registry.hasGrant(agentId, grant, credential));
      if (beyond !== undefined) {
        const message = `params.grants: you cannot give the grant "${beyond}", because you do not have it`;
        throw new WireError('forbidden', message, { field: 'params.grants' });
      }
      backlog.check();
      return known().create(claim, agentId);
    },

    list_tokens(by, { after = '', limit = PAGE }) {
      requireEnrol(by);
      const all = [...known().list(after)];
      const shown = all.slice(0, limit);
      return { tokens: shown, next: all.length > limit ? (shown.at(-1)?.token_id ?? null) : null };
    },

    revoke_token(by, { token_id }) {
      requireEnrol(by);
      backlog.check();
      return known().revoke(token_id);
    },
  };
}

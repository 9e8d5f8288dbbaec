/** What somebody who looks after a hub asks for. All of it only reads. */

import { WireError } from '../core/lib/errors.ts';
import { GRANTS, type Grant } from '../core/records/access/grants.ts';
import { boundCaller } from './caller.ts';
import { describeSessions } from './describe-sessions.ts';
import type { Handler } from './handler.ts';
import { checkGraph, listTypes } from './reading/console/list-types.ts';
import { readFeed } from './reading/console/read-feed.ts';
import { readState } from './read-state.ts';

type Name = 'whoami' | 'list_types' | 'describe_sessions' | 'read_state' | 'check_graph' | 'hub_figures' | 'read_feed';

export const consoleOperations: { readonly [N in Name]: Handler<N> } = {
  whoami({ registry }, caller) {
    const { agentId, name } = boundCaller(caller);
    const held = (Object.keys(GRANTS) as Grant[]).filter((grant) => registry.holds(agentId, grant));
    return { agent_id: agentId, name, kind: registry.called(agentId)?.passport.kind ?? 'agent', grants: held };
  },

  list_types(parts, caller) {
    boundCaller(caller);
    return listTypes(parts);
  },

  describe_sessions: (parts, caller, params) => describeSessions(parts, boundCaller(caller), params),

  read_state: (parts, caller, params) => readState(parts, boundCaller(caller), params),

  check_graph(parts, caller, params) {
    boundCaller(caller);
    return checkGraph(parts, params);
  },

  hub_figures(parts, caller) {
    const { agentId } = boundCaller(caller);
    if (!parts.registry.holds(agentId, 'observe')) {
      throw new WireError('forbidden', 'hub_figures: this takes the grant "observe"');
    }
    return parts.overview.figures();
  },

  read_feed: (parts, caller, params) => readFeed(parts, boundCaller(caller), params),
};

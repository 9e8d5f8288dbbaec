/** Implements hub methods of the host application that change sessions and rules, decided on the same state as a post. */

import type { Decision } from '../../core/decisions/decision.ts';
import {
  hideParticipant,
  type InviteAnswer,
  removeParticipant,
  requireParticipant,
  returnParticipant,
} from '../../core/decisions/membership.ts';
import { WireError } from '../../core/lib/errors.ts';
import { schemaOf, text } from '../../core/lib/schema.ts';
import { OPERATIONS } from '../../core/protocol/operations/operations.ts';
import type { RuleChange, RuleRecord } from '../../core/records/access/rule.ts';
import { agentRef, sessionId } from '../../core/records/fields.ts';
import type { SessionState } from '../../core/state/state.ts';
import type { SharedRooms } from '../posting/shared-rooms.ts';
import { type LiveSession, requireAvailable } from '../sessions/live-session.ts';

type OwnerActionsNeeds = Pick<SharedRooms, 'sessions' | 'registry' | 'backlog'>;

export class OwnerActions {
  private readonly needs: OwnerActionsNeeds;

  constructor(needs: OwnerActionsNeeds) {
    this.needs = needs;
  }

  async hide(id: string, agent: string, reason: string | undefined): Promise<InviteAnswer> {
    checkReason(reason);
    return this.decide(id, agent, (session, state) => requireAvailable(session, hideParticipant(state, agent, reason)));
  }

  return(id: string, agent: string): Promise<InviteAnswer> {
    return this.decide(id, agent, (session, state) => requireAvailable(session, returnParticipant(state, agent)));
  }

  /** Removes a participant permanently, even if the adapter is missing. */
  async remove(id: string, agent: string, reason: string = 'removed'): Promise<InviteAnswer> {
    checkReason(reason);
    return this.decide(id, agent, (_session, state) => {
      const { agent_id } = requireParticipant(state.metadata, agent);
      return removeParticipant(state, agent_id, reason);
    });
  }

  /** The host application may loosen any rule. */
  async setRule(agent: string, change: RuleChange): Promise<RuleRecord> {
    const { agent: name = agent, rule } = OPERATIONS.set_rule.params.parse({ agent, rule: change }, 'rule');
    const known = this.needs.registry.find(name)?.passport;
    if (known === undefined) {
      throw new WireError('not_found', `agent: no agent with name or id "${name}" is registered`, {
        field: 'agent',
        received: name,
      });
    }
    this.needs.backlog.check();
    return this.needs.registry.setRule(known.agent_id, rule, undefined, { guard: () => null, mayLoosen: () => true });
  }

  private async decide<T>(
    id: string,
    agent: string,
    decide: (session: LiveSession, state: SessionState) => Decision<T>,
  ): Promise<T> {
    schemaOf(sessionId).parse(id, 'sessionId');
    schemaOf(agentRef).parse(agent, 'agent');
    this.needs.backlog.check();
    return this.needs.sessions.use(id, (session) => session.decide((state) => decide(session, state)));
  }
}

function checkReason(reason: string | undefined): void {
  if (reason !== undefined) schemaOf(text(256)).parse(reason, 'reason');
}

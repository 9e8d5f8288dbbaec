/** The operations on rules: one's own may be tightened; everything else takes the grant `rules`. */

import { WireError } from '../core/lib/errors.ts';
import type { Params } from '../core/operations.ts';
import type { RuleChange, RuleRecord } from '../core/records/access/rule.ts';
import { setRuleParams } from '../core/rule-schemas.ts';
import { schemaOf } from '../core/lib/schema.ts';
import type { Schema } from '../core/lib/schema-contract.ts';
import type { Binding } from './bindings.ts';
import { boundCaller } from './caller.ts';
import type { Handler } from './handler.ts';
import { agentCalled, guardOf } from './identity-operations.ts';
import type { HubParts } from './parts.ts';

type Name = 'get_rule' | 'set_rule';

export const ruleOperations: { readonly [N in Name]: Handler<N> } = {
  get_rule(parts, caller, { agent }) {
    return parts.registry.ruleRecord(subject(parts, boundCaller(caller), agent));
  },

  set_rule(parts, caller, { agent, rule, expected_version }) {
    const by = boundCaller(caller);
    const agentId = subject(parts, by, agent);
    parts.backlog.check();
    const stillBound = guardOf(parts, by);
    const isOwn = agentId === by.agentId;
    const mayLoosen = (): boolean => parts.registry.holds(by.agentId, 'rules');
    // The grant may have been taken back by the time it is judged.
    const guard = (): WireError | null => stillBound() ?? (isOwn || mayLoosen() ? null : othersRule());
    return parts.registry.setRule(agentId, rule, expected_version, { guard, mayLoosen });
  },
};

/** By whoever runs the hub: nothing keeps it from allowing more. */
export function setRuleByOwner(
  { registry, backlog }: HubParts,
  agent: string,
  change: RuleChange,
): Promise<RuleRecord> {
  const { agent: name = agent, rule } = ruleParams.parse({ agent, rule: change }, 'rule');
  const known = registry.called(name)?.passport;
  if (known === undefined) {
    throw new WireError('not_found', `agent: nobody called "${name}" is registered`, {
      field: 'agent',
      received: name,
    });
  }
  backlog.check();
  return registry.setRule(known.agent_id, rule, undefined, { guard: () => null, mayLoosen: () => true });
}

const ruleParams: Schema<Params<'set_rule'>> = schemaOf(setRuleParams);

/** Whose rule: who may not ask about others learns nothing of who there is. */
function subject(parts: HubParts, by: Binding, agent: string | undefined): string {
  if (agent === undefined || agent === by.agentId || agent === by.name) return by.agentId;
  if (!parts.registry.holds(by.agentId, 'rules')) throw othersRule();
  return agentCalled(parts, by, agent).passport.agent_id;
}

function othersRule(): WireError {
  return new WireError('forbidden', 'params.agent: the rule of another needs the grant "rules"', {
    field: 'params.agent',
  });
}

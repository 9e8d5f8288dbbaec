/** Grants, given and taken back by whoever runs the hub. */

import { WireError } from '../core/lib/errors.ts';
import { GRANTS, type Grant } from '../core/records/access/grants.ts';
import { badValue } from '../core/lib/json.ts';
import { agentRef } from '../core/records/session/record-schemas.ts';
import { schemaOf } from '../core/lib/schema.ts';
import type { HubParts } from './parts.ts';

export function changeGrants(
  { registry, backlog }: HubParts,
  agent: string,
  grants: readonly Grant[],
  how: 'grant' | 'revoke',
): Promise<readonly Grant[]> {
  schemaOf(agentRef).parse(agent, 'agent');
  checkGrants(grants);
  const passport = registry.called(agent)?.passport;
  if (passport === undefined) {
    throw new WireError('not_found', `agent: nobody called "${agent}" is registered`, {
      field: 'agent',
      received: agent,
    });
  }
  backlog.check();
  return registry.setGrants(passport.agent_id, (held) => {
    if (how === 'grant') return new Set([...held, ...grants]);
    return new Set([...held].filter((grant) => !grants.includes(grant)));
  });
}

function checkGrants(grants: unknown): void {
  const known = Object.keys(GRANTS).join(', ');
  if (!Array.isArray(grants)) {
    throw badValue('grants', `a list of ${known}`, grants);
  }
  const wrong: unknown = grants.find((grant) => typeof grant !== 'string' || !Object.hasOwn(GRANTS, grant));
  if (wrong === undefined) return;
  throw badValue('grants', `some of ${known}`, wrong);
}

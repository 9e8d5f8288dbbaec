/** Applies the rules of a config file: each named agent gets exactly the rule and grants in the file. */

import type { AgentClient } from '../client/agent-client.ts';
import { type Json, jsonEqual } from '../core/lib/json.ts';
import { GRANTS, type Grant } from '../core/records/access/grants.ts';
import { type Limits, limitsWith } from '../core/records/access/limits.ts';
import type { RuleChange } from '../core/records/access/rule.ts';
import { applyRuleChange, defaultRule } from '../core/records/access/rule-schema.ts';
import type { LocalHub } from '../server/create-hub.ts';
import type { Config, RuleConfig } from './shape/config.ts';

/** An agent's rule merged over that of `*`, field by field; null if the file has no rules. */
export function ruleOf(rules: Config['rules'], name: string): RuleConfig | null {
  if (rules === undefined) return null;
  const [all = {}, own = {}] = [rules['*'], rules[name]];
  return {
    access: {
      ...all.access,
      ...own.access,
      session_types: { ...all.access?.session_types, ...own.access?.session_types },
    },
    limits: { ...all.limits, ...own.limits, inbox: { ...all.limits?.inbox, ...own.limits?.inbox } },
    ...(own.grants === undefined && all.grants === undefined ? {} : { grants: own.grants ?? all.grants }),
  };
}

/** Applies a rule and its grants to an agent; does not write a rule that is already set. */
export async function applyRule(
  hub: LocalHub,
  client: AgentClient,
  { grants, ...change }: RuleConfig,
  limits: Partial<Limits>,
): Promise<void> {
  const wanted = applyRuleChange(defaultRule(limitsWith(limits)), change);
  const { rule } = await client.rule();
  const isSame = jsonEqual(rule as unknown as Json, wanted as unknown as Json);
  if (!isSame) await hub.setRule(client.name, wanted as RuleChange);
  if (grants === undefined) return;
  await hub.grant(client.name, grants);
  const all = Object.keys(GRANTS) as Grant[];
  await hub.revoke(
    client.name,
    all.filter((grant) => !grants.includes(grant)),
  );
}

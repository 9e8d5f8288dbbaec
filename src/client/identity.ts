/** What an agent says about itself and asks about others, in the caller's words. */

import type { AgentQuery } from '../core/records/identity/find-agent.ts';
import { badValue } from '../core/lib/json.ts';
import type { Params } from '../core/operations.ts';
import type { ResumeClaim } from '../core/records/identity/resume-schema.ts';
import type { RuleChange } from '../core/records/access/rule.ts';
import { checkOptions, isObject, type Rules } from './lib/option-checks.ts';

/** What is left out stays as it was. */
export interface ResumeOptions {
  readonly claimedCapabilities?: readonly string[] | undefined;
  readonly domains?: readonly string[] | undefined;
  readonly summary?: string | undefined;
  readonly examples?: readonly string[] | undefined;
  /** Refuse (`conflict`) unless this is the present version. */
  readonly expectedVersion?: number | undefined;
}

const RESUME_OPTIONS: Rules<ResumeOptions> = {
  claimedCapabilities: null,
  domains: null,
  summary: null,
  examples: null,
  expectedVersion: null,
};

export interface RuleOptions {
  /** Whose rule, by name or id; your own unless told. */
  readonly agent?: string | undefined;
  /** Refuse (`conflict`) unless this is the present version. */
  readonly expectedVersion?: number | undefined;
}

const RULE_OPTIONS: Rules<RuleOptions> = { agent: null, expectedVersion: null };
const AGENT_QUERY: Rules<AgentQuery> = { capability: null, text: null, kind: null, domain: null, bound: null };

export function resumeParams(options: ResumeOptions): Params<'set_resume'> {
  checkOptions(options, RESUME_OPTIONS);
  const { claimedCapabilities: claimed_capabilities, expectedVersion: expected_version, ...rest } = options;
  const claim: ResumeClaim = { claimed_capabilities, ...rest };
  return { ...claim, expected_version };
}

export function checkAgentQuery(query: AgentQuery): void {
  checkOptions(query, AGENT_QUERY);
}

/** The rule as it travels: it has the same members here. */
export function ruleParams(rule: RuleChange, options: RuleOptions): Params<'set_rule'> {
  if (!isObject(rule)) throw badValue('rule', 'an object with access and limits', rule);
  checkOptions(options, RULE_OPTIONS);
  const { agent, expectedVersion: expected_version } = options;
  return { ...aboutAgent(agent), rule, expected_version };
}

/** Whom it is about; absent = oneself. */
export function aboutAgent(agent: string | undefined): { readonly agent?: string | undefined } {
  if (agent !== undefined && typeof agent !== 'string') throw badValue('agent', 'a name or an id', agent);
  return { agent };
}

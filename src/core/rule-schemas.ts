/** The schemas of rules: what a change may say, and what a rule is. */

import { z } from 'zod';
import type { Params } from './operations.ts';
import { agentRef, count, madeId, time } from './records/session/record-schemas.ts';
import type { Overflow, Rate, Rule, RuleChange, RuleRecord } from './records/access/rule.ts';
import { oneOf, record, text, whole } from './lib/schema.ts';
import { DURATION, isDuration } from './time.ts';

const MOST = 1_000_000_000;

const globs: z.ZodType<readonly string[]> = z
  .array(text(64), { error: 'a list of names, in which * is any text and ? one character' })
  .max(256, 'at most 256 names');
const most = whole(0, MOST).nullable();
const duration = z.custom<string | number>(isDuration, DURATION);
const rate = record<Rate>({ per_minute: whole(1, 100_000), burst: whole(1, 100_000) }).nullable();
const overflow = oneOf<Overflow>({ reject: 1, drop_oldest: 1, drop_newest: 1 }, 'reject, drop_oldest or drop_newest');

const types = { initiate: globs, accept: globs };
const access = { inbound_from: globs, outbound_to: globs };
const inbox = { max_pending: whole(1, MOST), overflow, high_water: whole(1, MOST).nullable() };
const limits = {
  max_concurrent_sessions: most,
  max_concurrent_tasks: most,
  session_ttl_default: duration,
  task_ttl_default: duration,
  rate,
  delegation_depth: whole(0, 1000),
};

/** What a change has in it, for those who take more beside. */
export const ruleChangeMembers: { readonly [Part in keyof Required<RuleChange>]: z.ZodType<RuleChange[Part]> } = {
  access: z
    .strictObject({ ...access, session_types: z.strictObject(types).partial() })
    .partial()
    .optional(),
  limits: z
    .strictObject({ ...limits, inbox: z.strictObject(inbox).partial() })
    .partial()
    .optional(),
};

const change = z.strictObject(ruleChangeMembers);

export const setRuleParams: z.ZodType<Params<'set_rule'>> = z.object({
  agent: agentRef.optional(),
  rule: change,
  expected_version: count.optional(),
});

export const ruleRecord: z.ZodType<RuleRecord> = record<RuleRecord>({
  agent_id: madeId,
  rule: record<Rule>({
    access: record<Rule['access']>({ ...access, session_types: record<Rule['access']['session_types']>(types) }),
    limits: record<Rule['limits']>({ ...limits, inbox: record<Rule['limits']['inbox']>(inbox) }),
  }),
  version: count,
  last_updated: time.nullable(),
});

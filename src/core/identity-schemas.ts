/** The schemas of what agents say about themselves, each bound to its type. */

import { z } from 'zod';
import type { FoundAgent } from './records/identity/find-agent.ts';
import { isWellFormed } from './lib/json.ts';
import type { CreateParams, Params } from './operations.ts';
import { agentKind, agentName, agentRef, count, madeId, passportMembers, time } from './records/session/record-schemas.ts';
import type { Observed, Resume } from './records/identity/resume-schema.ts';
import { anyObject, record, text, whole } from './lib/schema.ts';
import type { Skill } from './records/identity/skill.ts';

/** A word to search by: space around it would never be found. */
export const word: z.ZodType<string> = text(64).refine(
  (value) => value === value.trim(),
  'text of 1 to 64 characters without space around it',
);

const capabilities = words('capabilities');
const domains = words('domains');
const summary = text(2048, 0);
const examples = z.array(text(512), { error: 'a list of examples' }).max(16, 'at most 16 examples');

export const setResumeParams: z.ZodType<Params<'set_resume'>> = z.object({
  claimed_capabilities: capabilities.optional(),
  domains: domains.optional(),
  summary: summary.optional(),
  examples: examples.optional(),
  expected_version: count.optional(),
});

/** A name or an agent id; absent = who asks. */
export const aboutAgentParams: z.ZodType<Params<'get_resume'>> = z.object({ agent: agentRef.optional() });

const SKILL_TEXT = 'the text of a SKILL.md, or null for none';

/** How long it may be is the hub's to say: a limit that can be set. */
export const setSkillParams: z.ZodType<Params<'set_skill'>> = z.object({
  text: z
    .string({ error: SKILL_TEXT })
    .min(1, SKILL_TEXT)
    .refine(isWellFormed, 'well-formed Unicode text (no lone surrogate)')
    .nullable(),
});

export const findAgentParams: z.ZodType<Params<'find_agent'>> = z.object({
  capability: word.optional(),
  text: text(256).optional(),
  kind: agentKind.optional(),
  domain: word.optional(),
  bound: z.boolean({ error: 'true or false' }).optional(),
  after: agentRef.optional(),
  limit: whole(1, 1000).optional(),
});

/** A participant by name or id, or whoever offers a capability. */
export const participantRef: z.ZodType<CreateParams['participants'][number]> = z.union(
  [agentRef, z.strictObject({ capability: word })],
  {
    error: 'a name, an id or {capability}',
  },
);

const observed = record<Observed>({
  n: count,
  completed: count,
  failed: count,
  expired: count,
  p50_latency_ms: z.number().nullable(),
});

export const resume: z.ZodType<Resume> = record<Resume>({
  agent_id: madeId,
  claimed_capabilities: capabilities,
  domains,
  summary,
  examples,
  observed: z.record(z.string(), observed),
  version: count,
  last_updated: time.nullable(),
});

export const skill: z.ZodType<Skill> = record<Skill>({
  agent_id: madeId,
  name: agentName,
  text: z.string(),
  front_matter: anyObject(),
  body: z.string(),
  rendered: z.boolean(),
  version: count,
  last_updated: time.nullable(),
});

export const foundAgent: z.ZodType<FoundAgent> = record<FoundAgent>({
  ...passportMembers,
  resume: record<FoundAgent['resume']>({ claimed_capabilities: capabilities, domains, summary, version: count }),
  bound: z.boolean(),
});

function words(what: string): z.ZodType<readonly string[]> {
  return z.array(word, { error: `a list of ${what}` }).max(64, `at most 64 ${what}`);
}

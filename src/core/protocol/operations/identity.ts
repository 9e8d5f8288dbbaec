/** Operations on identities: passports, profiles, skills and access rules. */

import { z } from 'zod';
import { isWellFormed } from '../../lib/json.ts';
import { record, text } from '../../lib/schema.ts';
import type { RuleChange, RuleRecord } from '../../records/access/rule.ts';
import { ruleChange, ruleRecord } from '../../records/access/rule-schema.ts';
import { agentName, agentRef, count, generatedId, keyword } from '../../records/fields.ts';
import type { AgentQuery, FoundAgent } from '../../records/identity/find-agent.ts';
import type { Passport, PassportClaim } from '../../records/identity/passport.ts';
import { agentKind, foundAgent, passport, passportClaim } from '../../records/identity/passport-schema.ts';
import type { Resume, ResumeClaim } from '../../records/identity/resume.ts';
import { claimMembers, resume, skill } from '../../records/identity/resume-schema.ts';
import type { Skill } from '../../records/identity/skill.ts';
import { limit, operation } from './define-operation.ts';
import type { Operations } from './operation.ts';

/** A name or an agent id; absent = the caller. */
interface AboutAgent {
  readonly agent?: string | undefined;
}

/** Everything about an agent. */
interface AgentProfile {
  readonly passport: Passport;
  readonly resume: Resume;
  readonly skill: Skill;
  /** null if hidden: the rule is not the caller's own, and the caller lacks the grant `rules`. */
  readonly rule: RuleRecord | null;
  /** true if connected now. */
  readonly bound: boolean;
}

interface Page {
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

export interface IdentityOperations {
  register: { params: PassportClaim; result: Passport; open: true };
  unregister: { params: { readonly name?: string | undefined }; result: { readonly agent_id: string } };
  list_agents: { params: Page; result: { readonly agents: readonly Passport[]; readonly next: string | null } };
  find_agent: {
    params: AgentQuery & Page;
    result: { readonly agents: readonly FoundAgent[]; readonly next: string | null };
  };
  get_agent: { params: AboutAgent; result: AgentProfile };
  get_resume: { params: AboutAgent; result: Resume };
  set_resume: { params: ResumeClaim & { readonly expected_version?: number | undefined }; result: Resume };
  get_skill: { params: AboutAgent; result: Skill };
  /** `text` null removes the skill. */
  set_skill: { params: { readonly text: string | null }; result: Skill };
  get_rule: { params: AboutAgent; result: RuleRecord };
  set_rule: {
    params: AboutAgent & { readonly rule: RuleChange; readonly expected_version?: number | undefined };
    result: RuleRecord;
  };
}

const aboutAgent: z.ZodType<AboutAgent> = z.object({ agent: agentRef.optional() });
const SKILL_TEXT = 'the text of a SKILL.md, or null for none';

export const IDENTITY: Operations<IdentityOperations> = {
  register: operation({
    params: passportClaim,
    result: passport,
    who: 'anyone',
    errors: ['conflict', 'forbidden'],
    help: 'Register a new identity and bind it to this connection.',
    retry: 'never',
    about: {
      name: 'The name.',
      kind: 'An agent, a person, or an agent of another hub.',
      owner: 'Its owner, as free text.',
      provider: 'Its provider, as free text.',
      model: 'Its model, as free text.',
      cost: 'Its cost, as free text.',
      region: 'Its region, as free text.',
    },
  }),
  unregister: operation({
    params: z.object({ name: agentRef.optional() }),
    result: record<IdentityOperations['unregister']['result']>({ agent_id: generatedId }),
    who: 'self',
    errors: ['forbidden', 'not_found'],
    help: 'Leave every live session and retire the identity; its name is never reused.',
    retry: 'never',
    about: { name: 'Your own name, as a safety check.' },
  }),
  list_agents: operation({
    params: z.object({ after: agentRef.optional(), limit }),
    result: record<IdentityOperations['list_agents']['result']>({
      agents: z.array(passport),
      next: agentName.nullable(),
    }),
    who: 'bound',
    errors: [],
    help: 'List the registered agents by name, in pages.',
    retry: 'always',
  }),
  find_agent: operation({
    params: z.object({
      capability: keyword.optional(),
      text: text(256).optional(),
      kind: agentKind.optional(),
      domain: keyword.optional(),
      bound: z.boolean({ error: 'true or false' }).optional(),
      after: agentRef.optional(),
      limit,
    }),
    result: record<IdentityOperations['find_agent']['result']>({
      agents: z.array(foundAgent),
      next: agentName.nullable(),
    }),
    who: 'bound',
    errors: [],
    help: 'Find agents that match all conditions, by name, in pages. A page may be empty: follow next.',
    retry: 'always',
    about: {
      capability: 'A claimed or observed capability.',
      text: 'Text to search for.',
      kind: 'An agent, a person, or an agent of another hub.',
      domain: 'A domain of its profile.',
      bound: 'Only connected agents (true), or only disconnected ones (false).',
    },
  }),
  get_agent: operation({
    params: aboutAgent,
    result: record<AgentProfile>({ passport, resume, skill, rule: ruleRecord.nullable(), bound: z.boolean() }),
    who: 'bound',
    errors: ['not_found'],
    help: 'Read an agent’s passport, profile, skill and presence; its access rule only if it is yours or you have the grant `rules`.',
    retry: 'always',
  }),
  get_resume: operation({
    params: aboutAgent,
    result: resume,
    who: 'bound',
    errors: ['not_found'],
    help: 'Read the newest profile of an agent: claimed and observed capabilities.',
    retry: 'always',
  }),
  set_resume: operation({
    params: z.object({
      claimed_capabilities: claimMembers.claimed_capabilities.optional(),
      domains: claimMembers.domains.optional(),
      summary: claimMembers.summary.optional(),
      examples: claimMembers.examples.optional(),
      expected_version: count.optional(),
    }),
    result: resume,
    who: 'self',
    errors: ['conflict', 'not_found'],
    help: 'Set your profile. Members left out stay; every change makes a new version.',
    retry: 'never',
    about: {
      claimed_capabilities: 'Your capabilities.',
      domains: 'Your domains.',
      summary: 'A short description of you.',
      examples: 'Example requests.',
    },
  }),
  get_skill: operation({
    params: aboutAgent,
    result: skill,
    who: 'bound',
    errors: ['not_found'],
    help: 'Read the skill of an agent: its SKILL.md, or a text rendered from its passport and profile.',
    retry: 'always',
  }),
  set_skill: operation({
    // Its length is limited by the hub's configuration.
    params: z.object({
      text: z
        .string({ error: SKILL_TEXT })
        .min(1, SKILL_TEXT)
        .refine(isWellFormed, 'well-formed Unicode text (no lone surrogate)')
        .nullable(),
    }),
    result: skill,
    who: 'self',
    errors: ['too_large', 'not_found'],
    help: 'Set your SKILL.md, with or without front matter; null removes it.',
    retry: 'never',
    about: { text: 'The SKILL.md; null = none.' },
  }),
  get_rule: operation({
    params: aboutAgent,
    result: ruleRecord,
    who: 'self',
    errors: ['not_found', 'forbidden'],
    help: 'Read an access rule: your own, or any with the grant `rules`.',
    retry: 'always',
  }),
  set_rule: operation({
    params: z.object({ agent: agentRef.optional(), rule: ruleChange, expected_version: count.optional() }),
    result: ruleRecord,
    who: 'self',
    errors: ['not_found', 'forbidden', 'conflict'],
    help: 'Change an access rule. Tightening your own needs no grant; loosening it, or changing another, requires `rules`.',
    retry: 'never',
    about: { rule: 'The changes; members left out stay.' },
  }),
};

/** Who is registered: passports, resumes, skills and rules. */

import { z } from 'zod';
import { isWellFormed } from '../../lib/json.ts';
import { record, text } from '../../lib/schema.ts';
import type { RuleChange, RuleRecord } from '../../records/access/rule.ts';
import { ruleChange, ruleRecord } from '../../records/access/rule-schema.ts';
import { agentName, agentRef, count, generatedId, keyword } from '../../records/fields.ts';
import type { AgentQuery, FoundAgent } from '../../records/identity/find-agent.ts';
import { foundAgent } from '../../records/identity/find-agent-schema.ts';
import type { Passport, PassportClaim } from '../../records/identity/passport.ts';
import { agentKind, passport, passportClaim } from '../../records/identity/passport-schema.ts';
import type { Resume, ResumeClaim } from '../../records/identity/resume.ts';
import { claimMembers, resume } from '../../records/identity/resume-schema.ts';
import type { Skill } from '../../records/identity/skill.ts';
import { skill } from '../../records/identity/skill-schema.ts';
import { limit, operation } from './define-operation.ts';
import type { Operations } from './operation.ts';

/** A name or an agent id; absent = who asks. */
interface AboutAgent {
  readonly agent?: string | undefined;
}

/** An agent with everything there is to know before working with it. */
export interface AgentProfile {
  readonly passport: Passport;
  readonly resume: Resume;
  readonly skill: Skill;
  /** null = the caller may not see it: it is not its own, and the grant `rules` is missing. */
  readonly rule: RuleRecord | null;
  /** It is connected now. */
  readonly bound: boolean;
}

interface Page {
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

export interface IdentityOperations {
  register: { params: PassportClaim; result: Passport };
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
  /** null = none of one's own any more. */
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
    help: 'Make a new identity and bind it to this connection.',
    retry: 'never',
    about: {
      name: 'The name.',
      kind: 'Agent, person, or an agent of another hub.',
      owner: 'Whose it is, in its own words.',
      provider: 'Who runs it, in its own words.',
      model: 'Its model, in its own words.',
      cost: 'What it costs, in its own words.',
      region: 'Where it is, in its own words.',
    },
  }),
  unregister: operation({
    params: z.object({ name: agentRef.optional() }),
    result: record<IdentityOperations['unregister']['result']>({ agent_id: generatedId }),
    who: 'self',
    errors: ['forbidden', 'not_found'],
    help: 'Leave every live session and retire the identity; its name is never given to another.',
    retry: 'never',
    about: { name: 'Your own; asked for only to be sure.' },
  }),
  list_agents: operation({
    params: z.object({ after: agentRef.optional(), limit }),
    result: record<IdentityOperations['list_agents']['result']>({
      agents: z.array(passport),
      next: agentName.nullable(),
    }),
    who: 'bound',
    errors: [],
    help: 'The registered agents by name, a page at a time.',
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
    help: 'The agents that fit all that is asked, by name, a page at a time; follow next also from a page without any.',
    retry: 'always',
    about: {
      capability: 'What somebody can do.',
      text: 'Words to look for.',
      kind: 'Agent, person, or an agent of another hub.',
      domain: 'What somebody knows about.',
      bound: 'Only who is connected now, or who is not.',
    },
  }),
  get_agent: operation({
    params: aboutAgent,
    result: record<AgentProfile>({ passport, resume, skill, rule: ruleRecord.nullable(), bound: z.boolean() }),
    who: 'bound',
    errors: ['not_found'],
    help: 'One agent at a glance: passport, resume, skill and presence; its rule if it is yours or you have the grant `rules`.',
    retry: 'always',
  }),
  get_resume: operation({
    params: aboutAgent,
    result: resume,
    who: 'bound',
    errors: ['not_found'],
    help: 'What an agent says it can do, and what was seen of it; the newest version.',
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
    help: 'Say what you can do; what is left out stays, and every change is a new version.',
    retry: 'never',
    about: {
      claimed_capabilities: 'What you can do.',
      domains: 'What you know about.',
      summary: 'You in a few words.',
      examples: 'What to ask you for.',
    },
  }),
  get_skill: operation({
    params: aboutAgent,
    result: skill,
    who: 'bound',
    errors: ['not_found'],
    help: 'How to work with an agent: its SKILL.md, or one rendered from its passport and resume.',
    retry: 'always',
  }),
  set_skill: operation({
    // How long it may be is the hub's to say: a limit that can be set.
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
    help: 'Say how to work with you: a SKILL.md, with or without front matter; null clears it.',
    retry: 'never',
    about: { text: 'The SKILL.md; null = none of your own any more.' },
  }),
  get_rule: operation({
    params: aboutAgent,
    result: ruleRecord,
    who: 'self',
    errors: ['not_found', 'forbidden'],
    help: 'With whom an agent may talk and how much: your own, or with the grant `rules` any.',
    retry: 'always',
  }),
  set_rule: operation({
    params: z.object({ agent: agentRef.optional(), rule: ruleChange, expected_version: count.optional() }),
    result: ruleRecord,
    who: 'self',
    errors: ['not_found', 'forbidden', 'conflict'],
    help: 'Tighten your own rule; to loosen it, or for another’s, the grant `rules` is needed. What is left out stays.',
    retry: 'never',
    about: { rule: 'What changes; the rest stays.' },
  }),
};

/** Schemas of passports and of found agents. */

import { z } from 'zod';
import { oneOf, record, schemaOf, text } from '../../lib/schema.ts';
import type { Schema } from '../../lib/schema-contract.ts';
import { agentName, count, generatedId, time } from '../fields.ts';
import type { FoundAgent } from './find-agent.ts';
import type { AgentKind, Passport, PassportClaim } from './passport.ts';
import { claimMembers } from './resume-schema.ts';

export const agentKind: z.ZodType<AgentKind> = oneOf<AgentKind>(
  { agent: 1, human: 1, remote_agent: 1 },
  'agent, human or remote_agent',
);

const claimed = text(256);

export const passportClaim: z.ZodType<PassportClaim> = z.object({
  name: agentName,
  kind: agentKind.optional(),
  owner: claimed.optional(),
  provider: claimed.optional(),
  model: claimed.optional(),
  cost: claimed.optional(),
  region: claimed.optional(),
});

/** The members of a passport, for records that extend it. */
const passportMembers: { readonly [Key in keyof Passport]: z.ZodType<Passport[Key]> } = {
  agent_id: generatedId,
  name: agentName,
  kind: agentKind,
  owner: claimed.nullable(),
  provider: claimed.nullable(),
  model: claimed.nullable(),
  cost: claimed.nullable(),
  region: claimed.nullable(),
  created_at: time,
};

export const passport: z.ZodType<Passport> = record<Passport>(passportMembers);

export const foundAgent: z.ZodType<FoundAgent> = record<FoundAgent>({
  ...passportMembers,
  resume: record<FoundAgent['resume']>({
    claimed_capabilities: claimMembers.claimed_capabilities,
    domains: claimMembers.domains,
    summary: claimMembers.summary,
    version: count,
  }),
  bound: z.boolean(),
});

const claimSchema: Schema<PassportClaim> = schemaOf(passportClaim);

export function parsePassportClaim(value: unknown): PassportClaim {
  return claimSchema.parse(value, 'passport');
}

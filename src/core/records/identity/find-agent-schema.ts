/** Schema of a found agent. */

import { z } from 'zod';
import { record } from '../../lib/schema.ts';
import { count } from '../fields.ts';
import type { FoundAgent } from './find-agent.ts';
import { passportMembers } from './passport-schema.ts';
import { claimMembers } from './resume-schema.ts';

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

/** The whole of a config file, part by part. */

import { z } from 'zod';
import { templateMembers } from '../../core/records/session/create-schema.ts';
import { GRANTS, type Grant } from '../../core/records/access/grants.ts';
import { agentName } from '../../core/records/session/record-schemas.ts';
import { ruleChangeMembers } from '../../core/rule-schemas.ts';
import { text, words } from '../../core/lib/schema.ts';
import { agentSchema } from './agent-schema.ts';
import type { Config, RuleConfig, ScheduleConfig } from '../../config/shape/config.ts';
import { hubSchema } from './hub-schema.ts';
import { extractSchema, roleSchema } from './role-schema.ts';
import { nonEmpty, oneWord, pricesSchema, trueOrFalse } from './schema-parts.ts';

// Every grant there is.
const grants = z.array(oneWord(Object.keys(GRANTS) as Grant[]), { error: 'a list of grants' });

const ruleSchema: z.ZodType<RuleConfig> = z.strictObject({ ...ruleChangeMembers, grants: grants.optional() });

const { required_acks, invite_timeout, drain_timeout, ...template } = templateMembers;
const scheduleSchema: z.ZodType<ScheduleConfig> = z.strictObject({
  as: agentName,
  cron: text(256),
  zone: text(64).optional(),
  missed: oneWord(['skip', 'once']).optional(),
  overlap: trueOrFalse.optional(),
  ...template,
  requiredAcks: required_acks,
  inviteTimeout: invite_timeout,
  drainTimeout: drain_timeout,
});

const byName = (name: z.ZodType<string>) => name as z.ZodType<string> & z.core.$ZodRecordKey;

export const configSchema: z.ZodType<Config> = z.strictObject({
  hub: hubSchema.optional(),
  agents: z.record(byName(agentName), agentSchema).optional(),
  roles: z.record(byName(nonEmpty), roleSchema).optional(),
  extract: extractSchema.optional(),
  prices: pricesSchema.optional(),
  rules: z.record(byName(nonEmpty), ruleSchema).optional(),
  schedules: z.record(byName(words(64)), scheduleSchema).optional(),
});

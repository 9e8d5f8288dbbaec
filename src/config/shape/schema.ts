/** Defines the schema of a config file; each error message completes "expected …". `checks/` compares values. */

import { z } from 'zod';
import { BASE_URL, MODEL_FORM, parseModelChoice } from '../../cli/agent-options/model-choice.ts';
import { CLI_NAMES } from '../../cli/agent-options/programs.ts';
import { isObject } from '../../client/lib/option-checks.ts';
import { anyObject, integerBetween, nonBlankText, text } from '../../core/lib/schema.ts';
import { DURATION, isDuration } from '../../core/lib/time.ts';
import { GRANTS, type Grant } from '../../core/records/access/grants.ts';
import { DEFAULT_LIMITS } from '../../core/records/access/limits.ts';
import { ruleChangeMembers } from '../../core/records/access/rule-schema.ts';
import { agentName, keyword } from '../../core/records/fields.ts';
import { templateMembers } from '../../core/records/session/create-schema.ts';
import type { PriceList } from '../../participants/models/usage/prices.ts';
import { EXTRACT_STRATEGIES, type ExtractStrategy } from '../../participants/roles/extract/settings.ts';
import { isStandardSchema } from '../../participants/roles/lib/standard-schema.ts';
import { HUB_TOOL_NAMES } from '../../participants/tools/hub-tools.ts';
import { DEFAULT_SERVE_LIMITS } from '../../server/port/serve-options.ts';
import { LOG_LEVELS } from '../../server/telemetry/line-log.ts';
import type {
  AgentConfig,
  Config,
  ExtractConfig,
  HubConfig,
  RoleConfig,
  RuleConfig,
  ScheduleConfig,
} from './config.ts';

const nonEmpty: z.ZodType<string> = z.string({ error: 'text' }).min(1, 'text that is not empty');
const texts: z.ZodType<readonly string[]> = z.array(nonEmpty, { error: 'a list of texts' });
const trueOrFalse: z.ZodType<boolean> = z.boolean({ error: 'true or false' });
const port: z.ZodType<number> = integerBetween(0, 65_535);
const count: z.ZodType<number> = integerBetween(1, 1_000_000_000);
const duration: z.ZodType<string | number> = z.custom<string | number>(isDuration, DURATION);

/** `checkPrices` validates the content. */
const pricesSchema: z.ZodType<PriceList> = z.custom<PriceList>(isObject, 'a list of prices, {as_of, prices}');

function oneWord<const Word extends string>(words: readonly Word[]): z.ZodType<Word> {
  return z.enum(words, { error: `one of ${words.join(', ')}` });
}

const strategies = Object.keys(EXTRACT_STRATEGIES) as ExtractStrategy[];
const model = nonEmpty.refine((value) => parseModelChoice(value) !== null, MODEL_FORM);

export const extractSchema: z.ZodType<ExtractConfig> = z.strictObject({
  strategies: z
    .array(oneWord(strategies), { error: `a list of ${strategies.join(', ')}` })
    .min(1)
    .optional(),
  model: z
    .union(
      [
        model,
        z.strictObject({
          model,
          baseUrl: z.string().regex(BASE_URL, 'an http or https address without a user').optional(),
          apiKey: z.string().optional(),
          maxTokens: count.optional(),
        }),
      ],
      { error: `${MODEL_FORM}, or {model, baseUrl, apiKey, maxTokens}` },
    )
    .optional(),
  instruct: trueOrFalse.optional(),
  corrections: z.union([z.literal(0), z.literal(1)], { error: '0 or 1' }).optional(),
});

export const roleSchema: z.ZodType<RoleConfig> = z.strictObject({
  prompt: z.string({ error: 'text' }).optional(),
  promptFile: nonEmpty.optional(),
  schema: z
    .custom<NonNullable<RoleConfig['schema']>>((value) => isObject(value) || isStandardSchema(value), 'a JSON Schema')
    .optional(),
  extract: extractSchema.optional(),
});

const words = z.array(keyword, { error: 'a list of words' }).max(64, 'at most 64 words');
const variables = z.array(
  z.string({ error: 'a name such as HTTPS_PROXY' }).regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'a name such as HTTPS_PROXY'),
  { error: 'a list of names such as HTTPS_PROXY' },
);

const tools = z.union([z.boolean(), z.array(oneWord(HUB_TOOL_NAMES))], {
  error: `true or false, or a list of ${HUB_TOOL_NAMES.join(', ')}`,
});
const dollars = z.number({ error: 'dollars from 0 to 1,000,000' }).min(0, 'dollars >= 0').max(1_000_000).optional();
const amount = integerBetween(0, 1_000_000_000_000_000).optional();
const limits = z.strictObject({ usd: dollars, tokens: amount, turns: amount });

export const agentSchema: z.ZodType<AgentConfig> = z.strictObject({
  model: nonEmpty.optional(),
  cli: oneWord(CLI_NAMES).optional(),
  command: z
    .union([nonEmpty, z.array(z.string()).min(1)], { error: 'a command line, or a list of its words' })
    .optional(),
  script: nonEmpty.optional(),
  baseUrl: z
    .string({ error: 'an http or https address' })
    .regex(BASE_URL, 'an http or https address without a user, such as https://api.example.com/v1')
    .optional(),
  apiKey: z.string({ error: 'text' }).optional(),
  maxTokens: count.optional(),
  temperature: z.number({ error: 'a number' }).min(0, 'a number >= 0').optional(),
  stream: trueOrFalse.optional(),
  maxRounds: integerBetween(1, 1000).optional(),
  headers: z.record(z.string(), z.string({ error: 'text' }), { error: 'an object of texts' }).optional(),
  prices: pricesSchema.optional(),
  timeout: duration.optional(),
  passEnv: variables.optional(),
  cwd: nonEmpty.optional(),
  permissions: oneWord(['safe', 'write', 'full']).optional(),
  transport: oneWord(['stdin', 'file', 'arg']).optional(),
  output: oneWord(['text', 'json', 'jsonl']).optional(),
  role: nonEmpty.optional(),
  prompt: z.string({ error: 'text' }).optional(),
  tools: tools.optional(),
  budget: z
    .strictObject({
      perTurn: z.strictObject({ usd: dollars, tokens: amount }).optional(),
      perSession: limits.optional(),
      total: limits.optional(),
      unpriced: oneWord(['refuse', 'count_as_zero']).optional(),
    })
    .optional(),
  capabilities: words.optional(),
  domains: words.optional(),
  summary: text(2048, 0).optional(),
  view: z
    .union([nonEmpty, z.strictObject({ name: nonEmpty, params: anyObject().optional() })], {
      error: 'the name of a view, or {name, params}',
    })
    .optional(),
  parallel: integerBetween(1, 1000).optional(),
  maxAnswers: count.optional(),
});

export const hubSchema: z.ZodType<HubConfig> = z.strictObject({
  port: port.optional(),
  host: nonEmpty.optional(),
  data: nonEmpty.optional(),
  tls: z.strictObject({ cert: nonEmpty, key: nonEmpty }).optional(),
  auth: z
    .strictObject({
      tokens: trueOrFalse.optional(),
      none: trueOrFalse.optional(),
      jwt: z
        .strictObject({
          issuer: nonEmpty,
          audience: nonEmpty,
          jwks: nonEmpty,
          algorithms: texts.optional(),
          clockToleranceSeconds: z.number({ error: 'a number of seconds' }).optional(),
        })
        .optional(),
    })
    .optional(),
  hosts: texts.optional(),
  origins: texts.optional(),
  console: trueOrFalse.optional(),
  limits: limitsOf(DEFAULT_LIMITS),
  connectionLimits: limitsOf(DEFAULT_SERVE_LIMITS),
  logLevel: z.enum(LOG_LEVELS, { error: `one of ${LOG_LEVELS.join(', ')}` }).optional(),
});

/** Schema of limits: times may be fractions; counts must be whole numbers. */
function limitsOf<T extends object>(known: T): z.ZodType<Partial<T> | undefined> {
  const members = Object.keys(known).map((name) => {
    const isTime = name.endsWith('Ms');
    const error = isTime ? 'a number > 0' : 'a whole number > 0';
    const positive = z.number({ error }).positive(error);
    return [name, (isTime ? positive : positive.int(error)).optional()] as const;
  });
  return z.strictObject(Object.fromEntries(members)).optional() as unknown as z.ZodType<Partial<T> | undefined>;
}

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
  schedules: z.record(byName(nonBlankText(64)), scheduleSchema).optional(),
});

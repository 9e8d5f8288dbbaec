/** The part `agents` of a config file: its shape; what fits together is looked at in `fitting.ts`. */

import { z } from 'zod';
import { word } from '../../core/identity-schemas.ts';
import { anyObject, text, whole } from '../../core/lib/schema.ts';
import { HUB_TOOL_NAMES } from '../../participants/tools/hub-tools.ts';
import { CLI_NAMES } from '../commands/cli-names.ts';
import { BASE_URL } from '../../cli/agent-options/model-choice.ts';
import type { AgentConfig } from '../../config/shape/config.ts';
import { count, duration, nonEmpty, oneWord, pricesSchema, trueOrFalse } from './schema-parts.ts';

const words = z.array(word, { error: 'a list of words' }).max(64, 'at most 64 words');
const variables = z.array(
  z.string({ error: 'a name such as HTTPS_PROXY' }).regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'a name such as HTTPS_PROXY'),
  { error: 'a list of names such as HTTPS_PROXY' },
);

const tools = z.union([z.boolean(), z.array(oneWord(HUB_TOOL_NAMES))], {
  error: `true or false, or a list of ${HUB_TOOL_NAMES.join(', ')}`,
});
const dollars = z.number({ error: 'dollars from 0 to 1,000,000' }).min(0, 'dollars from 0').max(1_000_000).optional();
const amount = whole(0, 1_000_000_000_000_000).optional();
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
  temperature: z.number({ error: 'a number' }).min(0, 'a number from 0').optional(),
  stream: trueOrFalse.optional(),
  maxRounds: whole(1, 1000).optional(),
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
  parallel: whole(1, 1000).optional(),
  maxAnswers: count.optional(),
});

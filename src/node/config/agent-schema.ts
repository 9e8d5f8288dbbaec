/** The parts `agents` and `roles` of a config file: their shape; what fits together is looked at in `fitting.ts`. */

import { z } from 'zod';
import { word } from '../../core/identity-schemas.ts';
import { anyObject, text, whole } from '../../core/schema.ts';
import { CLI_NAMES } from '../commands/cli-names.ts';
import { BASE_URL } from '../commands/model-choice.ts';
import type { AgentConfig, RoleConfig } from './config.ts';
import { count, duration, nonEmpty, oneWord } from './schema-parts.ts';

const words = z.array(word, { error: 'a list of words' }).max(64, 'at most 64 words');
const variables = z.array(
  z.string({ error: 'a name such as HTTPS_PROXY' }).regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'a name such as HTTPS_PROXY'),
  { error: 'a list of names such as HTTPS_PROXY' },
);

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
  timeout: duration.optional(),
  passEnv: variables.optional(),
  cwd: nonEmpty.optional(),
  permissions: oneWord(['safe', 'write', 'full']).optional(),
  transport: oneWord(['stdin', 'file', 'arg']).optional(),
  output: oneWord(['text', 'json', 'jsonl']).optional(),
  role: nonEmpty.optional(),
  prompt: z.string({ error: 'text' }).optional(),
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

export const roleSchema: z.ZodType<RoleConfig> = z.strictObject({
  prompt: z.string({ error: 'text' }).optional(),
  promptFile: nonEmpty.optional(),
});

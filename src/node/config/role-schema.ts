/** The parts `roles` and `extract` of a config file. */

import { z } from 'zod';
import { isObject } from '../../client/lib/option-checks.ts';
import { EXTRACT_STRATEGIES, type ExtractStrategy } from '../../participants/roles/extract/settings.ts';
import { isStandardSchema } from '../../participants/roles/lib/standard-schema.ts';
import { BASE_URL, MODEL_FORM, modelChoice } from '../../cli/agent-options/model-choice.ts';
import type { ExtractConfig, RoleConfig } from '../../config/shape/config.ts';
import { count, nonEmpty, oneWord, trueOrFalse } from './schema-parts.ts';

// The ways there are.
const strategies = Object.keys(EXTRACT_STRATEGIES) as ExtractStrategy[];
const model = nonEmpty.refine((given) => modelChoice(given) !== null, MODEL_FORM);

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

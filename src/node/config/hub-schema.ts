/** The part `hub` of a config file. */

import { z } from 'zod';
import { DEFAULT_LIMITS } from '../../core/records/access/limits.ts';
import { LOG_LEVELS } from '../commands/log-level.ts';
import { DEFAULT_SERVE_LIMITS } from '../../server/port/serve-options.ts';
import type { HubConfig } from '../../config/shape/config.ts';
import { nonEmpty, port, texts, trueOrFalse } from './schema-parts.ts';

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

/** Times may be any; what is counted is whole. */
function limitsOf<T extends object>(known: T): z.ZodType<Partial<T> | undefined> {
  const members = Object.keys(known).map((name) => {
    const isTime = name.endsWith('Ms');
    const error = isTime ? 'a number over 0' : 'a whole number over 0';
    const positive = z.number({ error }).positive(error);
    return [name, (isTime ? positive : positive.int(error)).optional()] as const;
  });
  // The keys of what is known, each with a number.
  return z.strictObject(Object.fromEntries(members)).optional() as unknown as z.ZodType<Partial<T> | undefined>;
}

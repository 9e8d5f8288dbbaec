/** Validates the data of the types the hub knows; other types carry any object. */

import { z } from 'zod';
import { copyJsonObject, type JsonObject } from '../../lib/json.ts';
import { anyObject, schemaOf } from '../../lib/schema.ts';
import type { Schema } from '../../lib/schema-contract.ts';
import type { Limits } from '../access/limits.ts';
import { MAX_COST_USD } from './spending.ts';

const tokens = z
  .number({ error: 'a number of tokens' })
  .int('a whole number of tokens')
  .min(0, 'a number of tokens, 0 or more');
/** Strict: a misspelled member would not be counted. */
const usage = z.strictObject(
  {
    fresh: tokens.optional(),
    cache_read: tokens.optional(),
    cache_write: tokens.optional(),
    output: tokens.optional(),
  },
  {
    error: ({ code }) =>
      code === 'unrecognized_keys'
        ? 'fresh, cache_read, cache_write or output'
        : 'an object {fresh, cache_read, cache_write, output}',
  },
);
const spent = {
  usage: usage.optional(),
  cost_usd: z
    .number({ error: 'a number of dollars or null' })
    .min(0, 'a cost of 0 or more')
    .max(MAX_COST_USD, `a cost of at most ${MAX_COST_USD}`)
    .nullable()
    .optional(),
};

/** Strict: an unknown member, or none at all, would have no effect. */
const contextChange = z
  .strictObject(
    {
      set: anyObject().optional(),
      delete: z.array(z.string({ error: 'a key' }), { error: 'a list of keys' }).optional(),
    },
    { error: ({ code }) => (code === 'unrecognized_keys' ? 'set or delete' : 'an object {set, delete}') },
  )
  .refine((change) => change.set !== undefined || change.delete !== undefined, 'set or delete');

const schemas: ReadonlyMap<string, Schema<unknown>> = new Map<string, Schema<unknown>>([
  ['msg.text', schemaOf(z.looseObject({ text: z.string({ error: 'text' }), ...spent }))],
  [
    'msg.packet',
    schemaOf(
      z.looseObject({
        body: z.unknown(),
        routing: anyObject().optional(),
        context_updates: contextChange.optional(),
        ...spent,
      }),
    ),
  ],
  ['context.set', schemaOf(contextChange)],
]);

/** Validates the data and returns it as trusted JSON. */
export function parseEventData(eventType: string, value: unknown, limits: Limits): JsonObject {
  const data = copyJsonObject(value, 'event_data', { maxDepth: limits.maxJsonDepth, maxBytes: limits.maxEventBytes });
  if (!isPlainText(eventType, data)) schemas.get(eventType)?.parse(data, 'event_data');
  return data;
}

/** Most posts are plain texts without costs: skip the schema, which would accept them. */
function isPlainText(eventType: string, { text, usage, cost_usd }: JsonObject): boolean {
  return eventType === 'msg.text' && typeof text === 'string' && usage === undefined && cost_usd === undefined;
}

/** What several parts of a config file are made of, each with the end of the sentence "expected …". */

import { z } from 'zod';
import { isObject } from '../../client/lib/option-checks.ts';
import { whole } from '../../core/lib/schema.ts';
import { DURATION, isDuration } from '../../core/time.ts';
import type { PriceList } from '../../participants/models/usage/prices.ts';

export const nonEmpty: z.ZodType<string> = z.string({ error: 'text' }).min(1, 'text that is not empty');
export const texts: z.ZodType<readonly string[]> = z.array(nonEmpty, { error: 'a list of texts' });
export const trueOrFalse: z.ZodType<boolean> = z.boolean({ error: 'true or false' });
export const port: z.ZodType<number> = whole(0, 65_535);
export const count: z.ZodType<number> = whole(1, 1_000_000_000);
export const duration: z.ZodType<string | number> = z.custom<string | number>(isDuration, DURATION);

/** What is in it is looked at by `fitting-prices.ts`. */
export const pricesSchema: z.ZodType<PriceList> = z.custom<PriceList>(isObject, 'a list of prices, {as_of, prices}');

export function oneWord<const Word extends string>(words: readonly Word[]): z.ZodType<Word> {
  return z.enum(words, { error: `one of ${words.join(', ')}` });
}

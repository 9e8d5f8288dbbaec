/** The prices in a config file: what is wrong with them, by its key. Pure. */

import { asError } from '../../core/lib/errors.ts';
import type { Json } from '../../core/lib/json.ts';
import { readPrices } from '../../participants/models/usage/prices.ts';
import type { Problem } from './problems.ts';
import type { KeyPath } from './source.ts';

export function priceProblems(path: KeyPath, prices: unknown): readonly Problem[] {
  if (prices === undefined) return [];
  try {
    // What came of a file is JSON.
    readPrices(prices as Json);
    return [];
  } catch (thrown) {
    const { message } = asError(thrown);
    const [, at = '', text = message] = /^([\w.[\]=-]+): (.*)$/s.exec(message) ?? [];
    const inner = at.split(/[.[\]]+/).filter((key) => key !== '');
    return [{ path: [...path, ...inner.map((key) => (/^\d+$/.test(key) ? Number(key) : key))], text }];
  }
}

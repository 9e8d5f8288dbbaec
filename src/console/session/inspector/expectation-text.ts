/** How an expectation is set, and what comes of it if it is violated, in words. Pure. */

import type { ShownExpectation } from '../../../core/console-operations.ts';
import type { Json } from '../../../core/lib/json.ts';

export function expectationWords({ params, on_violation }: Pick<ShownExpectation, 'params' | 'on_violation'>): string {
  const given = Object.entries(params).map(([name, value]) => `${name.replaceAll('_', ' ')}: ${valueWords(value)}`);
  return [given.join(', '), `if violated: ${on_violation.replaceAll('_', ' ')}`].filter((one) => one !== '').join('; ');
}

function valueWords(value: Json | undefined): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** `${NAME}` in the variables and headers of a runtime. One that is not set is told before anything is started or sent. */

import { secretsIn } from '../../../participants/lib/redact-secrets.ts';
import type { Variables } from '../hooks/ended.ts';
import { type Filled, filled } from '../hooks/variables.ts';
import { refuse } from '../../../governed/drivers/attempt/failure.ts';

/** A shorter value hides nothing, and hiding it would spoil every text. */
const SHORTEST_SECRET = 4;

export function filledOrRefused(
  texts: Readonly<Record<string, string>>,
  variables: Variables,
  place: string,
): Filled & { readonly secrets: readonly string[] } {
  const found = filled(texts, variables);
  if (typeof found === 'string') return refuse('unset_variable', `${place}: ${found}`);
  const secrets = [...found.secrets, ...secretsIn(found.texts)].filter(({ length }) => length >= SHORTEST_SECRET);
  return { texts: found.texts, secrets: [...new Set(secrets)].sort((a, b) => b.length - a.length) };
}

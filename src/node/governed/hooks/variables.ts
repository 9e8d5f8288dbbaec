/** `${NAME}` in the settings of a hook. One that is not set is a failure: a header without its secret would be sent as it stands. */

import { variablesIn, withVariables } from '../../../governed/engine/hooks/check.ts';
import { own } from '../../../governed/engine/lib/unknown-record.ts';
import type { Variables } from './ended.ts';

export interface Filled {
  readonly texts: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

/** A text names what is not set. */
export function filled(texts: Readonly<Record<string, string>>, variables: Variables): Filled | string {
  const names = [...new Set(Object.values(texts).flatMap(variablesIn))];
  const unset = names.find((name) => own(variables, name) === undefined);
  if (unset !== undefined) return `the variable ${unset} is not set`;
  const held = (name: string): string => own(variables, name) ?? '';
  const entries = Object.entries(texts).map(([name, text]) => [name, withVariables(text, held)] as const);
  // Headers are told without the white space around them.
  const secrets = new Set(names.map(held).flatMap((value) => [value, value.trim()]));
  secrets.delete('');
  return { texts: Object.fromEntries(entries), secrets: [...secrets] };
}

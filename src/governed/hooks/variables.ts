/** Expands `${NAME}` in settings and collects the values, so that they can be redacted. */

import { findVariables, withVariables } from '../engine/hooks/check.ts';
import type { HookEnd } from '../engine/hooks/decide.ts';
import { getOwn } from '../engine/lib/unknown-record.ts';

export interface ExpandedVariables {
  readonly texts: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

/** Returns an error string if a variable is not set. */
export function expandVariables(
  texts: Readonly<Record<string, string>>,
  variables: Variables,
): ExpandedVariables | string {
  const names = [...new Set(Object.values(texts).flatMap(findVariables))];
  const unset = names.find((name) => getOwn(variables, name) === undefined);
  if (unset !== undefined) return `the variable ${unset} is not set`;
  const held = (name: string): string => getOwn(variables, name) ?? '';
  const entries = Object.entries(texts).map(([name, text]) => [name, withVariables(text, held)] as const);
  // Headers are sent trimmed, so redact the trimmed values too.
  const secrets = new Set(names.map(held).flatMap((value) => [value, value.trim()]));
  secrets.delete('');
  return { texts: Object.fromEntries(entries), secrets: [...secrets] };
}

export interface HookResult {
  readonly end: Exclude<HookEnd, { readonly kind: 'tampered' }>;
  /** null unless a program exited by itself. */
  readonly exitCode: number | null;
  readonly stderr: string;
  /** Values of the hook's variables, to redact. */
  readonly secrets: readonly string[];
}

/** Maximum size of an answer; far more than sixteen annotations and a message need. */
export const MAX_ANSWER_BYTES: number = 256 * 1024;

export type Variables = Readonly<Record<string, string | undefined>>;

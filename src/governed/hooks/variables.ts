/** Replaces `${NAME}` in settings by environment variables, and keeps the values so that they can be hidden. */

import { findVariables, withVariables } from '../engine/hooks/check.ts';
import type { HookEnd } from '../engine/hooks/decide.ts';
import { getOwn } from '../engine/lib/unknown-record.ts';

export interface ExpandedVariables {
  readonly texts: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

/** A text names what is not set. */
export function expandVariables(
  texts: Readonly<Record<string, string>>,
  variables: Variables,
): ExpandedVariables | string {
  const names = [...new Set(Object.values(texts).flatMap(findVariables))];
  const unset = names.find((name) => getOwn(variables, name) === undefined);
  if (unset !== undefined) return `the variable ${unset} is not set`;
  const held = (name: string): string => getOwn(variables, name) ?? '';
  const entries = Object.entries(texts).map(([name, text]) => [name, withVariables(text, held)] as const);
  // Headers are told without the white space around them.
  const secrets = new Set(names.map(held).flatMap((value) => [value, value.trim()]));
  secrets.delete('');
  return { texts: Object.fromEntries(entries), secrets: [...secrets] };
}

export interface HookResult {
  readonly end: Exclude<HookEnd, { readonly kind: 'tampered' }>;
  /** Of a program that ended by itself. */
  readonly exitCode: number | null;
  readonly stderr: string;
  /** Not to be shown: what its variables held. */
  readonly secrets: readonly string[];
}

/** What an answer may have in all; sixteen annotations and a message fit many times. */
export const MAX_ANSWER_BYTES: number = 256 * 1024;

/** Variables of the runner. */
export type Variables = Readonly<Record<string, string | undefined>>;

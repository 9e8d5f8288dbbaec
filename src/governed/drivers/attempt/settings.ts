/** Reads and checks the settings of a runtime, and fills in environment variables. */

import type { z } from 'zod';
import { findSecrets } from '../../../participants/lib/redact-secrets.ts';
import { type ExpandedVariables, expandVariables, type Variables } from '../../hooks/variables.ts';
import type { DriverContext } from './driver.ts';
import { refuse } from './failure.ts';

type Given = Pick<DriverContext, 'settings' | 'runtimeId'>;

export function settingsOf<Schema extends z.ZodType>(schema: Schema, given: Given): z.output<Schema> {
  const read = schema.safeParse(given.settings);
  return read.success ? read.data : refuse('bad_settings', placed(read.error, given).join('; '));
}

/** Each with its place; none = they hold. */
export function settingsFaults(schema: z.ZodType, given: Given): readonly string[] {
  const read = schema.safeParse(given.settings);
  return read.success ? [] : placed(read.error, given);
}

/** Not the value: it may be a key that somebody wrote in the wrong place. */
function placed({ issues }: z.ZodError, { runtimeId }: Given): readonly string[] {
  return issues.map(({ path, message }) =>
    [`runtimes.${runtimeId}`, ...path.map(String)].join('.').concat(`: ${message}`),
  );
}

/** A shorter value hides nothing, and hiding it would spoil every text. */
const SHORTEST_SECRET = 4;

export function expandSettings(
  texts: Readonly<Record<string, string>>,
  variables: Variables,
  place: string,
): ExpandedVariables & { readonly secrets: readonly string[] } {
  const found = expandVariables(texts, variables);
  if (typeof found === 'string') return refuse('unset_variable', `${place}: ${found}`);
  const secrets = [...found.secrets, ...findSecrets(found.texts)].filter(({ length }) => length >= SHORTEST_SECRET);
  return { texts: found.texts, secrets: [...new Set(secrets)].sort((a, b) => b.length - a.length) };
}

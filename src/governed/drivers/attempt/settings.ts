/** Validates the settings of a runtime and expands environment variables. */

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

export function settingsFaults(schema: z.ZodType, given: Given): readonly string[] {
  const read = schema.safeParse(given.settings);
  return read.success ? [] : placed(read.error, given);
}

/** Omits the invalid value, which may be a misplaced secret. */
function placed({ issues }: z.ZodError, { runtimeId }: Given): readonly string[] {
  return issues.map(({ path, message }) =>
    [`runtimes.${runtimeId}`, ...path.map(String)].join('.').concat(`: ${message}`),
  );
}

/** Redacting shorter values would garble ordinary text. */
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

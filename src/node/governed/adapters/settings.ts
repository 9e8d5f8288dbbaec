/** The settings of a runtime, looked at by the adapter that reads them. What it does not know is left to others. */

import type { z } from 'zod';
import type { AdapterContext } from './adapter.ts';
import { refuse } from './failure.ts';

export function settingsOf<Schema extends z.ZodType>(
  schema: Schema,
  { settings, runtimeId }: Pick<AdapterContext, 'settings' | 'runtimeId'>,
): z.output<Schema> {
  const read = schema.safeParse(settings);
  if (read.success) return read.data;
  // Not the value: it may be a key that somebody wrote in the wrong place.
  const problems = read.error.issues.map(({ path, message }) =>
    [`runtimes.${runtimeId}`, ...path.map(String)].join('.').concat(`: ${message}`),
  );
  return refuse('bad_settings', problems.join('; '));
}

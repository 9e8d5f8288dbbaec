/** The settings of a runtime, looked at by the adapter that reads them. What it does not know is left to others. */

import type { z } from 'zod';
import type { AdapterContext } from './driver.ts';
import { refuse } from './failure.ts';

type Given = Pick<AdapterContext, 'settings' | 'runtimeId'>;

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

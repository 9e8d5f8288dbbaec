/** Which sessions have panels that tell of all of their log. Pure. */

import type { StateAt } from '../../core/console-operations.ts';
import { isPlainObject } from '../../core/lib/json.ts';

export function hasGraph({ session: { knobs } }: Pick<StateAt, 'session'>): boolean {
  return isPlainObject(knobs.graph);
}

export function isGoverned({ session: { manifest } }: Pick<StateAt, 'session'>): boolean {
  return manifest.type === 'governed';
}

/** The sessions whose panels need the whole log. Pure. */

import { isPlainObject } from '../../../core/lib/json.ts';
import type { SessionStateAt } from '../../../core/protocol/operations/console-sessions.ts';

export function hasGraph({ session: { knobs } }: Pick<SessionStateAt, 'session'>): boolean {
  return isPlainObject(knobs.graph);
}

export function isGoverned({ session: { manifest } }: Pick<SessionStateAt, 'session'>): boolean {
  return manifest.type === 'governed';
}

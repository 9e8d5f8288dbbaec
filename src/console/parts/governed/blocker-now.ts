/** What stops a run now: that it is stopped the hub says, why in more words the log does. */

import type { Blocker, RunBook } from './model/run-history.ts';
import type { RunShown } from './run-shown.ts';

/** null = nothing does. */
export function blockerNow({ blocked_on }: RunShown, { blockers, rejections }: RunBook): Blocker | null {
  if (blocked_on === null) return null;
  const open = blockers.findLast(({ resolved_at }) => resolved_at === null);
  if (open !== undefined) return { ...open, what: blocked_on };
  // A turn that was sent back too often stops the run too, and no envelope says so itself.
  const last = rejections.at(-1);
  return {
    seq: last?.seq ?? 0,
    at: last?.at ?? '',
    what: blocked_on,
    detail: last === undefined ? blocked_on : last.reason,
    owner: null,
    action: null,
    isQuestion: blocked_on.startsWith('human:'),
    resolved_at: null,
    resolved_seq: null,
    resolution: null,
  };
}

/** What every store must do alike, wherever it keeps things. */

import type { Entry, Unit } from './records/session/envelope.ts';
import { HubError } from './lib/errors.ts';
import { changedAt, foldHead, type Head } from './state/fold-head.ts';
import type { SessionQuery } from './ports/store.ts';
import { msFromIso } from './time.ts';

/** A unit must go on where its caller believes the log to end, after seq `before`; anything else is a defect of the caller. */
export function checkSeqs(logId: string, before: number, { entries }: Unit): void {
  if (entries.length === 0) throw new HubError('bad_unit', `log ${logId}: a unit has at least one entry`);
  for (let i = 0; i < entries.length; i++) {
    const seq = entries[i]?.envelope.seq;
    const due = before + 1 + i;
    if (seq === due) continue;
    const what = `entry ${i} of a unit after seq ${before} must have seq ${due}, not ${seq}`;
    throw new HubError('bad_unit', `log ${logId}: ${what}`);
  }
}

/** The head of a log after one more entry; null = the log does not begin with `session.created`: it is no session. */
export function foldSession(head: Head | null, entry: Entry): Head | null {
  const { seq, event_type } = entry.envelope;
  const isSession = head !== null || (seq === 1 && event_type === 'session.created');
  return isSession ? foldHead(head, entry) : null;
}

/** The session is one of those that are asked for. */
export function matchesQuery(head: Head, query: SessionQuery): boolean {
  const { participant, states, type, ended_since, changed_since } = query;
  if (participant !== undefined && !Object.hasOwn(head.members, participant)) return false;
  if (states !== undefined && !states.includes(head.state)) return false;
  if (type !== undefined && head.type !== type) return false;
  if (changed_since !== undefined && msFromIso(changedAt(head)) < msFromIso(changed_since)) return false;
  return ended_since === undefined || head.closed_at === null || msFromIso(head.closed_at) >= msFromIso(ended_since);
}

/** The cursor of a wait for all sessions: its start time, and what was reported since. Tools exchange it as a string. */

import { Refusal } from './participant.ts';

interface SeenPosition {
  readonly seen: number;
  /** The seq up to which the log was reported; `invite` if only the invite was reported. */
  readonly told: number | 'invite';
}

export interface AllSessionsCursor {
  /** Hub time, initially that of the first check; sessions that ended earlier need no report. */
  readonly since: string;
  /** Sessions unchanged since this time were inspected and are not stored; null if all inspected sessions are stored. */
  readonly from: string | null;
  /** Sessions that changed since `from`, keyed by the end of their id. */
  readonly heard: ReadonlyMap<string, SeenPosition>;
}

export const CURSOR_CHARS = 6_000;
/** Maximum number of stored sessions, unless more changed at the same time; `from` covers the rest. */
export const MAX_SEEN = 30;
/** Above any seq: marks a session whose end was reported. */
const ENDED = 999_999_999_999_999;
/** Number of reported ends to keep, because ends become visible only roughly in order. */
const ENDS_KEPT = 20;
const TIME = String.raw`\d{4}-\d{2}-\d{2}T[\d:.]+Z`;
const FORM = new RegExp(String.raw`^(${TIME})(?:/(${TIME}))?((?:~[0-9a-z]{1,12}\.\d{1,15}(?:\.(?:\d{1,15}|i))?)*)$`);

export function parseAllSessionsCursor(text: string): AllSessionsCursor {
  const [, since, from = null, list] = FORM.exec(text) ?? [];
  if (since === undefined || list === undefined) {
    throw new Refusal('cursor: not a cursor for all sessions. Pass the session it belongs to, or omit the cursor.');
  }
  const heard = list
    .split('~')
    .slice(1)
    .map((entry): [string, SeenPosition] => {
      const [id = '', seen = '0', told = seen] = entry.split('.');
      return [id, { seen: Number(seen), told: told === 'i' ? 'invite' : Number(told) }];
    });
  return { since, from, heard: new Map(heard) };
}

export function encodeAllSessionsCursor({ since, from, heard }: AllSessionsCursor): string {
  const entries = [...heard].map(([id, { seen, told }]) => {
    if (told === seen) return `${id}.${seen}`;
    return `${id}.${seen}.${told === 'invite' ? 'i' : told}`;
  });
  return [from === null ? since : `${since}/${from}`, ...entries].join('~');
}

export function seenIn({ heard }: AllSessionsCursor, sessionId: string): SeenPosition | null {
  return heard.get(shortOf(sessionId)) ?? null;
}

export function withSeen(cursor: AllSessionsCursor, sessionId: string, position: SeenPosition): AllSessionsCursor {
  return { ...cursor, heard: new Map([...cursor.heard, [shortOf(sessionId), position]]) };
}

interface ChangedSession {
  readonly session_id: string;
  readonly changed_at: string;
}

/** Moves `from` forward and drops obsolete positions. `changed`: sessions changed since `from`; `left`: not yet inspected. */
export function advanceCursor(
  cursor: AllSessionsCursor,
  changed: readonly ChangedSession[],
  left: readonly ChangedSession[],
): AllSessionsCursor {
  const { since, heard } = cursor;
  const known = changed.filter(({ session_id }) => heard.has(shortOf(session_id))).sort(byChange);
  const few = known.slice(-MAX_SEEN);
  // Concurrent changes become visible only roughly in order: drop none unless too many are stored.
  const times = few.length === known.length ? [] : [...few.slice(0, 1), ...left].map(({ changed_at }) => changed_at);
  const from = times.sort()[0] ?? cursor.from;
  const isLate = ({ changed_at }: ChangedSession): boolean => from === null || changed_at >= from;
  const isKept = new Set(known.filter(isLate).map(({ session_id }) => shortOf(session_id)));
  return { since, from, heard: new Map([...heard].filter(([id, { seen }]) => seen === ENDED || isKept.has(id))) };
}

export function byChange(a: ChangedSession, b: ChangedSession): number {
  if (a.changed_at === b.changed_at) return a.session_id < b.session_id ? -1 : 1;
  return a.changed_at < b.changed_at ? -1 : 1;
}

interface EndedSession {
  readonly session_id: string;
  /** null while the session is draining. */
  readonly closed_at: string | null;
}

/** The oldest end not reported yet: reporting in order lets the cursor advance. */
export function nextEnd<One extends EndedSession>(cursor: AllSessionsCursor, ended: readonly One[]): One | null {
  const isNews = ({ session_id, closed_at }: One): boolean =>
    (closed_at === null || closed_at >= cursor.since) && seenIn(cursor, session_id)?.seen !== ENDED;
  return ended.filter(isNews).sort(byEnd)[0] ?? null;
}

/** Marks one end as reported; drops old reported ends, which `since` covers. */
export function withEnd(
  cursor: AllSessionsCursor,
  one: EndedSession,
  ended: readonly EndedSession[],
): AllSessionsCursor {
  const { since, heard } = withSeen(cursor, one.session_id, { seen: ENDED, told: ENDED });
  const times = ended.flatMap(({ session_id, closed_at }) =>
    closed_at !== null && heard.get(shortOf(session_id))?.seen === ENDED ? [closed_at] : [],
  );
  // Reported ends are never older than `since`.
  const from = times.sort().at(-ENDS_KEPT) ?? since;
  const isOld = ({ closed_at }: EndedSession): boolean => closed_at !== null && closed_at < from;
  const old = new Set(ended.filter(isOld).map(({ session_id }) => shortOf(session_id)));
  return { ...cursor, since: from, heard: new Map([...heard].filter(([id]) => !old.has(id))) };
}

function byEnd(a: EndedSession, b: EndedSession): number {
  if (a.closed_at === b.closed_at) return 0;
  return b.closed_at === null || (a.closed_at !== null && a.closed_at < b.closed_at) ? -1 : 1;
}

function shortOf(sessionId: string): string {
  return sessionId.slice(-12);
}

/** How far somebody has heard of all its sessions: since when it listens, and what it was told of since. A tool gets it as text. */

import { Refusal } from './participant.ts';

/** What is known of a session that has not ended. */
export interface SeenPosition {
  /** Its log was looked at up to here. */
  readonly seen: number;
  /** It was told of it up to here; an invite is not told up to anywhere. */
  readonly told: number | 'invite';
}

export interface AllSessionsCursor {
  /** The hub's time: what ended before it is old, or was told. At first that of the first look. */
  readonly since: string;
  /** Where nothing was added since this time, all was looked at and need not be remembered; null = all is remembered. */
  readonly from: string | null;
  /** By the end of a session's id: those that changed since then. */
  readonly heard: ReadonlyMap<string, SeenPosition>;
}

/** As text it is never longer. */
export const CURSOR_CHARS = 6_000;
/** How many are remembered, unless more have changed at once: of others the time is enough. */
export const MAX_SEEN = 30;
/** More than any seq: that it ended was told. */
const ENDED = 999_999_999_999_999;
/** Of ends that were told: ends become known only nearly in their order. */
const ENDS_KEPT = 20;
const TIME = String.raw`\d{4}-\d{2}-\d{2}T[\d:.]+Z`;
const FORM = new RegExp(String.raw`^(${TIME})(?:/(${TIME}))?((?:~[0-9a-z]{1,12}\.\d{1,15}(?:\.(?:\d{1,15}|i))?)*)$`);

export function parseAllSessionsCursor(text: string): AllSessionsCursor {
  const [, since, from = null, list] = FORM.exec(text) ?? [];
  if (since === undefined || list === undefined) {
    throw new Refusal(
      'cursor: this is none of waiting for all sessions. Give the session it belongs to, or leave the cursor out.',
    );
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

export function withSeen(cursor: AllSessionsCursor, sessionId: string, what: SeenPosition): AllSessionsCursor {
  return { ...cursor, heard: new Map([...cursor.heard, [shortOf(sessionId), what]]) };
}

export interface ChangedSession {
  readonly session_id: string;
  readonly changed_at: string;
}

/** Of all that changed since `from`, and those of them that are still to be looked at: what nobody has to remember goes. */
export function advanceCursor(
  cursor: AllSessionsCursor,
  changed: readonly ChangedSession[],
  left: readonly ChangedSession[],
): AllSessionsCursor {
  const { since, heard } = cursor;
  const known = changed.filter(({ session_id }) => heard.has(shortOf(session_id))).sort(byChange);
  const few = known.slice(-MAX_SEEN);
  // What becomes durable at the same time becomes known only nearly in its order: while few are known, none is left behind.
  const times = few.length === known.length ? [] : [...few.slice(0, 1), ...left].map(({ changed_at }) => changed_at);
  const from = times.sort()[0] ?? cursor.from;
  const isLate = ({ changed_at }: ChangedSession): boolean => from === null || changed_at >= from;
  const isKept = new Set(known.filter(isLate).map(({ session_id }) => shortOf(session_id)));
  return { since, from, heard: new Map([...heard].filter(([id, { seen }]) => seen === ENDED || isKept.has(id))) };
}

/** The one that has waited longest comes first. */
export function byChange(a: ChangedSession, b: ChangedSession): number {
  if (a.changed_at === b.changed_at) return a.session_id < b.session_id ? -1 : 1;
  return a.changed_at < b.changed_at ? -1 : 1;
}

export interface EndedSession {
  readonly session_id: string;
  /** null = it is about to end. */
  readonly closed_at: string | null;
}

/** The one to be told of first. Those that ended first come first, so that what is old moves on. */
export function nextEnd<One extends EndedSession>(cursor: AllSessionsCursor, ended: readonly One[]): One | null {
  const isNews = ({ session_id, closed_at }: One): boolean =>
    (closed_at === null || closed_at >= cursor.since) && seenIn(cursor, session_id)?.seen !== ENDED;
  return ended.filter(isNews).sort(byEnd)[0] ?? null;
}

/** Of all that ended, as far as they are looked at, one was told of. Of those told long ago only the time is kept. */
export function withEnd(
  cursor: AllSessionsCursor,
  one: EndedSession,
  ended: readonly EndedSession[],
): AllSessionsCursor {
  const { since, heard } = withSeen(cursor, one.session_id, { seen: ENDED, told: ENDED });
  const times = ended.flatMap(({ session_id, closed_at }) =>
    closed_at !== null && heard.get(shortOf(session_id))?.seen === ENDED ? [closed_at] : [],
  );
  // None of them is older than since, or it would not have been told.
  const from = times.sort().at(-ENDS_KEPT) ?? since;
  const isOld = ({ closed_at }: EndedSession): boolean => closed_at !== null && closed_at < from;
  const old = new Set(ended.filter(isOld).map(({ session_id }) => shortOf(session_id)));
  return { ...cursor, since: from, heard: new Map([...heard].filter(([id]) => !old.has(id))) };
}

function byEnd(a: EndedSession, b: EndedSession): number {
  if (a.closed_at === b.closed_at) return 0;
  return b.closed_at === null || (a.closed_at !== null && a.closed_at < b.closed_at) ? -1 : 1;
}

/** Its end is the part that chance made. */
function shortOf(sessionId: string): string {
  return sessionId.slice(-12);
}

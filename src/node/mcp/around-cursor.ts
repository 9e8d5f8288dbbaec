/** How far somebody has heard of all its sessions: since when it listens, and what it was told of since. A tool gets it as text. */

import { Refusal } from './refusal.ts';

export interface AroundCursor {
  /** The hub's time: what ended before it is old, or was told. At first that of the first look. */
  readonly since: string;
  /** By the end of a session's id: the seq it was told of. */
  readonly told: ReadonlyMap<string, number>;
}

/** How many are remembered: more than are looked at, or what was told would be forgotten and told again without end. */
const MOST_TOLD = 200;
/** As text it is never longer. */
export const AROUND_CHARS = 6_000;
/** More than any seq: that it ended was told. */
const ENDED = 999_999_999_999_999;
/** Of ends that were told: ends become known only nearly in their order. */
const ENDS_KEPT = 20;
const FORM = /^(\d{4}-\d{2}-\d{2}T[\d:.]+Z)((?:~[0-9a-z]{1,12}\.\d{1,15})*)$/;

export function parseAround(text: string): AroundCursor {
  const [, since, list] = FORM.exec(text) ?? [];
  if (since === undefined || list === undefined) {
    throw new Refusal(
      'cursor: this is none of waiting for all sessions. Give the session it belongs to, or leave the cursor out.',
    );
  }
  const told = list
    .split('~')
    .slice(1)
    .map((entry): [string, number] => {
      const [id = '', seq = '0'] = entry.split('.');
      return [id, Number(seq)];
    });
  return { since, told: new Map(told) };
}

export function aroundText({ since, told }: AroundCursor): string {
  return [since, ...[...told].slice(-MOST_TOLD).map(([id, seq]) => `${id}.${seq}`)].join('~');
}

export function toldSeq({ told }: AroundCursor, sessionId: string): number | null {
  return told.get(shortOf(sessionId)) ?? null;
}

export function withTold({ since, told }: AroundCursor, sessionId: string, seq: number): AroundCursor {
  const others = [...told].filter(([id]) => id !== shortOf(sessionId));
  return { since, told: new Map([...others, [shortOf(sessionId), seq]]) };
}

export interface Ended {
  readonly session_id: string;
  /** null = it is about to end. */
  readonly closed_at: string | null;
}

/** The one to be told of first. Those that ended first come first, so that what is old moves on. */
export function nextEnd<One extends Ended>(cursor: AroundCursor, ended: readonly One[]): One | null {
  const isNews = ({ session_id, closed_at }: One): boolean =>
    (closed_at === null || closed_at >= cursor.since) && toldSeq(cursor, session_id) !== ENDED;
  return ended.filter(isNews).sort(byEnd)[0] ?? null;
}

/** Of all that ended, as far as they are looked at, one was told of. Of those told long ago only the time is kept. */
export function withEnd(cursor: AroundCursor, one: Ended, ended: readonly Ended[]): AroundCursor {
  const { since, told } = withTold(cursor, one.session_id, ENDED);
  const times = ended.flatMap(({ session_id, closed_at }) =>
    closed_at !== null && told.get(shortOf(session_id)) === ENDED ? [closed_at] : [],
  );
  // None of them is older than since, or it would not have been told.
  const from = times.sort().at(-ENDS_KEPT) ?? since;
  const isOld = ({ closed_at }: Ended): boolean => closed_at !== null && closed_at < from;
  const old = new Set(ended.filter(isOld).map(({ session_id }) => shortOf(session_id)));
  return { since: from, told: new Map([...told].filter(([id]) => !old.has(id))) };
}

function byEnd(a: Ended, b: Ended): number {
  if (a.closed_at === b.closed_at) return 0;
  return b.closed_at === null || (a.closed_at !== null && a.closed_at < b.closed_at) ? -1 : 1;
}

/** Its end is the part that chance made. */
function shortOf(sessionId: string): string {
  return sessionId.slice(-12);
}

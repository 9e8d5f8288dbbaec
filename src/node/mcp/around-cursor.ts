/** How far somebody has heard of all its sessions: since when it listens, and what it was told of since. A tool gets it as text. */

import { Refusal } from './refusal.ts';

export interface AroundCursor {
  /** The hub's time of the first look: what ended before it is old. */
  readonly since: string;
  /** By the end of a session's id: the seq it was told of. */
  readonly told: ReadonlyMap<string, number>;
}

/** How many are remembered; of those told of before, the oldest are forgotten. */
const MOST_TOLD = 40;
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

/** Its end is the part that chance made. */
function shortOf(sessionId: string): string {
  return sessionId.slice(-12);
}

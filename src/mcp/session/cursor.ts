/** Cursors that tools give and take as text: how far a transcript was read, and where a list goes on. */

import { Refusal } from './participant.ts';

/** Everything up to a seq was read, and so many characters of the line after it. */
export interface Cursor {
  readonly seq: number;
  readonly chars: number;
}

export const START: Cursor = { seq: 0, chars: 0 };

export function encodeCursor({ seq, chars }: Cursor): string {
  return chars === 0 ? `${seq}` : `${seq}:${chars}`;
}

export function parseCursor(text: string | undefined): Cursor {
  if (text === undefined) return START;
  const [, seq, chars = '0'] = /^(\d{1,15})(?::(\d{1,15}))?$/.exec(text.trim()) ?? [];
  if (seq !== undefined) return { seq: Number(seq), chars: Number(chars) };
  throw new Refusal(
    `cursor: expected one that an earlier call gave back, got ${JSON.stringify(text.slice(0, 40))}. Leave it out to begin at the start.`,
  );
}

/** One that no call gave, although it looks like one. */
export function unknownCursorError({ seq, chars }: Cursor, why: string): Refusal {
  return new Refusal(
    `cursor: expected one that an earlier call gave back for this session, got ${encodeCursor({ seq, chars })}, but ${why}. Leave it out to begin at the start.`,
  );
}

/** One that no call gave: what comes until then would pass as read. */
export function assertWithin(seq: number, headSeq: number): void {
  if (seq <= headSeq) return;
  throw unknownCursorError({ seq, chars: 0 }, `the session has come to ${headSeq} only`);
}

type List = 'sessions' | 'peers';

/** The list's name goes before the hub's own cursor: made-up cursors are recognised. */
export function encodeListCursor(list: List, next: string | null): string | null {
  return next === null ? null : `${list}:${next}`;
}

export function parseListCursor(list: List, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const prefix = `${list}:`;
  if (text.startsWith(prefix) && text.length > prefix.length) return text.slice(prefix.length);
  throw new Refusal(
    `cursor: expected one that an earlier call of ${list} gave back, got ${JSON.stringify(text.slice(0, 40))}. Leave it out to begin at the start.`,
  );
}

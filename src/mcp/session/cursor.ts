/** Encodes cursors that tools exchange as strings: positions in a transcript or a list. */

import { Refusal } from './participant.ts';

/** A position: everything up to `seq` was read, plus `chars` characters of the next line. */
export interface Cursor {
  readonly seq: number;
  readonly chars: number;
}

const START: Cursor = { seq: 0, chars: 0 };

export function encodeCursor({ seq, chars }: Cursor): string {
  return chars === 0 ? `${seq}` : `${seq}:${chars}`;
}

export function parseCursor(text: string | undefined): Cursor {
  if (text === undefined) return START;
  const [, seq, chars = '0'] = /^(\d{1,15})(?::(\d{1,15}))?$/.exec(text.trim()) ?? [];
  if (seq !== undefined) return { seq: Number(seq), chars: Number(chars) };
  throw cursorError('an earlier call returned', JSON.stringify(text.slice(0, 40)));
}

function cursorError(origin: string, got: string): Refusal {
  return new Refusal(`cursor: expected one that ${origin}, got ${got}. Omit it to begin at the start.`);
}

/** The error for a well-formed cursor that no call returned. */
export function unknownCursorError(cursor: Cursor, why: string): Refusal {
  return cursorError('an earlier call returned for this session', `${encodeCursor(cursor)}, but ${why}`);
}

/** Rejects a cursor above the head, which would mark future messages as read. */
export function assertWithin(seq: number, headSeq: number): void {
  if (seq > headSeq) throw unknownCursorError({ seq, chars: 0 }, `the session has only reached ${headSeq}`);
}

type List = 'sessions' | 'peers';

/** Prefixes the hub's cursor with the name of the list, so that wrong cursors are recognised. */
export function encodeListCursor(list: List, next: string | null): string | null {
  return next === null ? null : `${list}:${next}`;
}

export function parseListCursor(list: List, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const prefix = `${list}:`;
  if (text.startsWith(prefix) && text.length > prefix.length) return text.slice(prefix.length);
  throw cursorError(`an earlier call of ${list} returned`, JSON.stringify(text.slice(0, 40)));
}

/** How far somebody has read: everything up to a seq, and so many characters of the line after it. A tool gets it as text. */

import { Refusal } from '../server/refusal-text.ts';

export interface Cursor {
  readonly seq: number;
  readonly chars: number;
}

export const START: Cursor = { seq: 0, chars: 0 };

export function cursorText({ seq, chars }: Cursor): string {
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
export function notGiven({ seq, chars }: Cursor, why: string): Refusal {
  return new Refusal(
    `cursor: expected one that an earlier call gave back for this session, got ${cursorText({ seq, chars })}, but ${why}. Leave it out to begin at the start.`,
  );
}

/** One that no call gave: what comes until then would pass as read. */
export function assertWithin(seq: number, headSeq: number): void {
  if (seq <= headSeq) return;
  throw notGiven({ seq, chars: 0 }, `the session has come to ${headSeq} only`);
}

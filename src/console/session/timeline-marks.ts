/** The marks of a timeline: where something happened beside what was said, as far as the log was read. Pure. */

import type { Envelope } from '../../core/records/session/envelope.ts';
import { firstSeq, type LogWindow } from '../state/session/log-window.ts';
import { type MarkKind, markOf } from '../state/session/marks.ts';
import type { WholeLog } from '../state/session/whole-log.ts';

export interface MarkAt {
  readonly seq: number;
  readonly kind: MarkKind;
}

/** Of a session with more marks than a screen has columns the newest are kept. */
export const MOST_MARKS = 5000;
const NOBODY: ReadonlyMap<string, string> = new Map();

export function withMarks(marks: readonly MarkAt[], envelopes: readonly Envelope[]): readonly MarkAt[] {
  const fresh = envelopes.flatMap((envelope) => {
    const mark = markOf(envelope, NOBODY);
    return mark === null ? [] : [{ seq: mark.seq, kind: mark.kind }];
  });
  if (fresh.length === 0) return marks;
  const known = new Map([...marks, ...fresh].map((mark) => [mark.seq, mark]));
  if (known.size === marks.length) return marks;
  return [...known.values()].sort((one, other) => one.seq - other.seq).slice(-MOST_MARKS);
}

/** From which seq on none is missing; 1 = there are all of them. */
export function marksFrom(marks: readonly MarkAt[], log: LogWindow, whole: WholeLog | null): number {
  const held = log.hasEarlier ? firstSeq(log) : 1;
  const read = whole?.isWhole === true ? Math.min(held, whole.from) : held;
  return marks.length < MOST_MARKS ? read : Math.max(read, marks[0]?.seq ?? 1);
}

/** The mark before or behind a seq; null = there is none. */
export function nearestMark(marks: readonly MarkAt[], seq: number, direction: 'before' | 'behind'): MarkAt | null {
  if (direction === 'behind') return marks.find((mark) => mark.seq > seq) ?? null;
  return marks.findLast((mark) => mark.seq < seq) ?? null;
}

/** Folds a whole log for panels and the timeline, without keeping the envelopes. Pure. */

import { isPlainObject } from '../../../core/lib/json.ts';
import type { SessionStateAt } from '../../../core/protocol/operations/console-sessions.ts';
import { type Envelope, isContent } from '../../../core/records/session/envelope.ts';
import { EMPTY_HISTORY, type RunHistory, withEnvelope } from '../../parts/governed/model/run-history.ts';

export interface WholeLog {
  /** Number of the latest reader; pages of earlier readers are ignored. */
  readonly reader: number;
  /** The first seq read. */
  readonly from: number;
  /** True if a panel needs the fold; the timeline alone does not. */
  readonly isFolded: boolean;
  readonly book: RunHistory;
  readonly steps: readonly Step[];
  /** The number of turns before the first step kept. */
  readonly earlierSteps: number;
  /** The last seq read. */
  readonly seq: number;
  /** True if the log is read up to the head: pushed envelopes are then added directly. */
  readonly isWhole: boolean;
}

/** A turn taken. */
interface Step {
  readonly seq: number;
  readonly by: string;
}

/** The number of turns kept; a drawing cannot show more. */
export const MAX_STEPS = 10_000;
const SLACK = 1_000;

/** A timeline alone reads only this many of the newest envelopes, and reports the rest as missing. */
export const MAX_READ = 20_000;

export function unread(reader: number, state: Pick<SessionStateAt, 'session' | 'head_seq'>): WholeLog {
  const isFolded = hasGraph(state) || isGoverned(state);
  const from = isFolded ? 1 : Math.max(1, state.head_seq - MAX_READ + 1);
  return { reader, from, isFolded, book: EMPTY_HISTORY, steps: [], earlierSteps: 0, seq: from - 1, isWhole: false };
}

/** Folds envelopes in log order, and skips those already read. */
export function withRead(whole: WholeLog, envelopes: readonly Envelope[]): WholeLog {
  const fresh = envelopes.filter(({ seq }) => seq > whole.seq);
  if (fresh.length === 0) return whole;
  if (!whole.isFolded) return { ...whole, seq: fresh.at(-1)?.seq ?? whole.seq };
  const added = fresh
    .filter(({ event_type }) => isContent(event_type))
    .map(({ seq, sender_id }) => ({ seq, by: sender_id }));
  const steps = added.length === 0 ? whole.steps : [...whole.steps, ...added];
  const tooMany = steps.length > MAX_STEPS + SLACK ? steps.length - MAX_STEPS : 0;
  return {
    ...whole,
    book: fresh.reduce(withEnvelope, whole.book),
    steps: tooMany === 0 ? steps : steps.slice(tooMany),
    earlierSteps: whole.earlierSteps + tooMany,
    seq: fresh.at(-1)?.seq ?? whole.seq,
  };
}

/** Folds pushed envelopes, if everything before them has been read. */
export function withPushed(whole: WholeLog | null, arrived: readonly Envelope[]): WholeLog | null {
  return whole?.isWhole === true ? withRead(whole, arrived) : whole;
}

/** The speakers up to a seq, in order. */
export function pathAt({ steps }: WholeLog, atSeq: number): readonly string[] {
  return steps.filter(({ seq }) => seq <= atSeq).map(({ by }) => by);
}

export function hasGraph({ session: { knobs } }: Pick<SessionStateAt, 'session'>): boolean {
  return isPlainObject(knobs.graph);
}

export function isGoverned({ session: { manifest } }: Pick<SessionStateAt, 'session'>): boolean {
  return manifest.type === 'governed';
}

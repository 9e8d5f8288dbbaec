/** What panels and the timeline need of all of a log, however long: it is folded and not kept. Pure. */

import type { SessionStateAt } from '../../../core/protocol/operations/console-sessions.ts';
import { type Envelope, isContent } from '../../../core/records/session/envelope.ts';
import { EMPTY_HISTORY, type RunHistory, withEnvelope } from '../../parts/governed/model/run-history.ts';
import { hasGraph, isGoverned } from './session-kind.ts';

export interface WholeLog {
  /** Who reads it: what an earlier reader brings does not count. */
  readonly reader: number;
  /** Where it begins. */
  readonly from: number;
  /** There are panels that tell of it. */
  readonly isFolded: boolean;
  readonly book: RunHistory;
  readonly steps: readonly Step[];
  /** So many turns were taken before the first of the steps. */
  readonly earlierSteps: number;
  /** Up to here it was read. */
  readonly seq: number;
  /** Nothing is missing up to the newest; what comes from now on is added as it comes. */
  readonly isWhole: boolean;
}

/** Somebody took a turn. */
export interface Step {
  readonly seq: number;
  readonly by: string;
}

/** Of the way through a workflow so many turns are kept: a drawing with more numbers says no more. */
export const MAX_STEPS = 10_000;
const SLACK = 1_000;

/** For a timeline alone so many envelopes are read at most, the newest: what is before them is told to be missing. */
export const MAX_READ = 20_000;

export function unread(reader: number, state: Pick<SessionStateAt, 'session' | 'head_seq'>): WholeLog {
  const isFolded = hasGraph(state) || isGoverned(state);
  const from = isFolded ? 1 : Math.max(1, state.head_seq - MAX_READ + 1);
  return { reader, from, isFolded, book: EMPTY_HISTORY, steps: [], earlierSteps: 0, seq: from - 1, isWhole: false };
}

/** In the order of the log; what was read already changes nothing. */
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

/** What the hub pushed: of use only to who has read everything before it. */
export function withPushed(whole: WholeLog | null, arrived: readonly Envelope[]): WholeLog | null {
  return whole?.isWhole === true ? withRead(whole, arrived) : whole;
}

/** Who took turns up to that seq, in order. */
export function pathAt({ steps }: WholeLog, atSeq: number): readonly string[] {
  return steps.filter(({ seq }) => seq <= atSeq).map(({ by }) => by);
}

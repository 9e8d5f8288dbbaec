/** The book as it was after an earlier envelope: what came later is taken out of it again, so that looking back reads nothing twice. */

import type { Blocker, RunBook } from './model/run-history.ts';
import type { Decision } from './model/accepted-turn.ts';

export function bookAt(book: RunBook, atSeq: number): RunBook {
  if (atSeq >= book.seq) return book;
  const isThen = ({ seq }: { readonly seq: number }): boolean => seq <= atSeq;
  return {
    turns: book.turns.filter(isThen),
    decisions: decisionsThen(book.decisions, isThen),
    gates: book.gates.filter(isThen),
    blockers: book.blockers.filter(isThen).map((one) => blockerThen(one, atSeq)),
    rejections: book.rejections.filter(isThen),
    asked: book.asked.filter(isThen),
    seq: atSeq,
  };
}

/** Whatever overrides a decision later did not then. */
function decisionsThen(all: readonly Decision[], isThen: (one: Decision) => boolean): readonly Decision[] {
  const then = all.filter(isThen);
  const overriders = (some: readonly Decision[]) =>
    new Map(some.flatMap(({ id, overrides }) => (overrides === null ? [] : [[overrides, id] as const])));
  const [now, before] = [overriders(all), overriders(then)];
  return then.map((one) => {
    const by = before.get(one.id) ?? null;
    // What another place said of a decision it brought along is no business of this log.
    if (by === one.overridden_by || (by === null && !now.has(one.id))) return one;
    return { ...one, overridden_by: by };
  });
}

function blockerThen(one: Blocker, atSeq: number): Blocker {
  if (one.resolved_seq === null || one.resolved_seq <= atSeq) return one;
  return { ...one, resolved_at: null, resolved_seq: null, resolution: null };
}

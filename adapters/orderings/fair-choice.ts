/** The highest bid is next, as far as nobody is passed over so often that it could not be made good any more. */

export interface Candidate {
  readonly agent_id: string;
  readonly bid: number;
  /** How often in a row somebody else was given the turn. */
  readonly passed: number;
  /** The number of its last turn; 0 = it has not spoken. */
  readonly spoke: number;
}

/**
 * Of `candidates`, who are in the order of their places, with `active` participants in all. Nobody is passed over more than
 * `active` − 1 times: those who wait could still be served in time, one after the other, the longest waiting first, and whoever
 * would break that is not chosen. So once the k-th of them cannot be put off any more, the choice is among the first k. When
 * participants went away meanwhile and it has become too late for somebody, the longest waiting is next.
 */
export function fairChoice(candidates: readonly Candidate[], active: number): Candidate | null {
  const waiting = candidates.toSorted((a, b) => b.passed - a.passed || a.spoke - b.spoke);
  const left = waiting.map(({ passed }, i) => active - (i + 1) - passed);
  if (left.some((times) => times < 0)) return waiting[0] ?? null;
  const tight = left.indexOf(0);
  const open = new Set(tight === -1 ? waiting : waiting.slice(0, tight + 1));
  let best: Candidate | null = null;
  for (const candidate of candidates) {
    if (open.has(candidate) && (best === null || comesBefore(candidate, best))) best = candidate;
  }
  return best;
}

/** By bid, then by silence; of equals the first place stays. */
function comesBefore(a: Candidate, b: Candidate): boolean {
  return a.bid === b.bid ? a.spoke < b.spoke : a.bid > b.bid;
}

/** Finds the word that was probably meant: the nearest by edit distance, if it is near enough. */

const MAX_CHANGES = 2;

export function findNearest(value: string, words: readonly string[]): string | null {
  const counted = words.map((word) => ({
    word,
    changes: word.startsWith(value) && value !== '' ? 1 : changesTo(value, word),
  }));
  const [best] = counted.sort((a, b) => a.changes - b.changes);
  return best !== undefined && best.changes <= MAX_CHANGES && best.changes < best.word.length ? best.word : null;
}

/** Edit distance: letters inserted, deleted, replaced or swapped with a neighbour. */
function changesTo(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const at = (di: number, dj: number): number => (di === 0 ? row : rows[i - di])?.[j - dj] ?? 0;
      const isSame = from[i - 1] === to[j - 1];
      const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const steps = [at(1, 0) + 1, at(0, 1) + 1, at(1, 1) + (isSame ? 0 : 1)];
      row.push(Math.min(...steps, ...(isSwapped ? [at(2, 2) + 1] : [])));
    }
    rows.push(row);
  }
  return rows.at(-1)?.at(-1) ?? 0;
}

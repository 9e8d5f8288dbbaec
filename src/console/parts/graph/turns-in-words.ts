/** The numbers of turns, as they are read on a drawing and beside it. */

/** `1 4 7`, and of many the first and the last. */
export function turnsInShort(turns: readonly number[]): string {
  return turns.length <= 3 ? turns.join(' ') : `${turns[0]} \u2026 ${turns.at(-1)}`;
}

/** `turn 3`, `turns 1, 4 and 7`, `12 turns, the last 41`. */
export function turnsInWords(turns: readonly number[]): string {
  if (turns.length === 0) return 'no turn';
  if (turns.length === 1) return `turn ${turns[0]}`;
  if (turns.length > 6) return `${turns.length} turns, the last ${turns.at(-1)}`;
  return `turns ${turns.slice(0, -1).join(', ')} and ${turns.at(-1)}`;
}

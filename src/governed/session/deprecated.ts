/** Re-exports former names, which stay importable until 1.0. */

export {
  /** @deprecated Use `displayState`. */
  displayState as shownState,
  /** @deprecated Use `parseResultText`. */
  parseResultText as resultIn,
} from './display.ts';
export {
  /** @deprecated Use `recordsFrom`. */
  recordsFrom as addedBy,
} from './judge.ts';
export {
  /** @deprecated Use `HistoryIndex`. */
  type HistoryIndex as BookIndex,
  /** @deprecated Use `toAcceptanceIndex`. */
  toAcceptanceIndex as booksIn,
} from './state/history-index.ts';

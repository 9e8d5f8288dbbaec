/** Names of version 0.1. They stay importable until 1.0. */

export {
  /** @deprecated since 0.2; use `displayState`. */
  displayState as shownState,
  /** @deprecated since 0.2; use `parseResultText`. */
  parseResultText as resultIn,
} from './display.ts';
export {
  /** @deprecated since 0.2; use `recordsFrom`. */
  recordsFrom as addedBy,
} from './judge.ts';
export {
  /** @deprecated since 0.2; use `HistoryIndex`. */
  type HistoryIndex as BookIndex,
  /** @deprecated since 0.2; use `toAcceptanceIndex`. */
  toAcceptanceIndex as booksIn,
} from './state/history-index.ts';

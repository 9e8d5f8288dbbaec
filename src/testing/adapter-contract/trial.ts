/** An adapter under test with its options and random histories. */

import type { CompleteAdapter } from '../../core/ports/adapter.ts';
import type { SessionState } from '../../core/state/state.ts';
import type { HistoryOptions } from '../lib/history.ts';
import type { Call } from '../lib/recording.ts';
import type { GoldenLog } from './golden-log.ts';
import type { DraftSource, RandomHistory } from './random-history.ts';

/** All optional. Pass the knobs and drafts without which no participant could post. */
export interface AdapterCheckOptions {
  /** Participants in the random histories; default 3, within the manifest's limits. */
  readonly participants?: number;
  /** Knobs as the hub passes them to the adapter: with defaults, and names resolved to ids (`id-alice` …). */
  readonly knobs?: HistoryOptions['knobs'] & {};
  /** Drafts that participants might post, in addition to texts, packets and noise. */
  readonly drafts?: DraftSource;
  /** Drafts with which the holder takes the turn; default: `buildRound` of a text. */
  readonly takeTurn?: DraftSource;
  /** Custom content types that the adapter folds. */
  readonly folds?: readonly string[];
  /** Sessions that `validateCreate` must accept, and ones it must reject. */
  readonly goodCreates?: readonly HistoryOptions[];
  readonly badCreates?: readonly HistoryOptions[];
  /** The golden log recorded when this version was released. */
  readonly golden?: GoldenLog;
}

export interface Trial {
  readonly adapter: CompleteAdapter;
  readonly options: AdapterCheckOptions;
  /** Created on first use. */
  histories(): readonly RandomHistory[];
}

export function allCalls({ histories }: Trial): readonly Call[] {
  return histories().flatMap(({ calls }) => calls);
}

export function allPositions({ histories }: Trial): readonly SessionState[] {
  return histories().flatMap(({ positions }) => positions);
}

/** An adapter on trial: what is known about it, and the random histories that the checks look at. */

import type { CompleteAdapter } from '../../core/ports/adapter.ts';
import type { SessionState } from '../../core/state/state.ts';
import type { HistoryOptions } from '../lib/history.ts';
import type { Call } from '../lib/recording.ts';
import type { GoldenLog } from './golden-log.ts';
import type { DraftSource, RandomHistory } from './random-history.ts';

/** Nothing is required; what an adapter needs before it lets anybody speak (knobs, drafts of its own) must be told. */
export interface AdapterCheckOptions {
  /** How many take part in the random histories; 3 unless the manifest says otherwise. */
  readonly participants?: number;
  /** As the hub gives them to the adapter: with defaults filled in and names resolved to ids (`id-alice` …). */
  readonly knobs?: HistoryOptions['knobs'] & {};
  /** What participants might say, besides texts, packets and noise. */
  readonly drafts?: DraftSource;
  /** What whoever has the turn says to take it; `buildRound` of a text unless told. */
  readonly takeTurn?: DraftSource;
  /** Content types of its own that the adapter folds. */
  readonly folds?: readonly string[];
  /** Sessions that `validateCreate` must accept, and ones it must refuse. */
  readonly goodCreates?: readonly HistoryOptions[];
  readonly badCreates?: readonly HistoryOptions[];
  /** What this version made of a history when it was released. */
  readonly golden?: GoldenLog;
}

export interface Trial {
  readonly adapter: CompleteAdapter;
  readonly options: AdapterCheckOptions;
  /** Made once, when the first check asks. */
  histories(): readonly RandomHistory[];
}

export function allCalls({ histories }: Trial): readonly Call[] {
  return histories().flatMap(({ calls }) => calls);
}

export function allPositions({ histories }: Trial): readonly SessionState[] {
  return histories().flatMap(({ positions }) => positions);
}

// Turn options for an agent without a hub; they record what the agent streams.

import type { ProgressEvent, TurnOptions } from '../../src/participants/agent/agent-fn.ts';

export interface WatchedTurn extends TurnOptions {
  readonly deltas: string[];
  readonly progress: ProgressEvent[];
}

export function watchedTurn(fields: Partial<TurnOptions> = {}): WatchedTurn {
  const deltas: string[] = [];
  const progress: ProgressEvent[] = [];
  return {
    deltas,
    progress,
    signal: new AbortController().signal,
    onDelta: (text) => deltas.push(text),
    onProgress: (event) => progress.push(event),
    idempotencyKey: 'k',
    resumed: false,
    ...fields,
  };
}

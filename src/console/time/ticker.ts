/** One clock for all that counts on a page: it ticks once a second while somebody listens, and not otherwise. */

export interface TickerPorts {
  /** Milliseconds, as the hub would say them. */
  now(): number;
  /** Runs `task` every so often; gives what ends that. */
  every(ms: number, task: () => void): () => void;
}

export interface Ticker {
  now(): number;
  /** Gives what ends it. */
  listen(onTick: (nowMs: number) => void): () => void;
}

export function ticker({ now, every }: TickerPorts): Ticker {
  const listeners = new Set<(nowMs: number) => void>();
  let stop: (() => void) | null = null;
  const tick = () => {
    const at = now();
    for (const listener of [...listeners]) listener(at);
  };
  return {
    now,
    listen(onTick) {
      // Of its own, so that the same function may listen twice.
      const listener = (nowMs: number) => onTick(nowMs);
      listeners.add(listener);
      stop ??= every(1000, tick);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0 || stop === null) return;
        stop();
        stop = null;
      };
    },
  };
}

/** Of the past the clock of then counts, and it does not go on. */
export function stillAt(nowMs: number): Ticker {
  return { now: () => nowMs, listen: () => () => {} };
}

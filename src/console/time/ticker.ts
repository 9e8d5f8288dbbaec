/** One clock for the whole page. It ticks once a second while it has listeners. */

interface TickerPorts {
  /** The hub's time in milliseconds. */
  now(): number;
  /** Runs `task` periodically; returns a function that stops it. */
  every(ms: number, task: () => void): () => void;
}

export interface Ticker {
  now(): number;
  /** Returns a function that removes the listener. */
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
      // A new function each time, so that the same one may listen twice.
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

/** A stopped clock, for past states. */
export function stillAt(nowMs: number): Ticker {
  return { now: () => nowMs, listen: () => () => {} };
}

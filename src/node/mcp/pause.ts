/** A signal that is aborted with another one, or after a time. To be ended: then nothing of it is left behind. */

export interface Pause {
  readonly signal: AbortSignal;
  end(): void;
}

/**
 * Made of a timer and a listener, which are held until they fire: a signal of `AbortSignal.timeout` that only
 * `AbortSignal.any` knows of may be collected, and then never fires.
 */
export function pause(other: AbortSignal, ms: number): Pause {
  const over = new AbortController();
  const stop = (): void => over.abort();
  const timer = setTimeout(stop, Math.max(0, Math.ceil(ms)));
  other.addEventListener('abort', stop, { once: true });
  if (other.aborted) stop();
  return {
    signal: over.signal,
    end() {
      clearTimeout(timer);
      other.removeEventListener('abort', stop);
    },
  };
}

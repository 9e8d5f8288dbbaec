/** The hub's time, which goes on by itself while the page is visible. One timer for all who show it. */

import { useEffect, useState } from 'preact/hooks';
import { store } from '../state.ts';

export function hubNow(): number {
  return Date.now() + store.get().skewMs;
}

const listeners = new Set<(now: number) => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function listen(listener: (now: number) => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  if (document.hidden) return;
  const now = hubNow();
  for (const listener of listeners) listener(now);
}

/** Drawn again each second. */
export function useNow(): number {
  const [now, setNow] = useState(hubNow);
  useEffect(() => listen(setNow), []);
  return now;
}

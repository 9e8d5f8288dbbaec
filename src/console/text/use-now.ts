/** The hub's time, which goes on by itself while the page is visible. One timer for all who show it. */

import { useEffect, useState } from 'preact/hooks';
import { type Ticker, ticker } from '../parts/time/ticker.ts';
import { store } from '../state.ts';

export function hubNow(): number {
  return Date.now() + store.get().skewMs;
}

/** One for all who show a time. */
export const hubClock: Ticker = ticker({
  now: hubNow,
  every(ms, task) {
    const timer = setInterval(() => {
      if (!document.hidden) task();
    }, ms);
    return () => clearInterval(timer);
  },
});

/** Drawn again each second. */
export function useNow(): number {
  const [now, setNow] = useState(hubNow);
  useEffect(() => hubClock.listen(setNow), []);
  return now;
}

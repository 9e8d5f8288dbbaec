/** Provides the hub's time, which ticks while the page is visible. */

import { type Ticker, ticker } from '../time/ticker.ts';
import { store } from './console-state.ts';

export function hubNow(): number {
  return Date.now() + store.get().skewMs;
}

/** Shared by everything that shows a time. */
export const hubClock: Ticker = ticker({
  now: hubNow,
  every(ms, task) {
    const timer = setInterval(() => {
      if (!document.hidden) task();
    }, ms);
    return () => clearInterval(timer);
  },
});

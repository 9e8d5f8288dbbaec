/** The hub's time, which goes on by itself while the page is visible. */

import { store } from './console-state.ts';
import { type Ticker, ticker } from '../time/ticker.ts';

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

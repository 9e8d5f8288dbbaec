/** Shows times that update themselves with one shared clock. */

import { createContext, type VNode } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import './time.css';
import { stillAt, type Ticker } from './ticker.ts';
import { ago, countdown } from './time-text.ts';

/** Stopped until the page provides a real clock. */
export const TickerContext = createContext<Ticker>(stillAt(0));

/** The time in milliseconds, updated once a second. */
export function useNow(): number {
  const clock = useContext(TickerContext);
  const [now, setNow] = useState(() => clock.now());
  useEffect(() => {
    setNow(clock.now());
    return clock.listen(setNow);
  }, [clock]);
  return now;
}

interface TimeProps {
  /** ISO-8601. */
  readonly at: string;
}

/** `3m ago`, with the time as tooltip. */
export function Ago({ at }: TimeProps): VNode {
  const now = useNow();
  return (
    <time class="time-ago" dateTime={at} title={at}>
      {ago(at, now)}
    </time>
  );
}

/** `in 4m 5s`. Screen readers read it on focus, not every second. */
export function Countdown({ at }: TimeProps): VNode {
  const now = useNow();
  const { text, urgency } = countdown(at, now);
  return (
    <time class={`countdown countdown-${urgency}`} dateTime={at} title={at} role="timer" aria-live="off">
      {text}
    </time>
  );
}

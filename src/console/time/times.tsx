/** Times that stay true while they are looked at. All of them tick with one clock. */

import { createContext, type VNode } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import './time.css';
import { stillAt, type Ticker } from './ticker.ts';
import { ago, countdown } from './time-text.ts';

/** A clock that stands still, until the page gives a real one. */
export const TickerContext = createContext<Ticker>(stillAt(0));

/** Milliseconds; changes once a second. */
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

/** `3m ago`; the time itself when it is pointed at. */
export function Ago({ at }: TimeProps): VNode {
  const now = useNow();
  return (
    <time class="time-ago" dateTime={at} title={at}>
      {ago(at, now)}
    </time>
  );
}

/** `in 4m 5s`. It is read when it is reached, and does not speak up every second. */
export function Countdown({ at }: TimeProps): VNode {
  const now = useNow();
  const { text, urgency } = countdown(at, now);
  return (
    <time class={`countdown countdown-${urgency}`} dateTime={at} title={at} role="timer" aria-live="off">
      {text}
    </time>
  );
}

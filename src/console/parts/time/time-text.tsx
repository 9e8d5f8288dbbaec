/** Times that stay true while they are looked at. All of them tick with one clock. */

import { createContext, type VNode } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import '../parts.css';
import './time.css';
import type { Ticker } from './ticker.ts';
import { agoWords, countdown } from './time-words.ts';

/** A clock that stands still, until the page gives a real one. */
const STILL: Ticker = { now: () => 0, listen: () => () => {} };

export const TickerContext = createContext<Ticker>(STILL);

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

export interface AgoProps {
  /** ISO-8601. */
  readonly at: string;
}

/** `3 min ago`; the time itself when it is pointed at. */
export function Ago({ at }: AgoProps): VNode {
  const now = useNow();
  return (
    <time class="time-ago" dateTime={at} title={at}>
      {agoWords(Date.parse(at), now)}
    </time>
  );
}

export interface CountdownProps {
  /** ISO-8601. */
  readonly due: string;
  /** Written before it; what it is of, for whoever does not see where it stands. */
  readonly label?: string;
}

/** `4:05`. It is read when it is reached, and does not speak up every second. */
export function Countdown({ due, label }: CountdownProps): VNode {
  const now = useNow();
  const { text, urgency } = countdown(Date.parse(due), now);
  return (
    <span class={`countdown countdown-${urgency}`}>
      {label !== undefined && <span class="countdown-label">{label} </span>}
      <time dateTime={due} title={due} role="timer" aria-live="off">
        {text}
      </time>
    </span>
  );
}

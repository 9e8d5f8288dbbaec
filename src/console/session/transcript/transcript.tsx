/** Renders the transcript, the newest envelope last. Draws only the rows on screen, however long the log is. */

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { unevenWindow } from '../../lib/rows-window.ts';
import { useViewport } from '../../lib/use-viewport.ts';
import type { LogWindow } from '../../state/session/log-window.ts';
import { displayState, namesFrom, type OpenSession, type Writing } from '../../state/session/open-session.ts';
import { speakerHue } from '../../state/session/session-text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { LineIn } from '../../widgets/widgets.tsx';
import { readEarlier, readLater, readNewest, setFollowing } from '../reading/live-session.ts';
import { EnvelopeRow } from './envelope-row.tsx';

/** The height of a row until it is measured. */
const ESTIMATE_PX = 64;
/** A reader this close to the end counts as being at the end. */
const NEAR_PX = 48;
const EARLIER_PX = 400;

export function Transcript({ session, log }: { session: OpenSession; log: LogWindow }) {
  const { id, now, isFollowing, writing, replay } = session;
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const viewport = useViewport(scroller);
  const measured = useRef(new Map<number, number>());
  const [measures, setMeasures] = useState(0);
  const names = useMemo(() => namesFrom(now), [now]);
  const awaits = displayState(session)?.awaits ?? null;
  const { envelopes } = log;
  const heights = useMemo(
    () => envelopes.map(({ seq }) => measured.current.get(seq) ?? ESTIMATE_PX),
    [envelopes, measures],
  );
  const { start, end, before, after } = unevenWindow(heights, viewport);
  const isLive = replay === null;
  const sticks = !isLive || isFollowing;

  useLayoutEffect(() => {
    const rows = scroller?.querySelectorAll<HTMLElement>('[data-seq]') ?? [];
    let hasChanged = false;
    for (const row of rows) {
      const seq = Number(row.dataset.seq);
      const height = row.offsetHeight;
      if (height === 0 || measured.current.get(seq) === height) continue;
      measured.current.set(seq, height);
      hasChanged = true;
    }
    if (hasChanged) setMeasures((times) => times + 1);
  });
  useAnchor(scroller, envelopes[0]?.seq ?? 0, sticks, measured.current);
  useEffect(() => {
    for (const seq of measured.current.keys()) if (seq < (envelopes[0]?.seq ?? 0)) measured.current.delete(seq);
  }, [envelopes]);

  const onScroll = ({ currentTarget }: { currentTarget: HTMLElement }): void => {
    if (!isLive) return;
    const left = currentTarget.scrollHeight - currentTarget.scrollTop - currentTarget.clientHeight;
    const isAtEnd = left <= NEAR_PX;
    if (isAtEnd !== isFollowing && !(isAtEnd && log.hasLater)) setFollowing(id, isAtEnd);
    if (currentTarget.scrollTop < EARLIER_PX && log.hasEarlier) void readEarlier(id).catch(() => {});
    if (left < EARLIER_PX && log.hasLater) void readLater(id).catch(() => {});
  };

  return (
    <div class="transcript-frame">
      <div
        class="transcript"
        ref={setScroller}
        onScroll={onScroll}
        tabIndex={0}
        role="log"
        aria-label="Transcript"
        aria-live="off"
      >
        <div class="room" style={{ height: `${before}px` }} />
        {envelopes.slice(start, end).map((envelope, at) => (
          <EnvelopeRow
            key={envelope.seq}
            envelope={envelope}
            names={names}
            awaits={awaits?.since_seq === envelope.seq ? awaits.text : null}
            isSame={envelopes[start + at - 1]?.sender_id === envelope.sender_id}
          />
        ))}
        <div class="room" style={{ height: `${after}px` }} />
        {isLive && [...writing].map(([turnId, one]) => <TypingRow key={turnId} writing={one} names={names} />)}
      </div>
      {isLive && !isFollowing && (
        <button type="button" class="to-newest" onClick={() => void readNewest(id).catch(() => {})}>
          Jump to latest
        </button>
      )}
    </div>
  );
}

/** Keeps the end in view if `sticks`, else keeps the visible rows in place when rows above them change. */
function useAnchor(
  scroller: HTMLElement | null,
  first: number,
  sticks: boolean,
  measured: ReadonlyMap<number, number>,
): void {
  const lastFirst = useRef(first);
  useLayoutEffect(() => {
    if (scroller === null) return;
    if (sticks) scroller.scrollTop = scroller.scrollHeight;
    else if (first < lastFirst.current) scroller.scrollTop += heightOf(first, lastFirst.current, measured);
    else if (first > lastFirst.current) scroller.scrollTop -= heightOf(lastFirst.current, first, measured);
    lastFirst.current = first;
  });
}

function heightOf(from: number, to: number, measured: ReadonlyMap<number, number>): number {
  let height = 0;
  for (let seq = from; seq < to; seq += 1) height += measured.get(seq) ?? ESTIMATE_PX;
  return height;
}

function TypingRow({ writing, names }: { writing: Writing; names: ReadonlyMap<string, string> }) {
  return (
    <article class={`said-row writing hue-${speakerHue(writing.senderId, names)}`}>
      <header>
        <LineIn tag="strong" class="speaker" text={names.get(writing.senderId) ?? writing.senderId} most={60} />{' '}
        <span class="dim">is writing…</span>
      </header>
      <p class="text">
        <bdi class="said">{visibleText(writing.text)}</bdi>
      </p>
    </article>
  );
}

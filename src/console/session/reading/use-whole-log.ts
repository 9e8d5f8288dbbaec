/** Reads a whole log in the background, for the timeline and for panels that need all of it. */

import { useEffect } from 'preact/hooks';
import { store } from '../../state/console-state.ts';
import { withMarks } from '../../state/session/marks.ts';
import type { OpenSession } from '../../state/session/open-session.ts';
import { unread, type WholeLog, withRead } from '../../state/session/whole-log.ts';
import { change, readLog } from './live-session.ts';

const PAGE = 500;
const RETRY_MS = 2000;

let readers = 0;

/** The log read so far; null until reading starts. */
export function useWholeLog({ id, whole, now }: OpenSession): WholeLog | null {
  // `whole` is null at first, and again after the history was rewritten.
  const isWanted = whole === null && now !== null;
  useEffect(() => {
    // Several components use this hook: read the log only once.
    if (isWanted && store.get().session?.whole === null) void read(id);
  }, [id, isWanted]);
  return whole;
}

async function read(id: string): Promise<void> {
  readers += 1;
  const reader = readers;
  change(id, (open) => (open.now === null ? open : { ...open, whole: unread(reader, open.now) }));
  for (let from_seq: number | null = wholeOf(id, reader)?.from ?? null; from_seq !== null; ) {
    if (wholeOf(id, reader) === null) return;
    from_seq = await readPage(id, reader, from_seq).catch(async () => {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      return (wholeOf(id, reader)?.seq ?? 0) + 1;
    });
  }
}

/** Reads one page; resolves to the start of the next one, or to null after the last. */
async function readPage(id: string, reader: number, from_seq: number): Promise<number | null> {
  const page = await readLog({ session_id: id, from_seq, limit: PAGE });
  let next = page.next;
  change(id, (open) => {
    if (open.whole?.reader !== reader) return open;
    const whole = withRead(open.whole, page.envelopes);
    // Pushed envelopes were ignored while the log was read: read those after this page.
    if (next === null && open.log.headSeq > page.head_seq) next = page.head_seq + 1;
    const marks = withMarks(open.marks, page.envelopes);
    return { ...open, marks, whole: { ...whole, isWhole: next === null } };
  });
  return next;
}

function wholeOf(id: string, reader: number): WholeLog | null {
  const { session } = store.get();
  return session?.id === id && session.whole?.reader === reader ? session.whole : null;
}

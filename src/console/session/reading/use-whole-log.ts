/** Reads a log from its beginning, page by page beside everything else, for the timeline and the panels that tell of all of it. */

import { useEffect } from 'preact/hooks';
import { store } from '../../state/console-state.ts';
import { withMarks } from '../../state/session/marks.ts';
import type { OpenSession } from '../../state/session/open-session.ts';
import { unread, type WholeLog, withRead } from '../../state/session/whole-log.ts';
import { change } from './live-session.ts';
import { readLog } from './read-log.ts';

const PAGE = 500;
/** A hub that is gone for a while is asked again. */
const RETRY_MS = 2000;

let readers = 0;

/** The log as far as it was read; null = the first page is not here yet. */
export function useWholeLog({ id, whole, now }: OpenSession): WholeLog | null {
  // It is null at the beginning, and after the past was rewritten.
  const isWanted = whole === null && now !== null;
  useEffect(() => {
    // Several ask for it at once, and it is read once.
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

/** Where the next page begins; null = nothing is missing. */
async function readPage(id: string, reader: number, from_seq: number): Promise<number | null> {
  const page = await readLog({ session_id: id, from_seq, limit: PAGE });
  let next = page.next;
  change(id, (open) => {
    if (open.whole?.reader !== reader) return open;
    const whole = withRead(open.whole, page.envelopes);
    // Something was pushed after the hub had answered, when it did not count yet.
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

/** Reads the lines a view takes, newest first and only as many as needed, and counts the earlier ones. */

import { internalError, WireError } from '../../../core/lib/errors.ts';
import { utf8Bytes } from '../../../core/lib/json.ts';
import { type CompleteAdapter, renderText } from '../../../core/ports/adapter.ts';
import type { Store } from '../../../core/ports/store.ts';
import type { ViewLine } from '../../../core/ports/view.ts';
import { isViewLineFor } from '../../../core/records/session/delivery.ts';
import { type Envelope, HUB_ID } from '../../../core/records/session/envelope.ts';
import { nameOf, type SessionMetadata } from '../../../core/records/session/session.ts';
import type { Entry } from '../../../core/records/session/unit.ts';
import type { LiveSession } from '../../sessions/live-session.ts';

/** Entries in the first page: few, because most windows are short. Each next page is twice as long. */
const FIRST_PAGE = 32;
const LONGEST_PAGE = 512;

/** Bytes of a message in addition to its text and name. */
const MESSAGE_BYTES = 64;

export interface LineQuery {
  readonly session: LiveSession;
  readonly store: Store;
  readonly metadata: SessionMetadata;
  /** Renders the lines; null if the adapter is missing. */
  readonly adapter: CompleteAdapter | null;
  /** Applies redactions. */
  readonly shown: (entries: readonly Entry[]) => readonly Entry[];
  readonly agentId: string;
  /** The last entry to read. */
  readonly atSeq: number;
  /** Returns false to stop: the view takes neither this line nor any earlier one. */
  readonly takes: (line: ViewLine) => boolean;
  readonly maxBytes: number;
}

export interface LinePage {
  /** The lines taken, oldest first. */
  readonly taken: readonly ViewLine[];
  /** Number of lines before the taken ones. */
  readonly earlier: number;
  /** The newest line that no longer fits into the answer, or null. */
  readonly cutAt: number | null;
  /** Ids of the senders with lines before a seq. */
  readonly heardBefore: (seq: number) => ReadonlySet<string>;
}

export async function readLines(reading: LineQuery): Promise<LinePage> {
  const { agentId, atSeq, session } = reading;
  const { tally } = session;
  // The tally has the total at the newest entry. For an older `atSeq` it has whole intervals; read the rest.
  const interval = tally.intervalOf(atSeq + 1);
  const countedTo = interval * tally.length;
  const there = tally.totalBefore(interval, agentId);
  let total = tally.seq === atSeq ? tally.total(agentId) : null;
  const taking = new LineCollector(reading);
  let seen = 0;
  let limit = FIRST_PAGE;
  for (let at = atSeq; ; ) {
    if (at === countedTo) total ??= seen + there;
    if (at < 1 || (total !== null && (taking.isDone || seen === total))) break;
    const here = tally.intervalOf(at);
    if (tally.totalBefore(here, agentId) === tally.totalBefore(here + 1, agentId)) {
      at = here * tally.length;
      continue;
    }
    const entries = await pageBefore(reading, at, Math.max(at - limit, total === null ? countedTo : 0));
    for (const { envelope } of entries) {
      if (!isViewLineFor(envelope, agentId)) continue;
      seen += 1;
      taking.offer(envelope);
      if (taking.isDone && total !== null) break;
    }
    at -= entries.length;
    limit = Math.min(2 * limit, LONGEST_PAGE);
  }
  const { lines, cutAt } = taking;
  const heardBefore = (seq: number): ReadonlySet<string> => tally.heardBefore(seq, agentId);
  return { taken: lines.toReversed(), earlier: (total ?? seen) - lines.length, cutAt, heardBefore };
}

/** The entries from `at` back to `after` + 1, newest first; from memory if all of them are there. */
export async function pageBefore(reading: LineQuery, at: number, after: number): Promise<readonly Entry[]> {
  const { session, store, shown } = reading;
  const tail = session.tailFrom(after + 1);
  if (tail !== null) return shown(tail.slice(0, at - after).toReversed());
  const range = { from_seq: after + 1, to_seq: at, limit: at - after, reverse: true };
  const entries = await store.read(session.sessionId, range);
  if (entries[0]?.envelope.seq !== at) throw cannotReadError(session, at);
  return shown(entries);
}

/** For damage that is found only when the log is read. */
export function cannotReadError({ sessionId }: LiveSession, seq: number): WireError {
  const message = `session ${sessionId} cannot be read at seq ${seq}; its log may be damaged`;
  return new WireError('unavailable', message, { outcome: 'refused' });
}

/** Collects lines, newest first, until the window or the answer is full. */
export class LineCollector {
  readonly lines: ViewLine[] = [];
  isDone = false;
  cutAt: number | null = null;
  private readonly reading: LineQuery;
  private bytes = 0;

  constructor(reading: LineQuery) {
    this.reading = reading;
  }

  offer(envelope: Envelope): void {
    if (this.isDone) return;
    const line = lineOf(envelope, this.reading);
    this.bytes += utf8Bytes(JSON.stringify(line.text)) + 2 * line.name.length + MESSAGE_BYTES;
    this.isDone = !this.reading.takes(line);
    if (this.isDone) return;
    if (this.bytes > this.reading.maxBytes && this.lines.length > 0) {
      this.isDone = true;
      this.cutAt = line.seq;
    } else this.lines.push(line);
  }
}

function lineOf(envelope: Envelope, { metadata, adapter, agentId }: LineQuery): ViewLine {
  const { seq, sender_id } = envelope;
  const name = sender_id === HUB_ID ? HUB_ID : nameOf(metadata, sender_id);
  return { seq, sender_id, name, own: sender_id === agentId, text: textOf(envelope, adapter), envelope };
}

function textOf(envelope: Envelope, adapter: CompleteAdapter | null): string {
  if (adapter === null || envelope.redacted !== undefined) return renderText(envelope);
  const doing = `render of ${adapter.manifest.type} for seq ${envelope.seq}`;
  let text: unknown;
  try {
    text = adapter.render(envelope);
  } catch (thrown) {
    throw internalError(thrown, doing);
  }
  if (typeof text === 'string') return text;
  throw new WireError('internal', `${doing} gave ${typeof text}, not text`);
}

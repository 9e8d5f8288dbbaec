/** Reads bounded pages of a transcript as one participant sees it. Long lines continue on the next page. */

import type { ViewMessage } from '../../core/ports/view.ts';
import { isViewLine } from '../../core/records/session/delivery.ts';
import type { Envelope } from '../../core/records/session/envelope.ts';
import { assertWithin, type Cursor, encodeCursor, unknownCursorError } from './cursor.ts';
import type { Participant } from './participant.ts';

export interface TranscriptMessage {
  readonly seq: number;
  readonly from: string;
  readonly text: string;
  readonly own?: boolean;
  /** True if the message begins on an earlier page or continues on the next. */
  readonly part?: boolean;
}

interface TranscriptPage {
  readonly messages: readonly TranscriptMessage[];
  readonly cursor: string;
  readonly more: boolean;
  readonly headSeq: number;
}

export const PAGE_CHARS = 16_000;
/** Limits of one read of the log. */
const LOG_PAGE = 100;
const LOG_BYTES = 64 * 1024;
/** Maximum number of reads without a visible line; then the page stays empty. */
const MAX_READS = 50;

export async function readTranscriptPage(
  participant: Participant,
  session_id: string,
  from: Cursor,
  maxChars: number = PAGE_CHARS,
): Promise<TranscriptPage> {
  let seq = from.seq;
  let headSeq = seq;
  for (let looks = 0; looks < MAX_READS; looks++) {
    const log = await participant.call('read_log', { session_id, from_seq: seq + 1, limit: LOG_PAGE });
    headSeq = log.head_seq;
    assertWithin(seq, headSeq);
    const { count, lastSeq } = fewLines(log.envelopes, log.next === null ? Math.max(seq, headSeq) : log.next - 1);
    const shown = count === 0 ? [] : await shownUpTo(participant, session_id, lastSeq, count);
    const chars = seq === from.seq ? from.chars : 0;
    const lines = shown.filter((one) => one.seq > seq);
    if (chars >= Math.max(1, lines[0]?.text.length ?? 0)) throw unknownCursorError(from, 'the next line is shorter');
    const page = cut(lines, { seq, chars }, maxChars);
    if (page !== null) {
      const end = page.isCut ? page.end : { seq: lastSeq, chars: 0 };
      participant.hasRead(session_id, end.seq);
      return { messages: page.messages, cursor: encodeCursor(end), more: end.seq < headSeq, headSeq };
    }
    seq = lastSeq;
    if (log.next === null && lastSeq >= headSeq) break;
  }
  participant.hasRead(session_id, seq);
  return { messages: [], cursor: encodeCursor({ seq, chars: 0 }), more: seq < headSeq, headSeq };
}

/** Counts the view lines that fit into LOG_BYTES; at least one. */
function fewLines(envelopes: readonly Envelope[], end: number): { count: number; lastSeq: number } {
  let [count, bytes] = [0, 0];
  for (const [at, envelope] of envelopes.entries()) {
    if (!isViewLine(envelope.event_type)) continue;
    bytes += JSON.stringify(envelope.event_data).length;
    if (count > 0 && bytes > LOG_BYTES) return { count, lastSeq: (envelopes[at - 1] ?? envelope).seq };
    count += 1;
  }
  return { count, lastSeq: end };
}

type Line = Omit<TranscriptMessage, 'part'>;

/** Reads lines from the view, because it escapes text that imitates other speakers. */
async function shownUpTo(
  participant: Participant,
  session_id: string,
  at_seq: number,
  recent_n: number,
): Promise<readonly Line[]> {
  const view = { name: 'windowed_summary', params: { recent_n, named: false } };
  const { messages } = await participant.call('read_view', { session_id, at_seq, view });
  return messages.flatMap((message) => lineOf(message) ?? []);
}

function lineOf({ seq, name, content, role }: ViewMessage): Line | null {
  if (seq === null) return null;
  return { seq, from: name ?? '', text: content, ...(role === 'assistant' ? { own: true } : {}) };
}

interface Cut {
  readonly messages: readonly TranscriptMessage[];
  readonly end: Cursor;
  readonly isCut: boolean;
}

function cut(lines: readonly Line[], from: Cursor, maxChars: number): Cut | null {
  const messages: TranscriptMessage[] = [];
  let left = maxChars;
  let { seq, chars } = from;
  for (const line of lines) {
    const rest = line.text.slice(chars);
    if (messages.length > 0 && rest.length > left) return { messages, end: { seq, chars: 0 }, isCut: true };
    const text = rest.length <= left ? rest : whole(rest.slice(0, left));
    const isPart = chars > 0 || text.length < rest.length;
    messages.push({ ...line, text, ...(isPart ? { part: true } : {}) });
    if (text.length < rest.length) return { messages, end: { seq, chars: chars + text.length }, isCut: true };
    left -= text.length;
    seq = line.seq;
    chars = 0;
  }
  return messages.length === 0 ? null : { messages, end: { seq, chars: 0 }, isCut: false };
}

/** Avoids splitting a surrogate pair. */
function whole(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff && text.length > 1 ? text.slice(0, -1) : text;
}

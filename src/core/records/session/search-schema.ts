/** Schemas of searches. */

import { z } from 'zod';
import { type Finder, snippetOf, type TextMatch, textValues } from '../../lib/find-text.ts';
import { invalidValueError } from '../../lib/json.ts';
import { integerBetween, nonBlankText, oneOf, record, text, textMap } from '../../lib/schema.ts';
import { agentRef, count, eventType, generatedId, seq, sessionId, time } from '../fields.ts';
import { type Envelope, HUB_ID } from './envelope.ts';
import { lifecycleState } from './record-schemas.ts';
import type { SearchCursor, SearchMatch, SearchPage, SearchParams } from './search.ts';

export const searchParams: z.ZodType<SearchParams> = z.object({
  query: nonBlankText(256),
  match: oneOf<TextMatch>({ substring: 1, words: 1 }, 'substring or words').optional(),
  states: z.array(lifecycleState).optional(),
  type: text(64).optional(),
  labels: textMap().optional(),
  participant: agentRef.optional(),
  after: text(256).optional(),
  limit: integerBetween(1, 100).optional(),
});

export const searchPage: z.ZodType<SearchPage> = record<SearchPage>({
  matches: z.array(
    record<SearchMatch>({
      session_id: sessionId,
      seq,
      envelope_id: generatedId,
      sender_id: z.union([z.literal(HUB_ID), generatedId]),
      event_type: eventType,
      created_at: time,
      snippet: z.string(),
      at: count,
      length: count,
    }),
  ),
  next: text(256).nullable(),
});

/** Finds a match in an envelope. Skips the manifest, which every session of a type repeats. */
export function findMatch(envelope: Envelope, find: Finder): SearchMatch | null {
  // A redacted envelope holds only the redaction text, which is not content.
  if (envelope.redacted !== undefined) return null;
  const { manifest: _, ...data } = envelope.event_data;
  for (const one of textValues(envelope.sender_id === HUB_ID ? data : envelope.event_data)) {
    const found = find(one);
    if (found === null) continue;
    const { session_id, seq, envelope_id, sender_id, event_type, created_at } = envelope;
    return { session_id, seq, envelope_id, sender_id, event_type, created_at, ...snippetOf(found) };
  }
  return null;
}

const PLACE = /^(?:([1-9]\d{0,15})\.([0-9a-f]{32}))?~(.*)$/s;

export function encodeSearchCursor({ within, after }: SearchCursor): string {
  const here = within === null ? '' : `${within.seq}.${within.sessionId}`;
  return `${here}~${after ?? ''}`;
}

export function parseSearchCursor(cursor: string | undefined): SearchCursor {
  if (cursor === undefined) return { within: null, after: undefined };
  const [, at, id, after = ''] = PLACE.exec(cursor) ?? [];
  const within = at === undefined || id === undefined ? null : { sessionId: id, seq: Number(at) };
  if (within === null && after === '') throw invalidValueError('params.after', 'the `next` of a page', cursor);
  return { within, after: after === '' ? null : after };
}

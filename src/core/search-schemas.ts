/** The schemas of a search: what is asked for, and a page of what was found. */

import { z } from 'zod';
import { HUB_ID } from './records/session/envelope.ts';
import type { TextMatch } from './lib/find-text.ts';
import { agentRef, count, eventType, lifecycleState, madeId, seq, sessionId, time } from './records/session/record-schemas.ts';
import { oneOf, record, text, texts, whole, words } from './lib/schema.ts';
import type { SearchMatch, SearchPage, SearchParams } from './records/session/search.ts';

export const searchParams: z.ZodType<SearchParams> = z.object({
  query: words(256),
  match: oneOf<TextMatch>({ substring: 1, words: 1 }, 'substring or words').optional(),
  states: z.array(lifecycleState).optional(),
  type: text(64).optional(),
  labels: texts().optional(),
  participant: agentRef.optional(),
  after: text(256).optional(),
  limit: whole(1, 100).optional(),
});

export const searchPage: z.ZodType<SearchPage> = record<SearchPage>({
  matches: z.array(
    record<SearchMatch>({
      session_id: sessionId,
      seq,
      envelope_id: madeId,
      sender_id: z.union([z.literal(HUB_ID), madeId]),
      event_type: eventType,
      created_at: time,
      snippet: z.string(),
      at: count,
      length: count,
    }),
  ),
  next: text(256).nullable(),
});

/** Operations on existing sessions: read, list, search, redact and close. */

import { z } from 'zod';
import type { EndAnswer } from '../../decisions/end-session.ts';
import type { JsonObject } from '../../lib/json.ts';
import { anyObject, record, text, textMap } from '../../lib/schema.ts';
import type { TurnTool } from '../../ports/adapter.ts';
import { generatedId, seq, sessionId, time } from '../../records/fields.ts';
import type { Redaction, Turn } from '../../records/session/envelope.ts';
import { lifecycleState, redaction, sessionMetadata, turn } from '../../records/session/record-schemas.ts';
import type { SearchPage, SearchParams } from '../../records/session/search.ts';
import { searchPage, searchParams } from '../../records/session/search-schema.ts';
import type { LifecycleState, SessionMetadata } from '../../records/session/session.ts';
import { duplicate, flag, limit, ofSession, operation } from './define-operation.ts';
import type { Operations } from './operation.ts';

export interface RedactParams {
  readonly session_id: string;
  readonly seq: number;
  readonly reason?: string | undefined;
}

export interface RedactAnswer {
  readonly session_id: string;
  readonly seq: number;
  readonly envelope_id: string;
  readonly redacted: Redaction;
  /** true if the state was pinned: the first archive after the session's end then deletes the content's bytes. */
  readonly pinned: boolean;
  /** true if the envelope was already redacted. */
  readonly duplicate?: true;
}

/** A session in a list. */
export interface SessionSummary {
  readonly session_id: string;
  readonly type: string;
  readonly state: LifecycleState;
  readonly creator_id: string;
  readonly created_at: string;
  readonly changed_at: string;
  readonly closed_at: string | null;
  readonly close_reason: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly head_seq: number;
  readonly turn: Turn | null;
}

const sessionSummary = record<SessionSummary>({
  session_id: sessionId,
  type: text(64),
  state: lifecycleState,
  creator_id: generatedId,
  created_at: time,
  changed_at: time,
  closed_at: time.nullable(),
  close_reason: z.string().nullable(),
  labels: textMap(),
  head_seq: seq,
  turn: turn.nullable(),
});

interface OfSession {
  readonly session_id: string;
}

export interface SessionOperations {
  redact: { params: RedactParams; result: RedactAnswer };
  get_session: {
    params: OfSession;
    result: {
      readonly session: SessionMetadata;
      readonly turn: Turn | null;
      readonly unavailable: string | null;
      /** Public state of the type; {} if unavailable, or if you have not joined or have left. */
      readonly public_state: JsonObject;
      /** Tools with which you pass your turn on; [] unless you hold the turn. */
      readonly tools: readonly TurnTool[];
    };
  };
  list_sessions: {
    params: {
      /** Includes sessions of others; requires `observe`. */
      readonly all?: boolean | undefined;
      readonly states?: readonly LifecycleState[] | undefined;
      readonly type?: string | undefined;
      /** Excludes sessions that ended before this time. */
      readonly ended_since?: string | undefined;
      /** Excludes sessions that have not changed since this time. */
      readonly changed_since?: string | undefined;
      readonly after?: string | undefined;
      readonly limit?: number | undefined;
    };
    result: { readonly sessions: readonly SessionSummary[]; readonly next: string | null };
  };
  search_sessions: { params: SearchParams; result: SearchPage };
  close_session: {
    params: OfSession & {
      readonly reason?: string | undefined;
      readonly wait?: 'closing' | 'closed' | undefined;
    };
    result: EndAnswer;
  };
}

export const SESSIONS: Operations<SessionOperations> = {
  redact: operation({
    params: z.object({ session_id: sessionId, seq, reason: text(256).optional() }),
    result: record<RedactAnswer>({
      session_id: sessionId,
      seq,
      envelope_id: generatedId,
      redacted: redaction,
      pinned: z.boolean(),
      duplicate,
    }),
    who: 'operator',
    errors: ['not_found', 'forbidden', 'conflict'],
    help: 'Remove the content of an envelope permanently; its seq, sender and a digest stay.',
    retry: 'always',
    about: { seq: 'The envelope.' },
  }),
  get_session: operation({
    params: ofSession,
    result: record<SessionOperations['get_session']['result']>({
      session: sessionMetadata,
      turn: turn.nullable(),
      unavailable: z.string().nullable(),
      public_state: anyObject(),
      tools: z.array(record<TurnTool>({ name: z.string(), description: z.string(), parameters: anyObject() })),
    }),
    who: 'participant',
    errors: ['not_found'],
    help: 'Read the metadata and the turn of a session; of any with the grant `observe`.',
    retry: 'always',
  }),
  list_sessions: operation({
    params: z.object({
      all: flag,
      states: z.array(lifecycleState).optional(),
      type: text(64).optional(),
      ended_since: time.optional(),
      changed_since: time.optional(),
      after: text(256).optional(),
      limit,
    }),
    result: record<SessionOperations['list_sessions']['result']>({
      sessions: z.array(sessionSummary),
      next: text(256).nullable(),
    }),
    who: 'self',
    errors: ['forbidden'],
    help: 'List your sessions, or all with the grant `observe`, newest first, in pages.',
    retry: 'always',
    about: {
      all: 'Also sessions of others; requires `observe`.',
      ended_since: 'Exclude sessions that ended before this time.',
      changed_since: 'Exclude sessions without changes since this time.',
    },
  }),
  search_sessions: operation({
    params: searchParams,
    result: searchPage,
    who: 'self',
    errors: [],
    help: 'Search the envelopes you can read, newest session first; in all sessions with `observe`. Each call searches a part: follow next.',
    retry: 'always',
    about: {
      query: 'The text; case-insensitive.',
      match: 'The whole text, or all its words in any order; absent = `substring`.',
      states: 'Only sessions in one of these states.',
      type: 'Only sessions of this type.',
      labels: 'Only sessions with all of these labels.',
      participant: 'Only sessions with this participant (name or id).',
    },
  }),
  close_session: operation({
    params: z.object({
      session_id: sessionId,
      reason: text(256).optional(),
      wait: z.enum(['closing', 'closed'], { error: 'closing or closed' }).optional(),
    }),
    result: record<EndAnswer>({ state: lifecycleState, close_reason: z.string().nullable() }),
    who: 'active participant',
    errors: ['not_found', 'forbidden'],
    help: 'Close a session; bound participants still get undelivered envelopes.',
    retry: 'always',
  }),
};

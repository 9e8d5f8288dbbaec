/** Operations to read logs, views and pending turns, and to observe. */

import { z } from 'zod';
import type { JsonObject } from '../../lib/json.ts';
import { anyObject, integerBetween, oneOf, record, text } from '../../lib/schema.ts';
import type { ViewMessage } from '../../ports/view.ts';
import { agentRef, count, seq, sessionId } from '../../records/fields.ts';
import type { Envelope } from '../../records/session/envelope.ts';
import { envelope, lifecycleState, viewRef } from '../../records/session/record-schemas.ts';
import type { LifecycleState, ViewRef } from '../../records/session/session.ts';
import { flag, limit, ofSession, operation } from './define-operation.ts';
import type { Operations } from './operation.ts';

interface PendingTurn {
  readonly session_id: string;
  readonly type: string;
  readonly since_seq: number;
}

export interface ReadingOperations {
  pending_turns: {
    params: { readonly after?: string | undefined; readonly limit?: number | undefined };
    result: { readonly turns: readonly PendingTurn[]; readonly next: string | null };
  };
  read_log: {
    params: {
      readonly session_id: string;
      readonly from_seq?: number | undefined;
      readonly limit?: number | undefined;
      readonly reverse?: boolean | undefined;
      /** Includes envelopes addressed to others, in a session of the caller; requires `observe`. */
      readonly all?: boolean | undefined;
    };
    result: { readonly envelopes: readonly Envelope[]; readonly next: number | null; readonly head_seq: number };
  };
  read_view: {
    params: {
      readonly session_id: string;
      readonly view?: { readonly name: string; readonly params?: JsonObject | undefined } | undefined;
      readonly at_seq?: number | undefined;
      /** Read as this participant (name or id); requires `observe`. */
      readonly participant?: string | undefined;
    };
    result: {
      readonly messages: readonly ViewMessage[];
      /** The seq at which the view was rendered. */
      readonly at_seq: number;
      /** The view with all parameters. */
      readonly view: ViewRef;
      /** Number of lines before the shown ones. */
      readonly earlier: number;
      /** The `at_seq` of the next call; null if the answer is complete. */
      readonly next: number | null;
    };
  };
  subscribe: {
    params: { readonly session_id: string; readonly after_seq?: number | undefined };
    result: {
      readonly session_id: string;
      readonly epoch: number;
      /** Observation starts after this seq. */
      readonly after_seq: number;
      readonly head_seq: number;
      readonly state: LifecycleState;
    };
  };
  unsubscribe: { params: { readonly session_id: string }; result: { readonly session_id: string } };
}

const viewMessage = record<ViewMessage>({
  role: oneOf<ViewMessage['role']>({ assistant: 1, user: 1 }),
  content: z.string(),
  seq: seq.nullable(),
  name: text(64).nullable(),
});

export const READING: Operations<ReadingOperations> = {
  pending_turns: operation({
    params: z.object({ after: sessionId.optional(), limit }),
    result: record<ReadingOperations['pending_turns']['result']>({
      turns: z.array(record<PendingTurn>({ session_id: sessionId, type: text(64), since_seq: seq })),
      next: sessionId.nullable(),
    }),
    who: 'self',
    errors: [],
    help: 'List the sessions in which you hold the turn, in pages.',
    retry: 'always',
  }),
  read_log: operation({
    params: z.object({ session_id: sessionId, from_seq: seq.optional(), limit, reverse: flag, all: flag }),
    result: record<ReadingOperations['read_log']['result']>({
      envelopes: z.array(envelope),
      next: seq.nullable(),
      head_seq: seq,
    }),
    who: 'participant',
    errors: ['not_found', 'forbidden'],
    help: 'Read the envelopes you sent or received. The grant `observe` shows all of any session (use `all` in your own).',
    retry: 'always',
    about: {
      from_seq: 'The first seq to read.',
      reverse: 'Read backwards.',
      all: 'Also envelopes addressed to others; requires `observe`.',
    },
  }),
  read_view: operation({
    params: z.object({
      session_id: sessionId,
      view: z.object({ name: text(64), params: anyObject().optional() }).optional(),
      at_seq: seq.optional(),
      participant: agentRef.optional(),
    }),
    result: record<ReadingOperations['read_view']['result']>({
      messages: z.array(viewMessage),
      at_seq: seq,
      view: viewRef,
      earlier: count,
      next: seq.nullable(),
    }),
    who: 'participant',
    errors: ['not_found', 'forbidden'],
    help: 'Render the session as you see it, now or at an earlier seq, as messages for a model. With `observe`, as another sees it.',
    retry: 'always',
    about: {
      view: 'The view; absent = the default of the type.',
      participant: 'Read as this participant (name or id); requires `observe`; absent = yourself.',
    },
  }),
  subscribe: operation({
    params: z.object({
      session_id: sessionId,
      after_seq: integerBetween(0, Number.MAX_SAFE_INTEGER).optional(),
    }),
    result: record<ReadingOperations['subscribe']['result']>({
      session_id: sessionId,
      epoch: count,
      after_seq: count,
      head_seq: seq,
      state: lifecycleState,
    }),
    who: 'observer',
    errors: ['not_found', 'forbidden', 'too_large'],
    help: 'Observe a session: deliver its envelopes on this connection, without receipts.',
    retry: 'always',
    about: { after_seq: 'Start after this seq; absent = from now on.' },
  }),
  unsubscribe: operation({
    params: ofSession,
    result: record<ReadingOperations['unsubscribe']['result']>({ session_id: sessionId }),
    who: 'observer',
    errors: ['not_found', 'forbidden'],
    help: 'Stop observing a session.',
    retry: 'always',
  }),
};

/** Reading what was said: logs, views, one's turns, and observing. */

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
      /** Also what is not for the asker, in a session it is in: with the grant `observe`. */
      readonly all?: boolean | undefined;
    };
    result: { readonly envelopes: readonly Envelope[]; readonly next: number | null; readonly head_seq: number };
  };
  read_view: {
    params: {
      readonly session_id: string;
      readonly view?: { readonly name: string; readonly params?: JsonObject | undefined } | undefined;
      readonly at_seq?: number | undefined;
      /** As this one sees it, by name or id: with the grant `observe`. */
      readonly participant?: string | undefined;
    };
    result: {
      readonly messages: readonly ViewMessage[];
      /** The seq it is the view of. */
      readonly at_seq: number;
      /** The view with its parameters as used. */
      readonly view: ViewRef;
      /** How many lines are before those shown. */
      readonly earlier: number;
      /** Where to read on, as at_seq, if not all that was wanted fitted into the answer. */
      readonly next: number | null;
    };
  };
  subscribe: {
    params: { readonly session_id: string; readonly after_seq?: number | undefined };
    result: {
      readonly session_id: string;
      readonly epoch: number;
      /** The first that comes is the one after this. */
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
    help: 'The sessions in which it is your turn, a page at a time.',
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
    help: 'What was said, as far as it was addressed to you or came from you; with the grant `observe`, all of any session (of one you are in with `all`).',
    retry: 'always',
    about: {
      from_seq: 'Where to begin.',
      reverse: 'From there backwards.',
      all: 'Also those of others; takes the grant `operate`.',
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
    help: 'The session as you see it, now or at an earlier seq: messages for a model; with the grant `observe`, as another sees it.',
    retry: 'always',
    about: {
      view: 'Which view; absent = that of the type.',
      participant: 'As whom (name or id), with the grant `observe`; absent = yourself.',
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
    help: 'Observe a session: every envelope after that seq, or from now on, comes on this connection, without receipts.',
    retry: 'always',
    about: { after_seq: 'The first that comes is the one after this; absent = from now on.' },
  }),
  unsubscribe: operation({
    params: ofSession,
    result: record<ReadingOperations['unsubscribe']['result']>({ session_id: sessionId }),
    who: 'observer',
    errors: ['not_found', 'forbidden'],
    help: 'Observe a session no longer.',
    retry: 'always',
  }),
};

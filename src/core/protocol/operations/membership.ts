/** Operations that create sessions and change their participants, including delegation to a child session. */

import { z } from 'zod';
import type { AddAnswer } from '../../decisions/add-participant.ts';
import type { InviteAnswer } from '../../decisions/membership.ts';
import { record, text } from '../../lib/schema.ts';
import { agentRef, sessionId } from '../../records/fields.ts';
import type { CreateParams } from '../../records/session/create-params.ts';
import { createParams } from '../../records/session/create-schema.ts';
import { lifecycleState, participant, sessionMetadata } from '../../records/session/record-schemas.ts';
import type { SessionMetadata } from '../../records/session/session.ts';
import type { DelegateAnswer, DelegateParams } from '../../records/work/delegation.ts';
import { delegateAnswer, delegateParams } from '../../records/work/delegation-schema.ts';
import { duplicate, ofSession, operation } from './define-operation.ts';
import type { Operations } from './operation.ts';

/** An operator's action on a participant (name or id). */
export interface OperatorParams {
  readonly session_id: string;
  readonly participant: string;
  readonly reason?: string | undefined;
}

interface OfSession {
  readonly session_id: string;
}

export interface MembershipOperations {
  create_session: {
    params: CreateParams;
    result: {
      readonly session: SessionMetadata;
      /** Allowed but probably unintended settings. */
      readonly warnings: readonly string[];
      readonly duplicate?: true;
    };
  };
  delegate: { params: DelegateParams; result: DelegateAnswer };
  ack_invite: { params: OfSession; result: InviteAnswer };
  reject_invite: { params: OfSession & { readonly reason?: string | undefined }; result: InviteAnswer };
  add_participant: {
    params: OfSession & { readonly participant: string; readonly role?: string | undefined };
    result: AddAnswer;
  };
  leave_session: { params: OfSession; result: InviteAnswer };
  return_to_session: { params: OfSession & { readonly participant?: string | undefined }; result: InviteAnswer };
  hide_participant: { params: OperatorParams; result: InviteAnswer };
  remove_participant: { params: OperatorParams; result: InviteAnswer };
}

const operatorParams = z.object({ session_id: sessionId, participant: agentRef, reason: text(256).optional() });
const inviteAnswer = record<InviteAnswer>({ state: lifecycleState });

export const MEMBERSHIP: Operations<MembershipOperations> = {
  create_session: operation({
    params: createParams,
    result: record<MembershipOperations['create_session']['result']>({
      session: sessionMetadata,
      warnings: z.array(z.string()),
      duplicate,
    }),
    who: 'bound',
    errors: ['invalid_create', 'not_found', 'duplicate', 'session_closed', 'too_large', 'forbidden'],
    help: 'Create a session with its participants; by default answers once it is active.',
    retry: 'with a key',
    about: {
      version: 'The version of the type; absent = the newest.',
      participants: 'Names, ids, or `{capability}` for an agent that has it; you are put first.',
      knobs: 'Settings of the session type.',
      labels: 'Free text metadata.',
      intent: 'The purpose; stored as the label `intent`.',
      expectations: 'Replaces the expectations of the session type.',
      required_acks: 'How many invitees must accept before it opens; absent = all.',
      ttl: 'Lifetime; 0 = no limit.',
      invite_timeout: 'How long invitees have to answer.',
      drain_timeout: 'How long unacked envelopes delay the end.',
      parent_session_id: 'The parent; this session ends with it.',
    },
  }),
  delegate: operation({
    params: delegateParams,
    result: delegateAnswer,
    who: 'active participant',
    errors: [
      'not_found',
      'invalid_create',
      'forbidden',
      'protocol_error',
      'session_closed',
      'too_large',
      'rate_limited',
      'duplicate',
    ],
    help: 'Have another agent answer a prompt in a child session, within a budget; answers with the result.',
    retry: 'with a key',
    about: {
      target: 'A name, an id, or `{capability}`.',
      prompt: 'The prompt.',
      budget: 'Maximum spending, in dollars and tokens.',
      timeout: 'How long the target may take.',
    },
  }),
  ack_invite: operation({
    params: ofSession,
    result: inviteAnswer,
    who: 'invitee',
    errors: ['not_found', 'protocol_error', 'session_closed'],
    help: 'Accept an invite and join the session.',
    retry: 'always',
  }),
  reject_invite: operation({
    params: z.object({ session_id: sessionId, reason: text(256).optional() }),
    result: inviteAnswer,
    who: 'invitee',
    errors: ['not_found', 'protocol_error', 'session_closed'],
    help: 'Decline an invite.',
    retry: 'always',
  }),
  add_participant: operation({
    params: z.object({ session_id: sessionId, participant: agentRef, role: text(64).optional() }),
    result: record<AddAnswer>({ state: lifecycleState, participant }),
    who: 'creator',
    errors: ['not_found', 'forbidden', 'protocol_error', 'session_closed'],
    help: 'Invite another participant into a session that has not ended, also one that declined before.',
    retry: 'always',
    about: { participant: 'Name or id.', role: 'Its role.' },
  }),
  leave_session: operation({
    params: ofSession,
    result: inviteAnswer,
    who: 'participant',
    errors: ['not_found', 'protocol_error'],
    help: 'Leave a session permanently.',
    retry: 'always',
  }),
  return_to_session: operation({
    params: z.object({ session_id: sessionId, participant: agentRef.optional() }),
    result: inviteAnswer,
    who: 'participant',
    errors: ['not_found', 'forbidden', 'protocol_error', 'session_closed'],
    help: 'Return to a session in which you were hidden. The grant `operate` allows returning another participant.',
    retry: 'always',
    about: { participant: 'Name or id; requires `operate`; absent = yourself.' },
  }),
  hide_participant: operation({
    params: operatorParams,
    result: inviteAnswer,
    who: 'operator',
    errors: ['not_found', 'forbidden', 'protocol_error', 'session_closed'],
    help: 'Hide an active participant: it gets no turns, still reads, and may return.',
    retry: 'always',
    about: { participant: 'Name or id.' },
  }),
  remove_participant: operation({
    params: operatorParams,
    result: inviteAnswer,
    who: 'operator',
    errors: ['not_found', 'forbidden'],
    help: 'Remove a participant permanently.',
    retry: 'always',
    about: { participant: 'Name or id.' },
  }),
};

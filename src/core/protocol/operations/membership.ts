/** Opening a session, and who takes part in it: invites, participants, delegation to a child session. */

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

/** What an operator does with a participant, by name or id. */
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
      /** What is allowed and probably not meant. */
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
    help: 'Open a session of a type with its participants; by default answers once it is active.',
    retry: 'with a key',
    about: {
      version: 'The version of the type; absent = the newest.',
      participants: 'Names, ids, or `{capability}` for whoever offers it; you are put first.',
      knobs: 'Settings of the type.',
      labels: 'For whoever looks at it.',
      intent: 'What it is for; kept as the label of that name.',
      expectations: 'What it expects, in place of what its type does.',
      required_acks: 'How many have to accept before it begins; absent = all.',
      ttl: 'How long it holds; 0 = without end.',
      invite_timeout: 'How long invitees have.',
      drain_timeout: 'How long unread messages hold back its end.',
      parent_session_id: 'It ends with this one.',
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
    help: 'Have another agent answer a question in a child session, within a budget; answers with what came of it.',
    retry: 'with a key',
    about: {
      target: 'Whom to ask: a name, an id, or `{capability}`.',
      prompt: 'The question.',
      budget: 'What it may spend, in dollars and tokens.',
      timeout: 'How long it may take.',
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
    help: 'Invite one more into a session that has not ended; who declined may be asked again.',
    retry: 'always',
    about: { participant: 'Whom (name or id).', role: 'As what.' },
  }),
  leave_session: operation({
    params: ofSession,
    result: inviteAnswer,
    who: 'participant',
    errors: ['not_found', 'protocol_error'],
    help: 'Leave a session you joined, for good.',
    retry: 'always',
  }),
  return_to_session: operation({
    params: z.object({ session_id: sessionId, participant: agentRef.optional() }),
    result: inviteAnswer,
    who: 'participant',
    errors: ['not_found', 'forbidden', 'protocol_error', 'session_closed'],
    help: 'Come back to your place in a session in which you were hidden; with the grant `operate`, bring back another.',
    retry: 'always',
    about: { participant: 'Whom, with the grant `operate`; absent = yourself.' },
  }),
  hide_participant: operation({
    params: operatorParams,
    result: inviteAnswer,
    who: 'operator',
    errors: ['not_found', 'forbidden', 'protocol_error', 'session_closed'],
    help: 'Take an active participant out of the rotation; it reads on and may return.',
    retry: 'always',
    about: { participant: 'Whom (name or id).' },
  }),
  remove_participant: operation({
    params: operatorParams,
    result: inviteAnswer,
    who: 'operator',
    errors: ['not_found', 'forbidden'],
    help: 'Take a participant out of a session for good.',
    retry: 'always',
    about: { participant: 'Whom (name or id).' },
  }),
};

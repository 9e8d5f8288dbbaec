/**
 * What each operation answers, as schemas. The hub does not parse its own answers: the tests do, with every call of a
 * testing Peer, and docs and clients of other languages are made from them.
 */

import { z } from 'zod';
import type { TurnTool } from './ports/adapter.ts';
import type { AddAnswer } from './decisions/add-participant.ts';
import type { PostAnswer } from './decisions/admit.ts';
import { CONSOLE_RESULTS } from './console-schemas.ts';
import { delegateAnswer } from './records/work/delegation-schema.ts';
import type { EndAnswer } from './decisions/end-session.ts';
import { WIRE_CODES, type WireCode } from './lib/errors.ts';
import { foundAgent, resume, skill } from './identity-schemas.ts';
import type { InviteAnswer } from './decisions/membership.ts';
import type { Health, OperationName, RedactAnswer, Result, SessionSummary } from './operations.ts';
import type { FailureAnswer, ProgressAnswer } from './decisions/progress.ts';
import {
  agentName,
  count,
  envelope,
  lifecycleState,
  madeId,
  participant,
  passport,
  redaction,
  seq,
  sessionId,
  sessionMetadata,
  time,
  turn,
  viewRef,
} from './records/session/record-schemas.ts';
import { ruleRecord } from './rule-schemas.ts';
import { schedule } from './schedule-schemas.ts';
import { anyObject, oneOf, record, text, texts } from './lib/schema.ts';
import { searchPage } from './search-schemas.ts';
import { cancelAnswer, resumedTask, taskAnswer, taskPage, taskWithData } from './task-schemas.ts';
import { newToken, tokenId, tokenRecord } from './records/access/token-schema.ts';
import type { ViewMessage } from './ports/view.ts';

const inviteAnswer = record<InviteAnswer>({ state: lifecycleState });
const duplicate = z.literal(true).exactOptional();

const sessionSummary = record<SessionSummary>({
  session_id: sessionId,
  type: text(64),
  state: lifecycleState,
  creator_id: madeId,
  created_at: time,
  changed_at: time,
  closed_at: time.nullable(),
  close_reason: z.string().nullable(),
  labels: texts(),
  head_seq: seq,
  turn: turn.nullable(),
});

const viewMessage = record<ViewMessage>({
  role: oneOf<ViewMessage['role']>({ assistant: 1, user: 1 }),
  content: z.string(),
  seq: seq.nullable(),
  name: text(64).nullable(),
});

export const RESULTS: { readonly [Name in OperationName]: z.ZodType<Result<Name>> } = {
  register: passport,
  unregister: record<Result<'unregister'>>({ agent_id: madeId }),
  list_agents: record<Result<'list_agents'>>({ agents: z.array(passport), next: agentName.nullable() }),
  create_session: record<Result<'create_session'>>({
    session: sessionMetadata,
    warnings: z.array(z.string()),
    duplicate,
  }),
  find_agent: record<Result<'find_agent'>>({ agents: z.array(foundAgent), next: agentName.nullable() }),
  get_resume: resume,
  set_resume: resume,
  get_skill: skill,
  set_skill: skill,
  get_rule: ruleRecord,
  set_rule: ruleRecord,
  delegate: delegateAnswer,
  ack_invite: inviteAnswer,
  reject_invite: inviteAnswer,
  add_participant: record<AddAnswer>({ state: lifecycleState, participant }),
  leave_session: inviteAnswer,
  return_to_session: inviteAnswer,
  hide_participant: inviteAnswer,
  remove_participant: inviteAnswer,
  redact: record<RedactAnswer>({
    session_id: sessionId,
    seq,
    envelope_id: madeId,
    redacted: redaction,
    pinned: z.boolean(),
    duplicate,
  }),
  get_session: record<Result<'get_session'>>({
    session: sessionMetadata,
    turn: turn.nullable(),
    unavailable: z.string().nullable(),
    public_state: anyObject(),
    tools: z.array(record<TurnTool>({ name: z.string(), description: z.string(), parameters: anyObject() })),
  }),
  list_sessions: record<Result<'list_sessions'>>({ sessions: z.array(sessionSummary), next: text(256).nullable() }),
  search_sessions: searchPage,
  close_session: record<EndAnswer>({ state: lifecycleState, close_reason: z.string().nullable() }),
  post: record<PostAnswer>({ envelope_id: madeId, seq, created_at: time, turn: turn.nullable(), duplicate }),
  can_send: record<Result<'can_send'>>({
    can: z.boolean(),
    code: oneOf<WireCode>(WIRE_CODES).nullable(),
    why: z.string().nullable(),
    turn: turn.nullable(),
  }),
  report_progress: record<ProgressAnswer>({ logged: z.boolean() }),
  report_turn_failure: record<FailureAnswer>({ seq }),
  start_task: taskAnswer,
  progress_task: record<ProgressAnswer>({ logged: z.boolean() }),
  checkpoint_task: taskAnswer,
  resume_task: resumedTask,
  complete_task: taskAnswer,
  fail_task: taskAnswer,
  cancel_task: cancelAnswer,
  get_task: taskWithData,
  list_tasks: taskPage,
  pending_turns: record<Result<'pending_turns'>>({
    turns: z.array(
      record<Result<'pending_turns'>['turns'][number]>({ session_id: sessionId, type: text(64), since_seq: seq }),
    ),
    next: sessionId.nullable(),
  }),
  read_log: record<Result<'read_log'>>({ envelopes: z.array(envelope), next: seq.nullable(), head_seq: seq }),
  read_view: record<Result<'read_view'>>({
    messages: z.array(viewMessage),
    at_seq: seq,
    view: viewRef,
    earlier: count,
    next: seq.nullable(),
  }),
  subscribe: record<Result<'subscribe'>>({
    session_id: sessionId,
    epoch: count,
    after_seq: count,
    head_seq: seq,
    state: lifecycleState,
  }),
  unsubscribe: record<Result<'unsubscribe'>>({ session_id: sessionId }),
  create_token: newToken,
  list_tokens: record<Result<'list_tokens'>>({ tokens: z.array(tokenRecord), next: tokenId.nullable() }),
  revoke_token: record<Result<'revoke_token'>>({ token_id: tokenId }),
  create_schedule: schedule,
  get_schedule: schedule,
  list_schedules: record<Result<'list_schedules'>>({ schedules: z.array(schedule), next: madeId.nullable() }),
  update_schedule: schedule,
  delete_schedule: record<Result<'delete_schedule'>>({ schedule_id: madeId }),
  ...CONSOLE_RESULTS,
  health: record<Health>({
    ready: z.boolean(),
    reason: z.string().nullable(),
    hub_id: text(128),
    time,
    sessions: record<Health['sessions']>({ live: count, loaded: count, unavailable: count }),
    bound: count,
    connections: count,
    staged_units: count,
    staged_bytes: count,
  }),
};

/** One record per operation: its parameters, its result, who may, what it is for. Everything else is made from this table. */

import { z } from 'zod';
import type { TurnTool } from './ports/adapter.ts';
import type { AddAnswer } from './decisions/add-participant.ts';
import type { PostAnswer } from './decisions/admit.ts';
import type { ConsoleOperationTypes } from './console-operations.ts';
import { CONSOLE_PARAMS } from './console-schemas.ts';
import { createParams } from './records/session/create-schema.ts';
import type { DelegateAnswer, DelegateParams } from './records/work/delegation.ts';
import { delegateParams } from './records/work/delegation-schema.ts';
import type { EndAnswer } from './decisions/end-session.ts';
import type { Envelope, Priority, Turn } from './records/session/envelope.ts';
import type { WireCode } from './lib/errors.ts';
import type { AgentQuery, FoundAgent } from './records/identity/find-agent.ts';
import { aboutAgentParams, findAgentParams, setResumeParams, setSkillParams } from './identity-schemas.ts';
import type { JsonObject } from './lib/json.ts';
import type { InviteAnswer } from './decisions/membership.ts';
import { RESULTS } from './operation-results.ts';
import type { Passport, PassportClaim } from './records/identity/passport.ts';
import { postParams } from './protocol/operations/posting.ts';
import type { FailureAnswer, ProgressAnswer } from './decisions/progress.ts';
import { agentRef, eventType, lifecycleState, passportClaim, seq, sessionId, time } from './records/session/record-schemas.ts';
import type { Redaction } from './records/session/redaction.ts';
import type { Resume, ResumeClaim } from './records/identity/resume-schema.ts';
import type { RuleChange, RuleRecord } from './records/access/rule.ts';
import { setRuleParams } from './rule-schemas.ts';
import type { Schedule, ScheduleChange, ScheduleClaim } from './records/work/schedule.ts';
import {
  aboutScheduleParams,
  createScheduleParams,
  listSchedulesParams,
  updateScheduleParams,
} from './schedule-schemas.ts';
import { anyObject, schemaOf, text, whole } from './lib/schema.ts';
import type { Schema } from './lib/schema-contract.ts';
import type { SearchPage, SearchParams } from './records/session/search.ts';
import { searchParams } from './search-schemas.ts';
import type { ExpectationEntry, LifecycleState, SessionMetadata, ViewRef } from './records/session/session.ts';
import type { Skill } from './records/identity/skill.ts';
import type { CancelAnswer, TaskAnswer } from './decisions/task-decisions.ts';
import type {
  ListTasksParams,
  ResumedTask,
  StartTaskParams,
  TaskPage,
  TaskRef,
  TaskWithData,
} from './task-operations.ts';
import { TASK_PARAMS } from './task-schemas.ts';
import { tokenClaim, tokenId } from './records/access/token-schema.ts';
import type { NewToken, TokenClaim, TokenRecord } from './records/access/tokens.ts';
import type { ViewMessage } from './ports/view.ts';

/** A time such as "30s", "15m", "2h", "1d" or seconds; 0 = off. */
export type Duration = string | number;

/** A name, an agent id, or one who offers the capability: of these who is connected comes first, then by name. */
export type ParticipantRef = string | { readonly capability: string };

export interface CreateParams {
  readonly type: string;
  readonly version?: number | undefined;
  /** Names, agent ids, or whoever offers a capability; the creator is put first unless it is listed. */
  readonly participants: readonly ParticipantRef[];
  readonly knobs?: JsonObject | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Kept as labels.intent. */
  readonly intent?: string | undefined;
  readonly expectations?: readonly ExpectationEntry[] | undefined;
  readonly required_acks?: number | undefined;
  readonly ttl?: Duration | undefined;
  readonly invite_timeout?: Duration | undefined;
  readonly drain_timeout?: Duration | undefined;
  readonly parent_session_id?: string | undefined;
  readonly idempotency_key?: string | undefined;
  readonly wait?: 'active' | 'created' | undefined;
}

export interface PostParams {
  readonly session_id: string;
  readonly event_type: string;
  readonly event_data: JsonObject;
  readonly audience?: readonly string[] | null | undefined;
  readonly causation_id?: string | null | undefined;
  readonly task_id?: string | null | undefined;
  readonly traceparent?: string | null | undefined;
  readonly priority?: Priority | undefined;
  readonly idempotency_key?: string | null | undefined;
  readonly ttl_seconds?: number | null | undefined;
  readonly expected_seq?: number | undefined;
}

/** What an operator does with a participant, by name or id. */
export interface OperatorParams {
  readonly session_id: string;
  readonly participant: string;
  readonly reason?: string | undefined;
}

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
  /** The state is kept: the bytes go at the next archive after the session has ended. */
  readonly pinned: boolean;
  /** It was redacted before. */
  readonly duplicate?: true;
}

/** A session in a list: enough to choose one. */
export interface SessionSummary {
  readonly session_id: string;
  readonly type: string;
  readonly state: LifecycleState;
  readonly creator_id: string;
  readonly created_at: string;
  /** When something was last added to its log. */
  readonly changed_at: string;
  readonly closed_at: string | null;
  readonly close_reason: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly head_seq: number;
  readonly turn: Turn | null;
}

export interface Health {
  readonly ready: boolean;
  readonly reason: string | null;
  readonly hub_id: string;
  readonly time: string;
  readonly sessions: { readonly live: number; readonly loaded: number; readonly unavailable: number };
  readonly bound: number;
  readonly connections: number;
  readonly staged_units: number;
  readonly staged_bytes: number;
}

export interface OperationTypes extends ConsoleOperationTypes {
  register: { params: PassportClaim; result: Passport };
  unregister: { params: { readonly name?: string | undefined }; result: { readonly agent_id: string } };
  list_agents: {
    params: { readonly after?: string | undefined; readonly limit?: number | undefined };
    result: { readonly agents: readonly Passport[]; readonly next: string | null };
  };
  create_session: {
    params: CreateParams;
    result: {
      readonly session: SessionMetadata;
      /** What is allowed and probably not meant. */
      readonly warnings: readonly string[];
      readonly duplicate?: true;
    };
  };
  find_agent: {
    params: AgentQuery & { readonly after?: string | undefined; readonly limit?: number | undefined };
    result: { readonly agents: readonly FoundAgent[]; readonly next: string | null };
  };
  get_resume: { params: { readonly agent?: string | undefined }; result: Resume };
  set_resume: { params: ResumeClaim & { readonly expected_version?: number | undefined }; result: Resume };
  get_skill: { params: { readonly agent?: string | undefined }; result: Skill };
  /** null = none of one's own any more. */
  set_skill: { params: { readonly text: string | null }; result: Skill };
  get_rule: { params: { readonly agent?: string | undefined }; result: RuleRecord };
  set_rule: {
    params: {
      readonly agent?: string | undefined;
      readonly rule: RuleChange;
      readonly expected_version?: number | undefined;
    };
    result: RuleRecord;
  };
  delegate: { params: DelegateParams; result: DelegateAnswer };
  ack_invite: { params: { readonly session_id: string }; result: InviteAnswer };
  reject_invite: {
    params: { readonly session_id: string; readonly reason?: string | undefined };
    result: InviteAnswer;
  };
  add_participant: {
    params: { readonly session_id: string; readonly participant: string; readonly role?: string | undefined };
    result: AddAnswer;
  };
  leave_session: { params: { readonly session_id: string }; result: InviteAnswer };
  return_to_session: {
    params: { readonly session_id: string; readonly participant?: string | undefined };
    result: InviteAnswer;
  };
  hide_participant: { params: OperatorParams; result: InviteAnswer };
  remove_participant: { params: OperatorParams; result: InviteAnswer };
  redact: { params: RedactParams; result: RedactAnswer };
  get_session: {
    params: { readonly session_id: string };
    result: {
      readonly session: SessionMetadata;
      readonly turn: Turn | null;
      readonly unavailable: string | null;
      /** What its type shows you of its state; {} while it is unavailable, and for who has not joined or is out. */
      readonly public_state: JsonObject;
      /** What you may call to pass your turn on, as its type offers it now; [] unless you have the turn. */
      readonly tools: readonly TurnTool[];
    };
  };
  list_sessions: {
    params: {
      /** Also those of others: with the grant `observe`. */
      readonly all?: boolean | undefined;
      readonly states?: readonly LifecycleState[] | undefined;
      readonly type?: string | undefined;
      /** Not those that ended before this time. */
      readonly ended_since?: string | undefined;
      /** Not those to whose log nothing was added since this time. */
      readonly changed_since?: string | undefined;
      readonly after?: string | undefined;
      readonly limit?: number | undefined;
    };
    result: { readonly sessions: readonly SessionSummary[]; readonly next: string | null };
  };
  search_sessions: { params: SearchParams; result: SearchPage };
  close_session: {
    params: {
      readonly session_id: string;
      readonly reason?: string | undefined;
      readonly wait?: 'closing' | 'closed' | undefined;
    };
    result: EndAnswer;
  };
  post: { params: PostParams; result: PostAnswer };
  can_send: {
    params: { readonly session_id: string; readonly event_type?: string | undefined };
    result: {
      readonly can: boolean;
      readonly code: WireCode | null;
      readonly why: string | null;
      readonly turn: Turn | null;
    };
  };
  report_progress: {
    params: { readonly session_id: string; readonly note?: string | undefined };
    result: ProgressAnswer;
  };
  report_turn_failure: { params: { readonly session_id: string; readonly reason: string }; result: FailureAnswer };
  start_task: { params: StartTaskParams; result: TaskAnswer };
  progress_task: {
    params: TaskRef & { readonly progress: number | null; readonly note?: string | undefined };
    result: ProgressAnswer;
  };
  checkpoint_task: { params: TaskRef & { readonly data: JsonObject }; result: TaskAnswer };
  resume_task: { params: TaskRef; result: ResumedTask };
  complete_task: { params: TaskRef & { readonly result?: JsonObject | undefined }; result: TaskAnswer };
  fail_task: {
    params: TaskRef & { readonly reason: string; readonly result?: JsonObject | undefined };
    result: TaskAnswer;
  };
  cancel_task: { params: TaskRef & { readonly reason?: string | undefined }; result: CancelAnswer };
  get_task: { params: TaskRef; result: TaskWithData };
  list_tasks: { params: ListTasksParams; result: TaskPage };
  pending_turns: {
    params: { readonly after?: string | undefined; readonly limit?: number | undefined };
    result: {
      readonly turns: readonly { readonly session_id: string; readonly type: string; readonly since_seq: number }[];
      readonly next: string | null;
    };
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
  create_token: { params: TokenClaim; result: NewToken };
  list_tokens: {
    params: { readonly after?: string | undefined; readonly limit?: number | undefined };
    result: { readonly tokens: readonly TokenRecord[]; readonly next: string | null };
  };
  revoke_token: { params: { readonly token_id: string }; result: { readonly token_id: string } };
  create_schedule: { params: ScheduleClaim; result: Schedule };
  get_schedule: { params: { readonly schedule_id: string }; result: Schedule };
  list_schedules: {
    params: {
      /** Also those of others: with the grant `operate`. */
      readonly all?: boolean | undefined;
      readonly after?: string | undefined;
      readonly limit?: number | undefined;
    };
    result: { readonly schedules: readonly Schedule[]; readonly next: string | null };
  };
  update_schedule: { params: { readonly schedule_id: string } & ScheduleChange; result: Schedule };
  delete_schedule: { params: { readonly schedule_id: string }; result: { readonly schedule_id: string } };
  health: { params: Record<string, never>; result: Health };
}

export type OperationName = keyof OperationTypes;
export type Params<Name extends OperationName> = OperationTypes[Name]['params'];
export type Result<Name extends OperationName> = OperationTypes[Name]['result'];

/**
 * anyone = also an unbound connection; bound = any identity; self = only for itself, unless it has a grant; participant =
 * of that session; owner = of that task; operator, observer, enroller = who has the grant `operate`, `observe`, `enrol`.
 */
export type Who =
  | 'anyone'
  | 'bound'
  | 'self'
  | 'participant'
  | 'active participant'
  | 'invitee'
  | 'creator'
  | 'owner'
  | 'operator'
  | 'observer'
  | 'enroller';

export interface Operation<Name extends OperationName> {
  readonly name: Name;
  readonly params: Schema<Params<Name>>;
  /** A contract for peers and tests; the hub spends no time on checking its own answers. */
  readonly result: Schema<Result<Name>>;
  readonly who: Who;
  /** Codes of its own, beside bad_frame, unauthenticated, timeout, unavailable and internal, which any may give. */
  readonly errors: readonly WireCode[];
  readonly help: string;
}

const limit = whole(1, 1000).optional();
const flag = z.boolean({ error: 'true or false' }).optional();
const operatorParams = z.object({ session_id: sessionId, participant: agentRef, reason: text(256).optional() });
const nothing: z.ZodType<Record<string, never>> = z.object({});

export const OPERATIONS: { readonly [Name in OperationName]: Operation<Name> } = {
  register: operation(
    'register',
    passportClaim,
    'anyone',
    ['conflict', 'forbidden'],
    'Make a new identity and bind it to this connection.',
  ),
  unregister: operation(
    'unregister',
    z.object({ name: agentRef.optional() }),
    'self',
    ['forbidden', 'not_found'],
    'Leave every live session and retire the identity; its name is never given to another.',
  ),
  list_agents: operation(
    'list_agents',
    z.object({ after: agentRef.optional(), limit }),
    'bound',
    [],
    'The registered agents by name, a page at a time.',
  ),
  find_agent: operation(
    'find_agent',
    findAgentParams,
    'bound',
    [],
    'The agents that fit all that is asked, by name, a page at a time; follow next also from a page without any.',
  ),
  get_resume: operation(
    'get_resume',
    aboutAgentParams,
    'bound',
    ['not_found'],
    'What an agent says it can do, and what was seen of it; the newest version.',
  ),
  set_resume: operation(
    'set_resume',
    setResumeParams,
    'self',
    ['conflict', 'not_found'],
    'Say what you can do; what is left out stays, and every change is a new version.',
  ),
  get_skill: operation(
    'get_skill',
    aboutAgentParams,
    'bound',
    ['not_found'],
    'How to work with an agent: its SKILL.md, or one rendered from its passport and resume.',
  ),
  set_skill: operation(
    'set_skill',
    setSkillParams,
    'self',
    ['too_large', 'not_found'],
    'Say how to work with you: a SKILL.md, with or without front matter; null clears it.',
  ),
  get_rule: operation(
    'get_rule',
    aboutAgentParams,
    'self',
    ['not_found', 'forbidden'],
    'With whom an agent may talk and how much: your own, or with the grant `rules` any.',
  ),
  set_rule: operation(
    'set_rule',
    setRuleParams,
    'self',
    ['not_found', 'forbidden', 'conflict'],
    'Tighten your own rule; to loosen it, or for another’s, the grant `rules` is needed. What is left out stays.',
  ),
  create_session: operation(
    'create_session',
    createParams,
    'bound',
    ['invalid_create', 'not_found', 'duplicate', 'session_closed', 'too_large', 'forbidden'],
    'Open a session of a type with its participants; by default answers once it is active.',
  ),
  delegate: operation(
    'delegate',
    delegateParams,
    'active participant',
    [
      'not_found',
      'invalid_create',
      'forbidden',
      'protocol_error',
      'session_closed',
      'too_large',
      'rate_limited',
      'duplicate',
    ],
    'Have another agent answer a question in a child session, within a budget; answers with what came of it.',
  ),
  ack_invite: operation(
    'ack_invite',
    z.object({ session_id: sessionId }),
    'invitee',
    ['not_found', 'protocol_error', 'session_closed'],
    'Accept an invite and join the session.',
  ),
  reject_invite: operation(
    'reject_invite',
    z.object({ session_id: sessionId, reason: text(256).optional() }),
    'invitee',
    ['not_found', 'protocol_error', 'session_closed'],
    'Decline an invite.',
  ),
  add_participant: operation(
    'add_participant',
    z.object({ session_id: sessionId, participant: agentRef, role: text(64).optional() }),
    'creator',
    ['not_found', 'forbidden', 'protocol_error', 'session_closed'],
    'Invite one more into a session that has not ended; who declined may be asked again.',
  ),
  leave_session: operation(
    'leave_session',
    z.object({ session_id: sessionId }),
    'participant',
    ['not_found', 'protocol_error'],
    'Leave a session you joined, for good.',
  ),
  return_to_session: operation(
    'return_to_session',
    z.object({ session_id: sessionId, participant: agentRef.optional() }),
    'participant',
    ['not_found', 'forbidden', 'protocol_error', 'session_closed'],
    'Come back to your place in a session in which you were hidden; with the grant `operate`, bring back another.',
  ),
  hide_participant: operation(
    'hide_participant',
    operatorParams,
    'operator',
    ['not_found', 'forbidden', 'protocol_error', 'session_closed'],
    'Take an active participant out of the rotation; it reads on and may return.',
  ),
  remove_participant: operation(
    'remove_participant',
    operatorParams,
    'operator',
    ['not_found', 'forbidden'],
    'Take a participant out of a session for good.',
  ),
  redact: operation(
    'redact',
    z.object({ session_id: sessionId, seq, reason: text(256).optional() }),
    'operator',
    ['not_found', 'forbidden', 'conflict'],
    'Hide what an envelope says, for good and from everybody; its place, sender and digest stay.',
  ),
  get_session: operation(
    'get_session',
    z.object({ session_id: sessionId }),
    'participant',
    ['not_found'],
    'The metadata of a session, and whose turn it is; with the grant `observe`, of any.',
  ),
  list_sessions: operation(
    'list_sessions',
    z.object({
      all: flag,
      states: z.array(lifecycleState).optional(),
      type: text(64).optional(),
      ended_since: time.optional(),
      changed_since: time.optional(),
      after: text(256).optional(),
      limit,
    }),
    'self',
    ['forbidden'],
    'Your sessions, or with the grant `observe` all, newest first, a page at a time.',
  ),
  search_sessions: operation(
    'search_sessions',
    searchParams,
    'self',
    [],
    'Look for a text in what you can read, newest session first; with the grant `observe`, in every session. One call does a part of it.',
  ),
  close_session: operation(
    'close_session',
    z.object({
      session_id: sessionId,
      reason: text(256).optional(),
      wait: z.enum(['closing', 'closed'], { error: 'closing or closed' }).optional(),
    }),
    'active participant',
    ['not_found', 'forbidden'],
    'Close a session; those present still get what was said.',
  ),
  post: operation(
    'post',
    postParams,
    'active participant',
    [
      'not_found',
      'duplicate',
      'session_closed',
      'protocol_error',
      'not_your_turn',
      'conflict',
      'too_large',
      'forbidden',
      'rate_limited',
      'inbox_full',
    ],
    'Say something in a session.',
  ),
  can_send: operation(
    'can_send',
    z.object({ session_id: sessionId, event_type: eventType.optional() }),
    'participant',
    ['not_found'],
    'Would a message of yours be accepted now, and if not, why.',
  ),
  report_progress: operation(
    'report_progress',
    z.object({ session_id: sessionId, note: text(1024).optional() }),
    'active participant',
    ['not_found', 'not_your_turn', 'session_closed'],
    'Say that you are at work on your turn, so that it lasts longer.',
  ),
  report_turn_failure: operation(
    'report_turn_failure',
    z.object({ session_id: sessionId, reason: text(1024) }),
    'active participant',
    ['not_found', 'not_your_turn', 'session_closed'],
    'Say that you cannot take your turn; expectations with on_failure are violated at once.',
  ),
  start_task: operation(
    'start_task',
    TASK_PARAMS.start_task,
    'active participant',
    ['not_found', 'duplicate', 'session_closed', 'protocol_error', 'forbidden', 'rate_limited'],
    'Say what you work on, for whom and for how long; it is your task until it ends.',
  ),
  progress_task: operation(
    'progress_task',
    TASK_PARAMS.progress_task,
    'owner',
    ['not_found', 'forbidden', 'conflict', 'rate_limited'],
    'Say how far your task is; logged every 10 seconds at most.',
  ),
  checkpoint_task: operation(
    'checkpoint_task',
    TASK_PARAMS.checkpoint_task,
    'owner',
    ['not_found', 'forbidden', 'conflict', 'too_large', 'rate_limited'],
    'Keep what you need to go on with your task later; the newest counts.',
  ),
  resume_task: operation(
    'resume_task',
    TASK_PARAMS.resume_task,
    'owner',
    ['not_found', 'forbidden', 'conflict', 'rate_limited'],
    'Go on with your task; gives back what you kept last.',
  ),
  complete_task: operation(
    'complete_task',
    TASK_PARAMS.complete_task,
    'owner',
    ['not_found', 'forbidden', 'conflict', 'too_large', 'rate_limited'],
    'End your task with its result.',
  ),
  fail_task: operation(
    'fail_task',
    TASK_PARAMS.fail_task,
    'owner',
    ['not_found', 'forbidden', 'conflict', 'too_large', 'rate_limited'],
    'End your task without what was wanted, and say why.',
  ),
  cancel_task: operation(
    'cancel_task',
    TASK_PARAMS.cancel_task,
    'active participant',
    ['not_found', 'forbidden', 'conflict', 'session_closed', 'protocol_error', 'rate_limited'],
    'End your task unfinished, or ask the owner of another to.',
  ),
  get_task: operation(
    'get_task',
    TASK_PARAMS.get_task,
    'participant',
    ['not_found', 'forbidden'],
    'How a task stands, with its result and, for its owner, what it kept.',
  ),
  list_tasks: operation(
    'list_tasks',
    TASK_PARAMS.list_tasks,
    'participant',
    ['not_found', 'forbidden'],
    'The tasks of a session, or those under way in all of yours, a page at a time.',
  ),
  pending_turns: operation(
    'pending_turns',
    z.object({ after: sessionId.optional(), limit }),
    'self',
    [],
    'The sessions in which it is your turn, a page at a time.',
  ),
  read_log: operation(
    'read_log',
    z.object({
      session_id: sessionId,
      from_seq: whole(1, Number.MAX_SAFE_INTEGER).optional(),
      limit,
      reverse: flag,
      all: flag,
    }),
    'participant',
    ['not_found', 'forbidden'],
    'What was said, as far as it was addressed to you or came from you; with the grant `observe`, all of any session (of one you are in with `all`).',
  ),
  read_view: operation(
    'read_view',
    z.object({
      session_id: sessionId,
      view: z.object({ name: text(64), params: anyObject().optional() }).optional(),
      at_seq: whole(1, Number.MAX_SAFE_INTEGER).optional(),
      participant: agentRef.optional(),
    }),
    'participant',
    ['not_found', 'forbidden'],
    'The session as you see it, now or at an earlier seq: messages for a model; with the grant `observe`, as another sees it.',
  ),
  subscribe: operation(
    'subscribe',
    z.object({ session_id: sessionId, after_seq: whole(0, Number.MAX_SAFE_INTEGER).optional() }),
    'observer',
    ['not_found', 'forbidden', 'too_large'],
    'Observe a session: every envelope after that seq, or from now on, comes on this connection, without receipts.',
  ),
  unsubscribe: operation(
    'unsubscribe',
    z.object({ session_id: sessionId }),
    'observer',
    ['not_found', 'forbidden'],
    'Observe a session no longer.',
  ),
  create_schedule: operation(
    'create_schedule',
    createScheduleParams,
    'bound',
    ['conflict', 'invalid_create', 'too_large', 'forbidden'],
    'Open a session from a template at the times of a cron expression in a time zone.',
  ),
  get_schedule: operation(
    'get_schedule',
    aboutScheduleParams,
    'self',
    ['not_found'],
    'A schedule of yours, or with the grant `operate` any: when it runs next, and how it last went.',
  ),
  list_schedules: operation(
    'list_schedules',
    listSchedulesParams,
    'self',
    ['forbidden'],
    'Your schedules, or with the grant `operate` all, a page at a time.',
  ),
  update_schedule: operation(
    'update_schedule',
    updateScheduleParams,
    'self',
    ['not_found', 'conflict', 'invalid_create', 'too_large', 'forbidden'],
    'Change, pause or resume a schedule of yours; what is left out stays. With the grant `operate` any can be paused.',
  ),
  delete_schedule: operation(
    'delete_schedule',
    aboutScheduleParams,
    'self',
    ['not_found'],
    'End a schedule of yours, or with the grant `operate` any; sessions it opened go on.',
  ),
  create_token: operation(
    'create_token',
    tokenClaim,
    'enroller',
    ['forbidden', 'too_large'],
    'Make a token: for one name, or for names that are registered with it; its secret is told this once.',
  ),
  list_tokens: operation(
    'list_tokens',
    z.object({ after: tokenId.optional(), limit }),
    'enroller',
    ['forbidden'],
    'The tokens there are, without their secrets, a page at a time.',
  ),
  revoke_token: operation(
    'revoke_token',
    z.object({ token_id: tokenId }),
    'enroller',
    ['forbidden', 'not_found'],
    'Take a token back; whoever speaks with it is sent away.',
  ),
  whoami: operation(
    'whoami',
    CONSOLE_PARAMS.whoami,
    'self',
    [],
    'Who you are to the hub, and which grants you ask with.',
  ),
  list_types: operation(
    'list_types',
    CONSOLE_PARAMS.list_types,
    'bound',
    [],
    'The session types there are, the newest version of each: their manifests, and what graphs of theirs may name.',
  ),
  describe_sessions: operation(
    'describe_sessions',
    CONSOLE_PARAMS.describe_sessions,
    'participant',
    [],
    'How these sessions stand: who is in them, whose turn it is and since when, what is due next, what they cost. Those you may not see are left out; with the grant `observe`, of any.',
  ),
  read_state: operation(
    'read_state',
    CONSOLE_PARAMS.read_state,
    'participant',
    ['not_found', 'forbidden'],
    'A session as it is, or was at a seq: metadata, turn, what its type shows of its state, what is expected until when; with the grant `observe`, of any.',
  ),
  check_graph: operation(
    'check_graph',
    CONSOLE_PARAMS.check_graph,
    'bound',
    ['not_found'],
    'What is wrong with a graph, and how it is drawn; nothing is made of it.',
  ),
  hub_figures: operation(
    'hub_figures',
    CONSOLE_PARAMS.hub_figures,
    'observer',
    ['forbidden'],
    'How the hub is doing: rates of the last minute, who is slow, who is waited for, and how much each agent has to do.',
  ),
  read_feed: operation(
    'read_feed',
    CONSOLE_PARAMS.read_feed,
    'observer',
    ['forbidden'],
    'What went wrong and what was done, newest first: violations with the grant `observe`, audit records with `operate`. Follow next also from a page without any.',
  ),
  health: operation('health', nothing, 'anyone', [], 'Whether the hub takes posts, and how much it holds.'),
};

export function isOperation(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name);
}

function operation<Name extends OperationName>(
  name: Name,
  params: z.ZodType<Params<Name>> | Schema<Params<Name>>,
  who: Who,
  errors: readonly WireCode[],
  help: string,
): Operation<Name> {
  const schema = params instanceof z.ZodType ? schemaOf(params) : params;
  return { name, params: schema, result: schemaOf(RESULTS[name]), who, errors, help };
}

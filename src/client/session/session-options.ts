/** The options of a session handle's methods, in the caller's words, and their checks. */

import type { JsonObject } from '../../core/lib/json.ts';
import type { PostParams } from '../../core/protocol/operations/posting.ts';
import type { Duration } from '../../core/records/session/create-params.ts';
import type { DelegateParams } from '../../core/records/work/delegation.ts';
import type { TaskState } from '../../core/records/work/tasks.ts';
import { CALL_OPTIONS, type CallOptions } from '../connection/requests.ts';
import { WAIT_OPTIONS, type WaitOptions } from '../lib/inbox.ts';
import { nameListCheck, type OptionChecks, optional } from '../lib/option-checks.ts';

/** What can be said beside plain text, as it travels. */
export type Content = Pick<
  PostParams,
  'event_type' | 'event_data' | 'audience' | 'task_id' | 'traceparent' | 'priority' | 'ttl_seconds'
>;

export interface SendOptions extends CallOptions {
  /** The idempotency key; a send repeated under its key is accepted once. Made up unless given. */
  readonly key?: string | undefined;
  /** Refuse (`conflict`) unless this is the newest seq of the session. */
  readonly expectedSeq?: number | undefined;
  /** The envelope this one answers. */
  readonly causationId?: string | undefined;
  /** Only these hear it: names or ids. */
  readonly to?: readonly string[] | undefined;
}

export interface CloseOptions extends CallOptions {
  /** closing = once nothing more is accepted (default); closed = once everyone present has heard it. */
  readonly wait?: 'closing' | 'closed' | undefined;
}

export interface AddOptions extends CallOptions {
  /** One of the roles of the session type; `participant` unless told. */
  readonly role?: string | undefined;
}

export interface OperatorOptions extends CallOptions {
  /** Why, for everyone in the session to read. */
  readonly reason?: string | undefined;
}

export interface LogOptions {
  readonly fromSeq?: number | undefined;
  /** Newest first. */
  readonly reverse?: boolean | undefined;
  /** Envelopes asked for at once. */
  readonly pageSize?: number | undefined;
}

export interface ViewOptions extends CallOptions {
  /** A view by name, with its parameters. */
  readonly view?: { readonly name: string; readonly params?: JsonObject | undefined } | undefined;
  /** What it showed when this was the newest seq. */
  readonly atSeq?: number | undefined;
  /** As this one sees it, by name or id: with the grant `observe`. */
  readonly participant?: string | undefined;
}

export interface DelegateOptions extends CallOptions, WaitOptions {
  /** How much it may spend; where the session has a budget, a part of that. */
  readonly budget?: DelegateParams['budget'];
  /** How long the target may take to join, and then to reply: "30s", "15m", seconds. */
  readonly timeout?: DelegateParams['timeout'];
  /** reply = when it is settled (default); opened = as soon as it is under way. */
  readonly wait?: DelegateParams['wait'];
  /** The idempotency key: the same key is one delegation, also after a restart. Made up unless given. */
  readonly key?: string | undefined;
}

export interface StartTaskOptions extends CallOptions {
  /** What it takes; how it ends counts in your resume. */
  readonly capability?: string | undefined;
  /** For whom, by name or id: who hears of its progress. */
  readonly requester?: string | undefined;
  /** 0 = as long as the session; left out = as your rule says. */
  readonly ttl?: Duration | undefined;
  /** The idempotency key; a start repeated under its key starts one task. Made up unless given. */
  readonly key?: string | undefined;
}

export interface TaskQuery extends CallOptions {
  readonly states?: readonly TaskState[] | undefined;
  /** By name or id. */
  readonly owner?: string | undefined;
}

export const SEND_OPTIONS: OptionChecks<SendOptions> = {
  ...CALL_OPTIONS,
  key: null,
  expectedSeq: null,
  causationId: null,
  to: optional(nameListCheck),
};
export const CLOSE_OPTIONS: OptionChecks<CloseOptions> = { ...CALL_OPTIONS, wait: null };
export const ADD_OPTIONS: OptionChecks<AddOptions> = { ...CALL_OPTIONS, role: null };
export const OPERATOR_OPTIONS: OptionChecks<OperatorOptions> = { ...CALL_OPTIONS, reason: null };
export const VIEW_OPTIONS: OptionChecks<ViewOptions> = { ...CALL_OPTIONS, view: null, atSeq: null, participant: null };
export const LOG_OPTIONS: OptionChecks<LogOptions> = { fromSeq: null, reverse: null, pageSize: null };
export const DELEGATE_OPTIONS: OptionChecks<DelegateOptions> = {
  ...CALL_OPTIONS,
  ...WAIT_OPTIONS,
  budget: null,
  timeout: null,
  wait: null,
  key: null,
};
export const START_TASK_OPTIONS: OptionChecks<StartTaskOptions> = {
  ...CALL_OPTIONS,
  capability: null,
  requester: null,
  ttl: null,
  key: null,
};
export const TASK_QUERY: OptionChecks<TaskQuery> = { ...CALL_OPTIONS, states: null, owner: null };

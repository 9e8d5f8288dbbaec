/** Defines and checks the options of the session handle's methods. */

import type { JsonObject } from '../../core/lib/json.ts';
import type { PostParams } from '../../core/protocol/operations/posting.ts';
import type { Duration } from '../../core/records/session/create-params.ts';
import type { DelegateParams } from '../../core/records/work/delegation.ts';
import type { TaskState } from '../../core/records/work/tasks.ts';
import { CALL_OPTIONS, type CallOptions } from '../connection/requests.ts';
import { WAIT_OPTIONS, type WaitOptions } from '../lib/inbox.ts';
import { nameListCheck, type OptionChecks, optional, unchecked } from '../lib/option-checks.ts';

/** Content that is not plain text, in its wire form. */
export type Content = Pick<
  PostParams,
  'event_type' | 'event_data' | 'audience' | 'task_id' | 'traceparent' | 'priority' | 'ttl_seconds'
>;

export interface SendOptions extends CallOptions {
  /** Idempotency key (default: random). A send repeated with the same key is accepted once. */
  readonly key?: string | undefined;
  /** Reject with `conflict` unless this is the newest seq. */
  readonly expectedSeq?: number | undefined;
  /** The envelope this one answers. */
  readonly causationId?: string | undefined;
  /** Recipients, by name or id (default: everyone). */
  readonly to?: readonly string[] | undefined;
}

export interface CloseOptions extends CallOptions {
  /** When to resolve: closing = once nothing more is accepted (default); closed = once all bound participants acked. */
  readonly wait?: 'closing' | 'closed' | undefined;
}

export interface AddOptions extends CallOptions {
  /** A role of the session type (default: participant). */
  readonly role?: string | undefined;
}

export interface OperatorOptions extends CallOptions {
  /** Shown to everyone in the session. */
  readonly reason?: string | undefined;
}

export interface LogOptions {
  readonly fromSeq?: number | undefined;
  /** Newest first. */
  readonly reverse?: boolean | undefined;
  readonly pageSize?: number | undefined;
}

export interface ViewOptions extends CallOptions {
  /** A view by name, with its parameters. */
  readonly view?: { readonly name: string; readonly params?: JsonObject | undefined } | undefined;
  /** Shows the session as of this seq. */
  readonly atSeq?: number | undefined;
  /** Shows the session as this participant (name or id) sees it; requires the grant `observe`. */
  readonly participant?: string | undefined;
}

export interface DelegateOptions extends CallOptions, WaitOptions {
  /** Spending limit; if the session has a budget, a part of it. */
  readonly budget?: DelegateParams['budget'];
  /** Time for the target to join, and then to reply: "30s", "15m" or a number of seconds. */
  readonly timeout?: DelegateParams['timeout'];
  /** When to resolve: reply = once the delegation is settled (default); opened = once it is running. */
  readonly wait?: DelegateParams['wait'];
  /** Idempotency key (default: random): the same key is one delegation, even after a restart. */
  readonly key?: string | undefined;
}

export interface StartTaskOptions extends CallOptions {
  /** The capability it uses; its outcome counts in your profile. */
  readonly capability?: string | undefined;
  /** Name or id of the participant that is informed of its progress. */
  readonly requester?: string | undefined;
  /** Lifetime of the task; 0 = as long as the session (default: from your access rule). */
  readonly ttl?: Duration | undefined;
  /** Idempotency key (default: random): the same key starts one task. */
  readonly key?: string | undefined;
}

export interface TaskQuery extends CallOptions {
  readonly states?: readonly TaskState[] | undefined;
  /** By name or id. */
  readonly owner?: string | undefined;
}

export const SEND_OPTIONS: OptionChecks<SendOptions> = {
  ...CALL_OPTIONS,
  ...unchecked('key', 'expectedSeq', 'causationId'),
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
  ...unchecked('budget', 'timeout', 'wait', 'key'),
};
export const START_TASK_OPTIONS: OptionChecks<StartTaskOptions> = {
  ...CALL_OPTIONS,
  ...unchecked('capability', 'requester', 'ttl', 'key'),
};
export const TASK_QUERY: OptionChecks<TaskQuery> = { ...CALL_OPTIONS, states: null, owner: null };

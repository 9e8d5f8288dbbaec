/** Turns the caller's options for sessions, schedules and profiles into operation parameters. */

import { invalidValueError, type JsonObject } from '../../core/lib/json.ts';
import type { Params } from '../../core/protocol/operations/operations.ts';
import type { RuleChange } from '../../core/records/access/rule.ts';
import type { AgentQuery } from '../../core/records/identity/find-agent.ts';
import type { ResumeClaim } from '../../core/records/identity/resume.ts';
import type { CreateParams, SessionTemplate } from '../../core/records/session/create-params.ts';
import type { MissedTimes } from '../../core/records/work/schedule.ts';
import { CALL_OPTIONS, type CallOptions } from '../connection/requests.ts';
import {
  checkOptions,
  isObject,
  nameListCheck,
  type OptionCheck,
  type OptionChecks,
  unchecked,
} from '../lib/option-checks.ts';

export interface OpenOptions extends CallOptions {
  /** Names, ids, or `{ capability }` for any agent that offers it. You are the first participant unless listed. */
  readonly participants: CreateParams['participants'];
  readonly version?: number | undefined;
  readonly knobs?: JsonObject | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly intent?: string | undefined;
  readonly expectations?: CreateParams['expectations'];
  readonly requiredAcks?: number | undefined;
  readonly ttl?: CreateParams['ttl'];
  readonly inviteTimeout?: CreateParams['ttl'];
  readonly drainTimeout?: CreateParams['ttl'];
  readonly parentSessionId?: string | undefined;
  /** Idempotency key: the same key opens one session. */
  readonly key?: string | undefined;
  /** When to resolve: active = once enough participants joined (default); created = immediately. */
  readonly wait?: 'active' | 'created' | undefined;
}

const OPEN_OPTIONS: OptionChecks<OpenOptions> = {
  ...CALL_OPTIONS,
  participants: nameListCheck,
  ...unchecked('version', 'knobs', 'labels', 'intent', 'expectations', 'requiredAcks', 'ttl', 'inviteTimeout'),
  ...unchecked('drainTimeout', 'parentSessionId', 'key', 'wait'),
};

export function toCreateParams(type: string, wanted: unknown): { params: CreateParams; call: CallOptions } {
  const options = openOptions(wanted);
  const params: CreateParams = {
    type,
    version: options.version,
    participants: options.participants,
    knobs: options.knobs,
    labels: options.labels,
    intent: options.intent,
    expectations: options.expectations,
    required_acks: options.requiredAcks,
    ttl: options.ttl,
    invite_timeout: options.inviteTimeout,
    drain_timeout: options.drainTimeout,
    parent_session_id: options.parentSessionId,
    idempotency_key: options.key,
    wait: options.wait,
  };
  return { params, call: { deadlineMs: options.deadlineMs } };
}

function openOptions(wanted: unknown): OpenOptions {
  const options = Array.isArray(wanted) ? { participants: wanted } : wanted;
  if (!isObject(options))
    throw invalidValueError('participants', 'a list of names, or options with participants', wanted);
  checkOptions(options, OPEN_OPTIONS);
  // The hub checks the values.
  return options as unknown as OpenOptions;
}

/** The session that each run opens. */
export interface ScheduledSession extends Omit<OpenOptions, 'deadlineMs' | 'parentSessionId' | 'key' | 'wait'> {
  readonly type: string;
}

export interface ScheduleOptions {
  /** A cron expression: minute hour day month weekday, optionally with seconds first. */
  readonly expression: string;
  /** Time zone, such as Europe/Berlin. */
  readonly zone: string;
  readonly session: ScheduledSession;
  /** Runs missed while the hub was down: skip all (default), or run the latest once. */
  readonly missed?: MissedTimes | undefined;
  /** True to open a session even if the previous one has not ended. */
  readonly overlap?: boolean | undefined;
}

/** Omitted fields stay. */
export type ScheduleUpdate = Partial<ScheduleOptions> & {
  readonly name?: string | undefined;
  /** True to open no sessions until the schedule is resumed. */
  readonly paused?: boolean | undefined;
};

export interface ScheduleQuery {
  /** Include schedules of others; requires the grant `operate`. */
  readonly all?: boolean | undefined;
}

const session: OptionCheck = { expected: 'an object with type and participants', holds: isObject };
const SCHEDULE_OPTIONS: OptionChecks<ScheduleOptions> = {
  ...unchecked('expression', 'zone'),
  session,
  ...unchecked('missed', 'overlap'),
};
const SCHEDULE_UPDATE: OptionChecks<ScheduleUpdate> = { ...SCHEDULE_OPTIONS, session: null, name: null, paused: null };
export const SCHEDULE_QUERY: OptionChecks<ScheduleQuery> = { all: null };
/** Options that a schedule cannot set: a scheduled session has no parent and gets its own keys. */
const NOT_IN_A_TEMPLATE = ['deadlineMs', 'parentSessionId', 'key', 'wait'];

export function scheduleParams(name: string, options: ScheduleOptions): Params<'create_schedule'> {
  checkOptions(options, SCHEDULE_OPTIONS);
  const { session: wanted, ...rest } = options;
  return { name, ...rest, template: templateOf(wanted) };
}

export function updateParams(schedule_id: string, update: ScheduleUpdate): Params<'update_schedule'> {
  checkOptions(update, SCHEDULE_UPDATE);
  const { session: wanted, ...rest } = update;
  return { schedule_id, ...rest, ...(wanted === undefined ? {} : { template: templateOf(wanted) }) };
}

function templateOf(wanted: ScheduledSession): SessionTemplate {
  if (!isObject(wanted)) throw invalidValueError('session', session.expected, wanted);
  const { type, ...options } = wanted;
  const odd = NOT_IN_A_TEMPLATE.find((name) => Object.hasOwn(options, name));
  if (odd !== undefined) throw invalidValueError(`session.${odd}`, 'an option of a scheduled session', odd);
  const { params } = toCreateParams(type, options);
  const { parent_session_id: _parent, idempotency_key: _key, wait: _wait, ...template } = params;
  return template;
}

/** Omitted fields stay. */
export interface ResumeOptions {
  readonly claimedCapabilities?: readonly string[] | undefined;
  readonly domains?: readonly string[] | undefined;
  readonly summary?: string | undefined;
  readonly examples?: readonly string[] | undefined;
  /** Reject with `conflict` unless this is the current version. */
  readonly expectedVersion?: number | undefined;
}

const RESUME_OPTIONS: OptionChecks<ResumeOptions> = unchecked(
  ...(['claimedCapabilities', 'domains', 'summary', 'examples', 'expectedVersion'] as const),
);

export interface RuleOptions {
  /** Name or id (default: you). */
  readonly agent?: string | undefined;
  /** Reject with `conflict` unless this is the current version. */
  readonly expectedVersion?: number | undefined;
}

const RULE_OPTIONS: OptionChecks<RuleOptions> = { agent: null, expectedVersion: null };
export const AGENT_QUERY: OptionChecks<AgentQuery> = unchecked('capability', 'text', 'kind', 'domain', 'bound');

export function resumeParams(options: ResumeOptions): Params<'set_resume'> {
  checkOptions(options, RESUME_OPTIONS);
  const { claimedCapabilities: claimed_capabilities, expectedVersion: expected_version, ...rest } = options;
  const claim: ResumeClaim = { claimed_capabilities, ...rest };
  return { ...claim, expected_version };
}

export function ruleParams(rule: RuleChange, options: RuleOptions): Params<'set_rule'> {
  if (!isObject(rule)) throw invalidValueError('rule', 'an object with access and limits', rule);
  checkOptions(options, RULE_OPTIONS);
  const { agent, expectedVersion: expected_version } = options;
  return { ...aboutAgent(agent), rule, expected_version };
}

/** `agent`: undefined for the caller. */
export function aboutAgent(agent: string | undefined): { readonly agent?: string | undefined } {
  if (agent !== undefined && typeof agent !== 'string') throw invalidValueError('agent', 'a name or an id', agent);
  return { agent };
}

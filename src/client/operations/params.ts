/** How sessions, schedules and profiles are asked for: options in the caller's words become operation parameters. */

import { invalidValueError, type JsonObject } from '../../core/lib/json.ts';
import type { Params } from '../../core/protocol/operations/operations.ts';
import type { RuleChange } from '../../core/records/access/rule.ts';
import type { AgentQuery } from '../../core/records/identity/find-agent.ts';
import type { ResumeClaim } from '../../core/records/identity/resume.ts';
import type { CreateParams, SessionTemplate } from '../../core/records/session/create-params.ts';
import type { MissedTimes } from '../../core/records/work/schedule.ts';
import { CALL_OPTIONS, type CallOptions } from '../connection/requests.ts';
import { checkOptions, isObject, nameListCheck, type OptionCheck, type OptionChecks } from '../lib/option-checks.ts';

export interface OpenOptions extends CallOptions {
  /** Names, ids, or `{ capability }` for whoever offers it; you are put first unless you are listed. */
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
  /** The idempotency key: the same key opens one session. */
  readonly key?: string | undefined;
  /** active = when enough have joined (default); created = at once. */
  readonly wait?: 'active' | 'created' | undefined;
}

const OPEN_OPTIONS: OptionChecks<OpenOptions> = {
  ...CALL_OPTIONS,
  participants: nameListCheck,
  version: null,
  knobs: null,
  labels: null,
  intent: null,
  expectations: null,
  requiredAcks: null,
  ttl: null,
  inviteTimeout: null,
  drainTimeout: null,
  parentSessionId: null,
  key: null,
  wait: null,
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
  // What the options hold is for the hub to say.
  return options as unknown as OpenOptions;
}

/** The session each run opens: its type, and what `open` takes. */
export interface ScheduledSession extends Omit<OpenOptions, 'deadlineMs' | 'parentSessionId' | 'key' | 'wait'> {
  readonly type: string;
}

export interface ScheduleOptions {
  /** A cron expression: minute hour day month weekday, or with seconds first. */
  readonly expression: string;
  /** Whose clocks it means, such as Europe/Berlin. */
  readonly zone: string;
  readonly session: ScheduledSession;
  /** Of times at which the hub did not run: none is made up for (default), or the latest, once. */
  readonly missed?: MissedTimes | undefined;
  /** Open also while the session before has not ended. */
  readonly overlap?: boolean | undefined;
}

/** What is left out stays. */
export type ScheduleUpdate = Partial<ScheduleOptions> & {
  readonly name?: string | undefined;
  /** Nothing is opened while it is paused. */
  readonly paused?: boolean | undefined;
};

export interface ScheduleQuery {
  /** Also those of others: with the grant `operate`. */
  readonly all?: boolean | undefined;
}

const session: OptionCheck = { expected: 'an object with type and participants', holds: isObject };
const SCHEDULE_OPTIONS: OptionChecks<ScheduleOptions> = {
  expression: null,
  zone: null,
  session,
  missed: null,
  overlap: null,
};
const SCHEDULE_UPDATE: OptionChecks<ScheduleUpdate> = { ...SCHEDULE_OPTIONS, session: null, name: null, paused: null };
const SCHEDULE_QUERY: OptionChecks<ScheduleQuery> = { all: null };
/** A schedule has no parent, and makes its own keys. */
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

export function checkScheduleQuery(query: ScheduleQuery): void {
  checkOptions(query, SCHEDULE_QUERY);
}

function templateOf(wanted: ScheduledSession): SessionTemplate {
  if (!isObject(wanted)) throw invalidValueError('session', session.expected, wanted);
  const { type, ...options } = wanted;
  const odd = NOT_IN_A_TEMPLATE.find((name) => Object.hasOwn(options, name));
  if (odd !== undefined) throw invalidValueError(`session.${odd}`, 'an option that a scheduled session has', odd);
  const {
    parent_session_id: _parent,
    idempotency_key: _key,
    wait: _wait,
    ...template
  } = toCreateParams(type, options).params;
  return template;
}

/** What is left out stays as it was. */
export interface ResumeOptions {
  readonly claimedCapabilities?: readonly string[] | undefined;
  readonly domains?: readonly string[] | undefined;
  readonly summary?: string | undefined;
  readonly examples?: readonly string[] | undefined;
  /** Refuse (`conflict`) unless this is the present version. */
  readonly expectedVersion?: number | undefined;
}

const RESUME_OPTIONS: OptionChecks<ResumeOptions> = {
  claimedCapabilities: null,
  domains: null,
  summary: null,
  examples: null,
  expectedVersion: null,
};

export interface RuleOptions {
  /** Whose rule, by name or id; your own unless told. */
  readonly agent?: string | undefined;
  /** Refuse (`conflict`) unless this is the present version. */
  readonly expectedVersion?: number | undefined;
}

const RULE_OPTIONS: OptionChecks<RuleOptions> = { agent: null, expectedVersion: null };
const AGENT_QUERY: OptionChecks<AgentQuery> = { capability: null, text: null, kind: null, domain: null, bound: null };

export function resumeParams(options: ResumeOptions): Params<'set_resume'> {
  checkOptions(options, RESUME_OPTIONS);
  const { claimedCapabilities: claimed_capabilities, expectedVersion: expected_version, ...rest } = options;
  const claim: ResumeClaim = { claimed_capabilities, ...rest };
  return { ...claim, expected_version };
}

export function checkAgentQuery(query: AgentQuery): void {
  checkOptions(query, AGENT_QUERY);
}

/** The rule as it travels: it has the same members here. */
export function ruleParams(rule: RuleChange, options: RuleOptions): Params<'set_rule'> {
  if (!isObject(rule)) throw invalidValueError('rule', 'an object with access and limits', rule);
  checkOptions(options, RULE_OPTIONS);
  const { agent, expectedVersion: expected_version } = options;
  return { ...aboutAgent(agent), rule, expected_version };
}

/** Whom it is about; absent = oneself. */
export function aboutAgent(agent: string | undefined): { readonly agent?: string | undefined } {
  if (agent !== undefined && typeof agent !== 'string') throw invalidValueError('agent', 'a name or an id', agent);
  return { agent };
}

/** Defines the options for joining a hub, with their checks and defaults. */

import type {
  AgentClient,
  AgentOptions,
  Claim,
  InviteHandler,
  ResumeOptions,
  TurnHandler,
  ViewOptions,
} from '../../client/index.ts';
import {
  checkOptions,
  functionCheck,
  isObject,
  type OptionCheck,
  type OptionChecks,
  objectWithMethods,
  optional,
  textCheck,
} from '../../client/lib/option-checks.ts';
import { invalidValueError } from '../../core/lib/json.ts';
import { type Clock, type Logger, silentLog } from '../../core/ports/platform.ts';
import type { RuleChange } from '../../core/records/access/rule.ts';
import type { AgentFn } from '../agent/agent-fn.ts';
import { type Budget, checkBudget } from '../budget/account.ts';
import type { AnyRole } from '../roles/role.ts';
import { HUB_TOOL_NAMES, type HubToolName } from '../tools/hub-tools.ts';
import type { JoinHandlers } from './handlers.ts';

/** Passed to `Connect`: `(own) => connect(url, own)`, or `({ name, ...own }) => hub.agent(name, own)`. */
export interface ConnectIdentity {
  readonly name: string;
  readonly register: true | Claim;
  readonly onInvite?: InviteHandler | undefined;
  readonly onTurn: TurnHandler;
  readonly onState?: AgentOptions['onState'];
  readonly log?: Logger | undefined;
}

export type Connect = (own: ConnectIdentity) => Promise<AgentClient>;

interface JoinSettings {
  /** Name of the participant; not allowed with a connected client. */
  readonly name?: string | undefined;
  /** Passport claims, used if the name is new. */
  readonly register?: Claim | undefined;
  /** Instructions sent with every turn; added to the prompt of a role. */
  readonly systemPrompt?: string | undefined;
  /** Profile: capabilities by which others find this participant. */
  readonly resume?: ResumeOptions | undefined;
  /** Access rule: the names this participant may talk to, and how much. */
  readonly rule?: RuleChange | undefined;
  /** Decides about invites (default: accept all). For a connected client, set it on the client instead. */
  readonly onInvite?: InviteHandler | undefined;
  readonly handlers?: JoinHandlers | undefined;
  /** Maximum concurrent turns over all sessions (default: 4). */
  readonly maxParallelTurns?: number | undefined;
  /** Maximum answers in a session without turns, such as a conversation (default: 50). */
  readonly maxAnswers?: number | undefined;
  /** View of the session (default: that of its type). */
  readonly view?: ViewOptions['view'];
  /** Spending limits per turn, per session and in total. */
  readonly budget?: Budget | undefined;
  /** Hub tools for agents that can call tools: true = all that apply. */
  readonly tools?: true | readonly HubToolName[] | undefined;
  /** Called when the hub becomes unreachable or reachable, or the client closes. */
  readonly onState?: AgentOptions['onState'];
  /** Milliseconds a cancelled turn may take to end (default: 10,000). */
  readonly graceMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: Logger | undefined;
}

/** Requires an agent, or a role whose messages carry its metadata. */
export type JoinOptions = JoinSettings &
  ({ readonly agent: AgentFn; readonly role?: undefined } | { readonly role: AnyRole; readonly agent?: undefined });

/** The options with defaults applied. */
export interface ResolvedJoinOptions {
  readonly agent: AgentFn;
  readonly systemPrompt: string;
  readonly handlers: JoinHandlers;
  readonly maxParallelTurns: number;
  readonly maxAnswers: number;
  readonly graceMs: number;
  readonly view: ViewOptions['view'];
  readonly budget: Budget | undefined;
  readonly tools: true | readonly HubToolName[] | null;
  readonly clock: Clock;
  readonly log: Logger;
}

const count: OptionCheck = {
  expected: 'a whole number >= 1',
  holds: (value) => typeof value === 'number' && Number.isInteger(value) && value >= 1,
};
const someTools: OptionCheck = {
  expected: `true, or a list of ${HUB_TOOL_NAMES.join(', ')}`,
  holds: (value) =>
    value === true || (Array.isArray(value) && value.every((name) => HUB_TOOL_NAMES.some((known) => known === name))),
};
const anObject: OptionCheck = { expected: 'an object', holds: isObject };

const aView: OptionCheck = {
  expected: 'a view, {name, params?}',
  holds(value) {
    if (!isObject(value)) return false;
    const { name, params, ...others } = value;
    const isNamed = typeof name === 'string' && name !== '' && (params === undefined || isObject(params));
    return isNamed && Object.keys(others).length === 0;
  },
};

const aRole: OptionCheck = {
  expected: 'a role made by createRole',
  holds: (value) => typeof value === 'function' && 'agent' in value && typeof value.agent === 'function',
};

const JOIN_OPTIONS: OptionChecks<JoinOptions> = {
  name: optional(textCheck),
  register: optional(anObject),
  agent: optional(functionCheck),
  role: optional(aRole),
  systemPrompt: optional(textCheck),
  resume: optional(anObject),
  rule: optional(anObject),
  onInvite: optional(functionCheck),
  handlers: optional(anObject),
  maxParallelTurns: optional(count),
  maxAnswers: optional(count),
  view: optional(aView),
  budget: optional(anObject),
  tools: optional(someTools),
  onState: optional(functionCheck),
  graceMs: optional(count),
  clock: optional(objectWithMethods('now', 'after')),
  log: optional(objectWithMethods('info', 'warn', 'error')),
};

const HANDLERS: { readonly [Name in keyof Required<JoinHandlers>]: OptionCheck } = {
  onTurn: optional(functionCheck),
  onDelta: optional(functionCheck),
  onProgress: optional(functionCheck),
  onReply: optional(functionCheck),
  onError: optional(functionCheck),
  onCancelled: optional(functionCheck),
  onClosed: optional(functionCheck),
};

/** Checks every member of the form `onX` and allows other members. */
function checkHandlers(handlers: JoinHandlers): void {
  const meant = Object.entries(handlers).filter(([name]) => /^on[A-Z]/.test(name));
  checkOptions(Object.fromEntries(meant), HANDLERS, 'handlers.');
}

function agentIn({ agent, role }: JoinOptions): AgentFn {
  const answers = agent ?? role?.agent;
  if (answers !== undefined && (agent === undefined || role === undefined)) return answers;
  throw invalidValueError('agent', 'a function, or a role instead', answers === undefined ? undefined : 'both');
}

/** Validates the options before anything connects. */
export function resolveJoinOptions(options: JoinOptions, platformClock: Clock): ResolvedJoinOptions {
  checkOptions(options, JOIN_OPTIONS);
  if (options.handlers !== undefined) checkHandlers(options.handlers);
  if (options.budget !== undefined) checkBudget(options.budget);
  return {
    agent: agentIn(options),
    systemPrompt: options.systemPrompt ?? '',
    handlers: options.handlers ?? {},
    maxParallelTurns: options.maxParallelTurns ?? 4,
    maxAnswers: options.maxAnswers ?? 50,
    graceMs: options.graceMs ?? 10_000,
    view: options.view,
    budget: options.budget,
    tools: options.tools ?? null,
    clock: options.clock ?? platformClock,
    log: options.log ?? silentLog,
  };
}

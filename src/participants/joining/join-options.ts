/** What a participant is told when it joins a hub, and what holds where it is not told. */

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
import { HubError } from '../../core/lib/errors.ts';
import { invalidValueError } from '../../core/lib/json.ts';
import { type Clock, type Logger, silentLog } from '../../core/ports/platform.ts';
import type { RuleChange } from '../../core/records/access/rule.ts';
import type { AgentFn } from '../agent/agent-fn.ts';
import { type Budget, checkBudget } from '../budget/budget.ts';
import type { AnyRole } from '../roles/role.ts';
import { HUB_TOOL_NAMES, type HubToolName } from '../tools/hub-tools.ts';
import type { JoinHandlers } from './handlers.ts';

/** What a way to the hub is given: `(own) => connect(url, own)`, or `({ name, ...own }) => hub.agent(name, own)`. */
export interface ConnectIdentity {
  readonly name: string;
  readonly register: true | Claim;
  readonly onInvite?: InviteHandler | undefined;
  readonly onTurn: TurnHandler;
  readonly onState?: AgentOptions['onState'];
  readonly log?: Logger | undefined;
}

export type Connect = (own: ConnectIdentity) => Promise<AgentClient>;

export interface JoinSettings {
  /** Who it is; not for a client that is connected, which is somebody already. */
  readonly name?: string | undefined;
  /** What its passport says if the name is new. */
  readonly register?: Claim | undefined;
  /** Who the agent is and how it works, given to it with every turn; a role has a prompt, which this is added to. */
  readonly systemPrompt?: string | undefined;
  /** What it can do, for others to find. */
  readonly resume?: ResumeOptions | undefined;
  /** With whom it talks and how much. */
  readonly rule?: RuleChange | undefined;
  /** Decides about invites; without it all are accepted. For a client that is connected, it is given to that. */
  readonly onInvite?: InviteHandler | undefined;
  readonly handlers?: JoinHandlers | undefined;
  /** Turns it takes at once, over all sessions; 4 unless told. */
  readonly maxParallelTurns?: number | undefined;
  /** Messages it answers in a session in which nobody has the turn, such as a conversation; 50 unless told. */
  readonly maxAnswers?: number | undefined;
  /** What it is shown of a session; by default the view of its type. */
  readonly view?: ViewOptions['view'];
  /** What it may spend, by turn, by session and in all. */
  readonly budget?: Budget | undefined;
  /** Tools of the hub for agents that can call tools, such as models: all that fit, or these. */
  readonly tools?: true | readonly HubToolName[] | undefined;
  /** The hub is out of reach, or there again, or the client is closed. */
  readonly onState?: AgentOptions['onState'];
  /** How long a cancelled turn may take to end before it is given up, in milliseconds; 10,000 unless told. */
  readonly graceMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: Logger | undefined;
}

/** Who answers: an agent, or a role, whose messages carry its metadata. */
export type JoinOptions = JoinSettings &
  ({ readonly agent: AgentFn; readonly role?: undefined } | { readonly role: AnyRole; readonly agent?: undefined });

/** The same with everything in it that turns need. */
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
  expected: 'a whole number from 1 on',
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
  expected: 'a role, as createRole makes it',
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

/** They may be members of an object that has others too; but what is called like one of them is meant as one. */
function checkHandlers(handlers: JoinHandlers): void {
  const meant = Object.entries(handlers).filter(([name]) => /^on[A-Z]/.test(name));
  checkOptions(Object.fromEntries(meant), HANDLERS, 'handlers.');
}

function agentIn({ agent, role }: JoinOptions): AgentFn {
  const answers = agent ?? role?.agent;
  if (answers !== undefined && (agent === undefined || role === undefined)) return answers;
  throw invalidValueError('agent', 'a function, or a role instead', answers === undefined ? undefined : 'both');
}

/** Refuses what is wrong with them, before anybody is connected. */
export function resolveJoinOptions(
  options: JoinOptions,
  usual: { readonly clock?: Clock | undefined },
): ResolvedJoinOptions {
  checkOptions(options, JOIN_OPTIONS);
  if (options.handlers !== undefined) checkHandlers(options.handlers);
  if (options.budget !== undefined) checkBudget(options.budget);
  const clock = options.clock ?? usual.clock;
  if (clock === undefined) throw new HubError('bad_options', 'clock: expected a clock on this platform, got undefined');
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
    clock,
    log: options.log ?? silentLog,
  };
}

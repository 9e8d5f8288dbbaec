/** Validates an agent's answer and converts it to session content: text, or a packet that passes the turn on. */

import type { Content } from '../../client/index.ts';
import { isObject, type OptionCheck, optional, textCheck } from '../../client/lib/option-checks.ts';
import { HubError } from '../../core/lib/errors.ts';
import { describeValue, isPlainObject, type JsonObject } from '../../core/lib/json.ts';
import { callTool, finish, handoff } from '../../core/records/session/packets.ts';
import { AgentError } from './agent-error.ts';
import type { AgentReply, ToolCall, Usage } from './agent-fn.ts';

export function asReply(answer: unknown): AgentReply {
  if (typeof answer === 'string') return { text: answer };
  checkReply(answer);
  return answer;
}

/** Calls that pass the turn on; a session may define more. */
const ROUTES = ['handoff', 'finish'];
export const NO_ROUTES: ReadonlySet<string> = new Set();

export function routeNames(offered: readonly { readonly name: string }[]): ReadonlySet<string> {
  return new Set([...ROUTES, ...offered.map(({ name }) => name)]);
}

export function isEmpty(reply: AgentReply, names: ReadonlySet<string>): boolean {
  return reply.text.trim() === '' && !routes(reply, names);
}

export function noAnswerError(): HubError {
  return new HubError('no_result', 'the agent answered nothing');
}

/**
 * Turns a call of `handoff {to, message?, reason?}`, `finish {message?, reason?}` or `<tool> {message?}` into a packet.
 * The last call listed in `names` counts; the other calls were internal to the agent.
 */
export function toContent(reply: AgentReply, names: ReadonlySet<string> = NO_ROUTES): Content {
  const route = routeOf(reply, names);
  const said =
    route === undefined ? { event_type: 'msg.text', event_data: { text: reply.text } } : routed(route, reply);
  return { event_type: said.event_type, event_data: { ...said.event_data, ...spentOn(reply), ...metaOf(reply) } };
}

export function routes(reply: AgentReply, names: ReadonlySet<string>): boolean {
  return routeOf(reply, names) !== undefined;
}

/** Converts an answer for a session without packets: the message of the routing call becomes its text. */
export function toPlainReply(reply: AgentReply, names: ReadonlySet<string>): AgentReply {
  const route = routeOf(reply, names);
  return route === undefined ? reply : { ...reply, text: wordsOf(givenIn(route), reply) };
}

function routeOf({ tool_calls = [] }: AgentReply, names: ReadonlySet<string>): ToolCall | undefined {
  return tool_calls.findLast(({ name }) => names.has(name));
}

function givenIn(call: ToolCall): JsonObject {
  return isPlainObject(call.arguments) ? (call.arguments as JsonObject) : {};
}

function wordsOf({ message }: JsonObject, { text }: AgentReply): string {
  return typeof message === 'string' && message.trim() !== '' ? message : text;
}

function routed(call: ToolCall, reply: AgentReply): Content {
  const given = givenIn(call);
  const body = wordsOf(given, reply);
  const reason = typeof given.reason === 'string' ? { reason: given.reason } : {};
  if (call.name === 'finish') return finish({ body, ...reason });
  if (call.name !== 'handoff') return callTool(call.name, { body });
  // The session rejects an unknown target and lists the valid ones.
  const to = given.to ?? given.target;
  return handoff(typeof to === 'string' ? to : '', { body, ...reason, tool: 'handoff' });
}

function spentOn({ usage, cost_usd }: AgentReply): JsonObject {
  const cost = cost_usd === undefined ? {} : { cost_usd };
  return usage === undefined ? cost : { usage: tokensOf(usage), ...cost };
}

/** Leaves out token classes that were not reported: null is not 0. */
function tokensOf(usage: Usage): JsonObject {
  const classes = {
    fresh: usage.input_tokens,
    cache_read: usage.cache_read_tokens,
    cache_write: usage.cache_write_tokens,
    output: usage.output_tokens,
  };
  const told = Object.entries(classes).filter((one): one is [string, number] => typeof one[1] === 'number');
  return Object.fromEntries(told);
}

function metaOf({ meta = {} }: AgentReply): JsonObject {
  return Object.keys(meta).length === 0 ? {} : { meta };
}

type RulesOf<Shape> = { readonly [Name in keyof Required<Shape>]: OptionCheck };

const anObject: OptionCheck = { expected: 'an object', holds: isObject };
/** null if unknown, which is not 0. */
const aCount: OptionCheck = {
  expected: 'a number >= 0 or null',
  holds: (value) => value === null || (typeof value === 'number' && Number.isFinite(value) && value >= 0),
};

const REPLY: RulesOf<AgentReply> = {
  text: textCheck,
  usage: optional(anObject),
  cost_usd: optional(aCount),
  native_session_id: optional(textCheck),
  tool_calls: optional({ expected: 'a list of {name, arguments}', holds: Array.isArray }),
  meta: optional(anObject),
};

const USAGE: RulesOf<Usage> = {
  input_tokens: optional(aCount),
  cache_read_tokens: optional(aCount),
  cache_write_tokens: optional(aCount),
  output_tokens: optional(aCount),
  reasoning_tokens: optional(aCount),
};

const CALL: RulesOf<ToolCall> = { name: textCheck, arguments: { expected: 'anything', holds: () => true } };

/** Throws `bad_output` with the name of the wrong field. */
function checkReply(answer: unknown): asserts answer is AgentReply {
  if (!isObject(answer)) throw wrong('', 'text or {text}', answer);
  checkFields(answer, REPLY, '');
  if (isObject(answer.usage)) checkFields(answer.usage, USAGE, 'usage.');
  const calls: readonly unknown[] = Array.isArray(answer.tool_calls) ? answer.tool_calls : [];
  for (const [at, call] of calls.entries()) {
    if (!isObject(call)) throw wrong(`tool_calls.${at}: `, '{name, arguments}', call);
    checkFields(call, CALL, `tool_calls.${at}.`);
  }
}

function checkFields(
  given: Record<string, unknown>,
  rules: Readonly<Record<string, OptionCheck>>,
  where: string,
): void {
  for (const [name, { expected, holds }] of Object.entries(rules)) {
    if (!holds(given[name])) throw wrong(`${where}${name}: `, expected, given[name]);
  }
}

function wrong(where: string, expected: string, received: unknown): AgentError {
  const problem = `its answer: ${where}expected ${expected}, got ${describeValue(received)}`;
  return new AgentError('bad_output', problem, { tool: 'the agent' });
}

/** What an agent answered, as content of a session: text, or a packet that passes the turn on. */

import type { Content } from '../../client/index.ts';
import { HubError } from '../../core/lib/errors.ts';
import type { JsonObject } from '../../core/lib/json.ts';
import { isPlainObject } from '../../core/lib/json.ts';
import { callTool, finish, handoff } from '../../core/records/session/packets.ts';
import type { AgentReply, ToolCall, Usage } from './agent-fn.ts';
import { checkReply } from '../check-reply.ts';

/** The two shapes of an answer as one. Anything else is what no agent answers. */
export function asReply(answer: unknown): AgentReply {
  if (typeof answer === 'string') return { text: answer };
  checkReply(answer);
  return answer;
}

/** Calls that pass the turn on, by name; a session may take more of them than these two. */
const ROUTES = ['handoff', 'finish'];
export const NO_ROUTES: ReadonlySet<string> = new Set();

export function routeNames(offered: readonly { readonly name: string }[]): ReadonlySet<string> {
  return new Set([...ROUTES, ...offered.map(({ name }) => name)]);
}

/** Whether there is anything in it to say. */
export function isEmpty(reply: AgentReply, names: ReadonlySet<string>): boolean {
  return reply.text.trim() === '' && !routes(reply, names);
}

export function answeredNothing(): HubError {
  return new HubError('no_result', 'the agent answered nothing');
}

/**
 * A call of `handoff {to, message?, reason?}`, `finish {message?, reason?}` or `<tool> {message?}` becomes a packet, where the
 * session takes packets: `names` are the calls that it takes so, and the last of them counts. All other calls were the agent's
 * own, and are nobody else's business.
 */
export function contentOf(reply: AgentReply, names: ReadonlySet<string> = NO_ROUTES): Content {
  const route = routeOf(reply, names);
  const said =
    route === undefined ? { event_type: 'msg.text', event_data: { text: reply.text } } : routed(route, reply);
  return { event_type: said.event_type, event_data: { ...said.event_data, ...spentOn(reply), ...metaOf(reply) } };
}

export function routes(reply: AgentReply, names: ReadonlySet<string>): boolean {
  return routeOf(reply, names) !== undefined;
}

/** The same answer for a session that takes no packets: what it would have passed the turn on with is its text. */
export function spoken(reply: AgentReply, names: ReadonlySet<string>): AgentReply {
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
  // Somebody who is not there is refused by the session, which says who is.
  const to = given.to ?? given.target;
  return handoff(typeof to === 'string' ? to : '', { body, ...reason, tool: 'handoff' });
}

/** As the hub counts it. */
function spentOn({ usage, cost_usd }: AgentReply): JsonObject {
  const cost = cost_usd === undefined ? {} : { cost_usd };
  return usage === undefined ? cost : { usage: tokensOf(usage), ...cost };
}

/** What a tool does not tell is left out: nothing is not 0. */
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

function metaOf({ meta }: AgentReply): JsonObject {
  return meta === undefined || Object.keys(meta).length === 0 ? {} : { meta };
}

/** Whether what an agent answered is an answer: a program or a model may have made it, so that every field is looked at. */

import { aText, isObject, optional, type Rule } from '../client/lib/option-checks.ts';
import { describe } from '../core/lib/json.ts';
import { AgentError } from './agent/agent-error.ts';
import type { AgentReply, ToolCall, Usage } from './agent/agent-fn.ts';

type RulesOf<Shape> = { readonly [Name in keyof Required<Shape>]: Rule };

const anObject: Rule = { expected: 'an object', holds: isObject };
/** null = not known, which is not 0. */
const aCount: Rule = {
  expected: 'a number from 0 on or null',
  holds: (value) => value === null || (typeof value === 'number' && Number.isFinite(value) && value >= 0),
};

const REPLY: RulesOf<AgentReply> = {
  text: aText,
  usage: optional(anObject),
  cost_usd: optional(aCount),
  native_session_id: optional(aText),
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

const CALL: RulesOf<ToolCall> = { name: aText, arguments: { expected: 'anything', holds: () => true } };

/** Throws `bad_output` with the field that is wrong. */
export function checkReply(answer: unknown): asserts answer is AgentReply {
  if (!isObject(answer)) throw wrong('', 'text or {text}', answer);
  checkFields(answer, REPLY, '');
  if (isObject(answer.usage)) checkFields(answer.usage, USAGE, 'usage.');
  const calls: readonly unknown[] = Array.isArray(answer.tool_calls) ? answer.tool_calls : [];
  for (const [at, call] of calls.entries()) {
    if (!isObject(call)) throw wrong(`tool_calls.${at}: `, '{name, arguments}', call);
    checkFields(call, CALL, `tool_calls.${at}.`);
  }
}

function checkFields(given: Record<string, unknown>, rules: Readonly<Record<string, Rule>>, where: string): void {
  for (const [name, { expected, holds }] of Object.entries(rules)) {
    if (!holds(given[name])) throw wrong(`${where}${name}: `, expected, given[name]);
  }
}

function wrong(where: string, expected: string, received: unknown): AgentError {
  const problem = `its answer: ${where}expected ${expected}, got ${describe(received)}`;
  return new AgentError('bad_output', problem, { tool: 'the agent' });
}

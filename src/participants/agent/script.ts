/** Creates an agent that answers from a script: a list with one answer per turn, or a function. */

import { badOptionError } from '../../client/lib/option-checks.ts';
import { HubError } from '../../core/lib/errors.ts';
import type { AgentFn, AgentReply, ThreadContext, TurnOptions } from './agent-fn.ts';

type Answer = string | AgentReply;

/** A list has one answer per turn of each thread; a function is an agent that may answer synchronously. */
export type Script =
  | readonly Answer[]
  | ((ctx: ThreadContext, systemPrompt: string, turn?: TurnOptions) => Answer | Promise<Answer>);

/** With a list, the nth answer of a thread is the nth item, even after a restart; a retried turn gets the same item. */
export function createScriptAdapter(script: Script): AgentFn {
  if (typeof script === 'function') return async (ctx, systemPrompt, turn) => script(ctx, systemPrompt, turn);
  if (!Array.isArray(script)) throw badOptionError('script', 'a function or a list of answers', script);
  const answers = script.map(answerOf);
  const given = new Map<string, Given>();
  return async ({ threadId, steps }, _systemPrompt, turn) => {
    const key = turn?.idempotencyKey;
    const at = placeOf(given.get(threadId), key, steps.filter(({ role }) => role === 'assistant').length);
    const answer = answers[at];
    if (answer === undefined) {
      throw new HubError('no_result', `script: all ${answers.length} answers of this session are used up`);
    }
    given.set(threadId, { at, key });
    turn?.onDelta(typeof answer === 'string' ? answer : answer.text);
    return answer;
  };
}

/** The index and the turn key of a thread's latest answer. */
interface Given {
  readonly at: number;
  readonly key: string | undefined;
}

/** Index of the answer to give. A retried turn gets the same answer: the hub may not have accepted it. */
function placeOf(last: Given | undefined, key: string | undefined, inSight: number): number {
  if (last === undefined) return inSight;
  if (key !== undefined && key === last.key) return last.at;
  // Earlier answers may no longer be visible in the view.
  return Math.max(last.at + 1, inSight);
}

function answerOf(given: unknown, at: number): Answer {
  if (typeof given === 'string' || isReply(given)) return given;
  throw badOptionError(`script.${at}`, 'text or a reply {text}', given);
}

function isReply(given: unknown): given is AgentReply {
  return typeof given === 'object' && given !== null && 'text' in given && typeof given.text === 'string';
}

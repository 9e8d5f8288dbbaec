/** An agent that answers from a script: a list of answers, one for each turn, or a function. */

import { HubError } from '../core/errors.ts';
import { describe } from '../core/json.ts';
import type { AgentFn, AgentReply, ThreadContext, TurnOptions } from './agent-fn.ts';

type Answer = string | AgentReply;

/** A list is for each thread, from its start; a function is an agent, and may answer at once. */
export type Script =
  | readonly Answer[]
  | ((ctx: ThreadContext, systemPrompt: string, turn?: TurnOptions) => Answer | Promise<Answer>);

/** With a list, the nth answer of a thread is the nth of the list, also after a restart; when it is used up the turn fails. */
export function createScriptAdapter(script: Script): AgentFn {
  if (typeof script === 'function') return async (ctx, systemPrompt, turn) => script(ctx, systemPrompt, turn);
  if (!Array.isArray(script)) {
    throw new HubError('bad_options', `script: expected a function or a list of answers, got ${describe(script)}`);
  }
  const answers: readonly Answer[] = [...script];
  const given = new Map<string, number>();
  return async ({ threadId, steps }, _systemPrompt, turn) => {
    // Those in sight, or given here and out of the view's sight by now.
    const own = Math.max(given.get(threadId) ?? 0, steps.filter(({ role }) => role === 'assistant').length);
    const answer = answers[own];
    if (answer === undefined) {
      throw new HubError(
        'no_result',
        `script: ${answers.length} answers were given in this session, and there are no more`,
      );
    }
    given.set(threadId, own + 1);
    turn?.onDelta(typeof answer === 'string' ? answer : answer.text);
    return answer;
  };
}

/** Makes a person an agent: asks them and returns their answer. */

import { unlessAborted } from '../../client/lib/unless-aborted.ts';
import { HubError } from '../../core/lib/errors.ts';
import type { OwnSignal } from '../../core/ports/platform.ts';
import type { AgentFn, AgentReply, ThreadContext } from './agent-fn.ts';

export interface Question {
  readonly thread: ThreadContext;
  /** The latest message, or the opening if there is none. */
  readonly text: string;
  readonly systemPrompt: string;
  readonly resumed: boolean;
  /** Aborted when the answer is no longer needed: withdraw the question. */
  readonly signal: OwnSignal;
  /** Streams what the person types. */
  onDelta(text: string): void;
}

/** Returns text or a reply; null if the person does not answer, which fails the turn. */
export type AskPerson = (question: Question) => Promise<string | AgentReply | null> | string | AgentReply | null;

export function createManualAdapter(ask: AskPerson): AgentFn {
  return async (thread, systemPrompt, turn) => {
    const signal = turn?.signal ?? new AbortController().signal;
    if (signal.aborted) throw signal.reason;
    const question: Question = {
      thread,
      text: thread.steps.at(-1)?.content ?? thread.start.content,
      systemPrompt,
      resumed: turn?.resumed ?? false,
      signal,
      onDelta: (text) => turn?.onDelta(text),
    };
    const answer = await unlessAborted(Promise.resolve(ask(question)), signal);
    if (answer === null) throw new HubError('no_result', 'the person did not answer');
    return answer;
  };
}

/** A person as an agent: somebody is asked, and what they say is the answer. */

import { unlessAborted } from '../../client/lib/unless-aborted.ts';
import { HubError } from '../../core/lib/errors.ts';
import type { OwnSignal } from '../../core/ports/platform.ts';
import type { AgentFn, AgentReply, ThreadContext } from './agent-fn.ts';

/** What a person is asked. */
export interface Question {
  readonly thread: ThreadContext;
  /** The last thing said, or what the session began with. */
  readonly text: string;
  readonly systemPrompt: string;
  readonly resumed: boolean;
  /** Aborted when no answer is wanted any more: take the question away. */
  readonly signal: OwnSignal;
  /** Shows what they are writing. */
  onDelta(text: string): void;
}

/** Text or a reply; null = the person does not answer, and the turn fails. */
export type AskPerson = (question: Question) => Promise<string | AgentReply | null> | string | AgentReply | null;

export function createManualAdapter(ask: AskPerson): AgentFn {
  return async (thread, systemPrompt, turn) => {
    const answer = await answered(ask, {
      thread,
      text: thread.steps.at(-1)?.content ?? thread.start.content,
      systemPrompt,
      resumed: turn?.resumed ?? false,
      signal: turn?.signal ?? new AbortController().signal,
      onDelta: (text) => turn?.onDelta(text),
    });
    if (answer === null) throw new HubError('no_result', 'the person did not answer');
    return answer;
  };
}

/** A person who is not wanted any more need not be waited for. */
async function answered(ask: AskPerson, question: Question): Promise<string | AgentReply | null> {
  const { signal } = question;
  if (signal.aborted) throw signal.reason;
  return unlessAborted(Promise.resolve(ask(question)), signal);
}

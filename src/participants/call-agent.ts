/** Calls the agent for a turn: gives it the thread, shows what it writes, says that it works, and takes what it answers. */

import { isObject } from '../client/given.ts';
import { HubError } from '../core/errors.ts';
import { badValue } from '../core/json.ts';
import type { OwnSignal } from '../core/ports.ts';
import type { AgentReply, TurnOptions } from './agent-fn.ts';
import { answerOrGrace } from './answer-or-grace.ts';
import type { OpenTurn } from './find-turn.ts';
import type { TakenTurn, Tell } from './handlers.ts';
import { Heartbeat } from './heartbeat.ts';
import type { Joining } from './join-options.ts';
import { LiveText } from './live-text.ts';
import { readPatiently } from './read-turn.ts';
import { asReply, isEmpty } from './reply.ts';
import { readThread } from './thread-context.ts';

export interface Caller {
  readonly agentId: string;
  readonly options: Joining;
  /** Of the last answer in this session. */
  readonly nativeSessionId: string | undefined;
  readonly tell: Tell;
}

/** Rejects with what the agent throws, or with the signal's reason. */
export async function callAgent(found: OpenTurn, signal: OwnSignal, caller: Caller): Promise<AgentReply> {
  const { agent, systemPrompt, clock, view, graceMs, log } = caller.options;
  const { turn, info, causationId, since } = found;
  const read = () => readThread(turn.session, info, caller.agentId, view);
  const thread = await readPatiently(read, turn.session, caller.options, signal);
  if (signal.aborted) throw signal.reason;
  const live = causationId === null ? null : new LiveText(turn.session, causationId, clock);
  const heart = since === null ? null : new Heartbeat(turn.session, info.session, clock);
  heart?.start(turn.resumed);
  try {
    const run = async (): Promise<unknown> =>
      agent(thread, systemPrompt, turnOptions(turn, signal, caller, { live, heart }));
    const answer = await answerOrGrace(run(), signal, clock, graceMs, () =>
      log.warn('an agent goes on although its turn was cancelled', { session_id: turn.session.id }),
    );
    const reply = asReply(answer);
    if (isEmpty(reply)) throw new HubError('no_result', 'the agent answered nothing');
    live?.end();
    return reply;
  } finally {
    live?.drop();
    heart?.stop();
  }
}

function turnOptions(
  turn: TakenTurn,
  signal: OwnSignal,
  { options, nativeSessionId, tell }: Caller,
  { live, heart }: { readonly live: LiveText | null; readonly heart: Heartbeat | null },
): TurnOptions {
  return {
    signal,
    idempotencyKey: turn.idempotencyKey,
    resumed: turn.resumed,
    nativeSessionId,
    budget: options.budget,
    onDelta(text) {
      if (typeof text !== 'string') throw badValue('onDelta', 'text', text);
      if (signal.aborted) return;
      live?.add(text);
      tell('onDelta', (handlers) => handlers.onDelta?.(text, turn));
    },
    onProgress(event) {
      if (!isObject(event) || typeof event.text !== 'string') throw badValue('onProgress', '{kind, text}', event);
      if (signal.aborted) return;
      heart?.doing(event.text);
      tell('onProgress', (handlers) => handlers.onProgress?.(event, turn));
    },
  };
}

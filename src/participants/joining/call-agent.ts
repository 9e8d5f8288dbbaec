/** Calls the agent for a turn: gives it the thread, shows what it writes, says that it works, and takes what it answers. */

import { isObject } from '../../client/lib/option-checks.ts';
import type { AgentClient } from '../../client/index.ts';
import { badValue } from '../../core/lib/json.ts';
import type { OwnSignal } from '../../core/ports/platform.ts';
import type { AgentReply, TurnBudget, TurnOptions } from '../agent/agent-fn.ts';
import { answerOrGrace } from '../answer-or-grace.ts';
import type { TurnMeter } from '../budget/turn-meter.ts';
import type { OpenTurn } from './find-turn.ts';
import { withBundle } from './governed-turn.ts';
import type { TakenTurn, Tell } from './handlers.ts';
import { Heartbeat } from '../heartbeat.ts';
import type { Joining } from './join-options.ts';
import { LiveText } from './turn-progress.ts';
import { readPatiently } from '../read-turn.ts';
import { answeredNothing, asReply, isEmpty, routeNames } from '../agent/reply.ts';
import { readThread } from './thread-context.ts';
import { hubTools } from '../tools/hub-tools.ts';

export interface Caller {
  readonly client: AgentClient;
  readonly options: Joining;
  /** Of the last answer in this session. */
  readonly nativeSessionId: string | undefined;
  /** null = nothing limits it. */
  readonly meter: TurnMeter | null;
  readonly tell: Tell;
}

/** Rejects with what the agent throws, or with the signal's reason. */
export async function callAgent(found: OpenTurn, signal: OwnSignal, caller: Caller): Promise<AgentReply> {
  const { agent, systemPrompt, clock, view, graceMs, log } = caller.options;
  const { turn, info, causationId, since } = found;
  const read = () => readThread(turn.session, info, caller.client.agentId, view);
  const thread = withBundle(await readPatiently(read, turn.session, caller.options, signal), info, turn);
  if (signal.aborted) throw signal.reason;
  const live = causationId === null ? null : new LiveText(turn.session, causationId, clock);
  const heart = since === null ? null : new Heartbeat(turn.session, info.session, clock);
  heart?.start(turn.resumed);
  try {
    const options = { ...turnOptions(turn, signal, caller, { live, heart }), ...means(found, caller) };
    const run = async (): Promise<unknown> => agent(thread, systemPrompt, options);
    const answer = await answerOrGrace(run(), signal, clock, graceMs, () =>
      log.warn('an agent goes on although its turn was cancelled', { session_id: turn.session.id }),
    );
    const reply = asReply(answer);
    if (isEmpty(reply, routeNames(info.tools))) throw answeredNothing();
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
  { nativeSessionId, tell }: Caller,
  { live, heart }: { readonly live: LiveText | null; readonly heart: Heartbeat | null },
): TurnOptions {
  return {
    signal,
    idempotencyKey: turn.idempotencyKey,
    resumed: turn.resumed,
    nativeSessionId,
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

/** What the agent may spend, and what it may do. */
function means({ turn, info }: OpenTurn, caller: Caller): Pick<TurnOptions, 'budget' | 'tools'> {
  const { client, meter } = caller;
  const { tools } = caller.options;
  const { session, idempotencyKey: turnKey } = turn;
  const scene = { client, session, info, turnKey, budget: meter };
  return {
    ...(meter === null ? {} : { budget: budgetOf(meter) }),
    ...(tools === null ? {} : { tools: hubTools(scene, tools) }),
  };
}

/** Read when they are looked at: what is left is less after each call. */
function budgetOf(meter: TurnMeter): TurnBudget {
  return {
    meter,
    get usd() {
      return meter.left().usd ?? undefined;
    },
    get tokens() {
      return meter.left().tokens ?? undefined;
    },
  };
}

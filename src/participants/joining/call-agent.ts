/** Calls the agent for a turn: passes the thread, streams deltas, reports progress and returns the reply. */

import type { AgentClient } from '../../client/index.ts';
import { isObject } from '../../client/lib/option-checks.ts';
import { invalidValueError } from '../../core/lib/json.ts';
import type { CancelSignal, Clock, OwnSignal } from '../../core/ports/platform.ts';
import type { AgentReply, TurnBudget, TurnOptions } from '../agent/agent-fn.ts';
import { asReply, isEmpty, noAnswerError, routeNames } from '../agent/reply.ts';
import type { TurnMeter } from '../budget/turn-meter.ts';
import { hubTools } from '../tools/hub-tools.ts';
import { type OpenTurn, readWithRetry } from './find-turn.ts';
import { withBundle } from './governed-turn.ts';
import type { AgentTurn, NotifyHandlers } from './handlers.ts';
import type { ResolvedJoinOptions } from './join-options.ts';
import { readThread } from './thread-context.ts';
import { Heartbeat, LiveText } from './turn-progress.ts';

export interface Caller {
  readonly client: AgentClient;
  readonly options: ResolvedJoinOptions;
  /** The tool's session id, from the last answer in this session. */
  readonly nativeSessionId: string | undefined;
  /** null if no limit applies. */
  readonly meter: TurnMeter | null;
  readonly tell: NotifyHandlers;
}

export async function callAgent(found: OpenTurn, signal: OwnSignal, caller: Caller): Promise<AgentReply> {
  const { agent, systemPrompt, clock, view, graceMs, log } = caller.options;
  const { turn, info, causationId, since } = found;
  const read = () => readThread(turn.session, info, caller.client.agentId, view);
  const thread = withBundle(await readWithRetry(read, turn.session, caller.options, signal), info, turn);
  if (signal.aborted) throw signal.reason;
  const live = causationId === null ? null : new LiveText(turn.session, causationId, clock);
  const heart = since === null ? null : new Heartbeat(turn.session, info.session, clock);
  heart?.start(turn.resumed);
  try {
    const options = { ...turnOptions(turn, signal, caller, live, heart), ...budgetAndTools(found, caller) };
    const run = async (): Promise<unknown> => agent(thread, systemPrompt, options);
    const answer = await awaitWithGrace(run(), signal, clock, graceMs, () =>
      log.warn('the agent is still running after its turn was cancelled', { session_id: turn.session.id }),
    );
    const reply = asReply(answer);
    if (isEmpty(reply, routeNames(info.tools))) throw noAnswerError();
    live?.end();
    return reply;
  } finally {
    live?.drop();
    heart?.stop();
  }
}

function turnOptions(
  turn: AgentTurn,
  signal: OwnSignal,
  { nativeSessionId, tell }: Caller,
  live: LiveText | null,
  heart: Heartbeat | null,
): TurnOptions {
  return {
    signal,
    idempotencyKey: turn.idempotencyKey,
    resumed: turn.resumed,
    nativeSessionId,
    onDelta(text) {
      if (typeof text !== 'string') throw invalidValueError('onDelta', 'text', text);
      if (signal.aborted) return;
      live?.add(text);
      tell('onDelta', (handlers) => handlers.onDelta?.(text, turn));
    },
    onProgress(event) {
      if (!isObject(event) || typeof event.text !== 'string')
        throw invalidValueError('onProgress', '{kind, text}', event);
      if (signal.aborted) return;
      heart?.doing(event.text);
      tell('onProgress', (handlers) => handlers.onProgress?.(event, turn));
    },
  };
}

function budgetAndTools({ turn, info }: OpenTurn, caller: Caller): Pick<TurnOptions, 'budget' | 'tools'> {
  const { client, meter } = caller;
  const { tools } = caller.options;
  const scene = { client, session: turn.session, info, turnKey: turn.idempotencyKey, budget: meter };
  return {
    ...(meter === null ? {} : { budget: budgetOf(meter) }),
    ...(tools === null ? {} : { tools: hubTools(scene, tools) }),
  };
}

/** Getters: the amount left changes with each call. */
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

/** Rejects `graceMs` after the signal if the agent has not ended by then. Its later output is dropped. */
function awaitWithGrace<T>(
  answer: Promise<T>,
  signal: CancelSignal,
  clock: Clock,
  graceMs: number,
  onDeaf: () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let stopWait = (): void => {};
    const giveUp = (): void => {
      onDeaf();
      reject(signal.reason);
    };
    const wait = (): void => {
      stopWait = clock.after(graceMs, giveUp);
    };
    const settle = (): void => {
      signal.removeEventListener('abort', wait);
      stopWait();
    };
    if (signal.aborted) wait();
    else signal.addEventListener('abort', wait, { once: true });
    answer.then(resolve, reject).finally(settle);
  });
}

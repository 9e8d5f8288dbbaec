/** Takes the turns of one participant: reads the thread, calls the agent, posts its answer or reports the failure. */

import type { AgentClient, Session, SessionEnd, TurnOffer } from '../../client/index.ts';
import { asError, HubError, WireError } from '../../core/lib/errors.ts';
import type { CancelSignal, OwnSignal } from '../../core/ports/platform.ts';
import { spendFromData } from '../../core/records/session/spending.ts';
import type { AgentReply } from '../agent/agent-fn.ts';
import { isEmpty, NO_ROUTES, noAnswerError, routeNames, routes, toContent, toPlainReply } from '../agent/reply.ts';
import { Budgets } from '../budget/budgets.ts';
import type { TurnMeter } from '../budget/turn-meter.ts';
import { redactError } from '../lib/redact-secrets.ts';
import { callAgent } from './call-agent.ts';
import { findTurn, type OpenTurn, readWithRetry, TurnClosedError, unreadTurn } from './find-turn.ts';
import { toTurnResult } from './governed-turn.ts';
import { type AgentTurn, createNotifier, type NotifyHandlers } from './handlers.ts';
import type { ResolvedJoinOptions } from './join-options.ts';
import { postAnswer, reportFailure } from './post-answer.ts';

export class Turns {
  private readonly client: AgentClient;
  private readonly options: ResolvedJoinOptions;
  private readonly slots: Slots;
  private readonly running = new Set<InstanceType<typeof AbortController>>();
  private readonly kept = new SessionMemories();
  private readonly budgets: Budgets;
  private readonly tell: NotifyHandlers;
  private isStopped = false;

  constructor(client: AgentClient, options: ResolvedJoinOptions) {
    this.client = client;
    this.budgets = new Budgets(client, options.budget);
    this.options = options;
    this.slots = new Slots(options.maxParallelTurns);
    this.tell = createNotifier(options);
  }

  /** Resolves when the turn was answered, failed or ended; never rejects. */
  async take(offer: TurnOffer, session: Session): Promise<void> {
    const { message, signal } = offer;
    const cancel = new AbortController();
    const end = (): void => cancel.abort(signal.reason);
    if (signal.aborted || this.isStopped) return;
    signal.addEventListener('abort', end, { once: true });
    this.running.add(cancel);
    try {
      if (!(await this.slots.take(cancel.signal))) return;
      try {
        const find = () => findTurn(this.client, session, message);
        const found = await readWithRetry(find, session, this.options, cancel.signal);
        if (found !== null && !cancel.signal.aborted) await this.run(found, cancel.signal);
      } finally {
        this.slots.giveBack();
      }
    } catch (thrown) {
      await this.unable(offer, session, asError(thrown), cancel.signal);
    } finally {
      signal.removeEventListener('abort', end);
      this.running.delete(cancel);
    }
  }

  /** Takes no more turns and cancels the open ones. */
  stop(why: string): void {
    this.isStopped = true;
    for (const cancel of this.running) cancel.abort(new HubError('left', why));
  }

  /** Takes no more turns; open ones continue. */
  refuse(): void {
    this.isStopped = true;
  }

  private async run(found: OpenTurn, signal: OwnSignal): Promise<void> {
    const { turn } = found;
    const { session } = turn;
    this.kept.watch(session, (end) => {
      this.budgets.forget(session.id);
      this.tell('onClosed', (handlers) => handlers.onClosed?.(session, end));
    });
    if (found.since === null && !this.mayAnswer(turn)) return this.enough(found, signal);
    this.tell('onTurn', (handlers) => handlers.onTurn?.(turn));
    let meter: TurnMeter | null = null;
    try {
      meter = await this.budgets.begin(session, found.info);
      const { nativeSessionId } = this.kept.of(session);
      const { client, options, tell } = this;
      const given = await callAgent(found, signal, { client, options, nativeSessionId, meter, tell });
      const reply = withCost(given, meter?.cost);
      meter?.finish(spendFromData(toContent(reply).event_data));
      if (signal.aborted) return this.cancelled(turn, signal);
      await this.post(found, reply, meter, signal);
    } catch (thrown) {
      if (signal.aborted) return this.cancelled(turn, signal);
      await this.failed(found, redactError(asError(thrown)), signal);
    } finally {
      meter?.end('unanswered');
    }
  }

  private async post(
    { turn, info, causationId, since }: OpenTurn,
    reply: AgentReply,
    meter: TurnMeter | null,
    signal: OwnSignal,
  ): Promise<void> {
    const { session, idempotencyKey: key } = turn;
    const names = routeNames(info.tools);
    const takesPackets = routes(reply, names) && (await session.canSend('msg.packet')).code !== 'protocol_error';
    const said = takesPackets ? reply : toPlainReply(reply, names);
    if (!takesPackets && isEmpty(said, NO_ROUTES)) throw noAnswerError();
    const content = toTurnResult(info, this.client.agentId, toContent(said, takesPackets ? names : NO_ROUTES));
    const options = { key, ...(causationId === null ? {} : { causationId }) };
    const posted = await postAnswer(session, content, options, this.options.clock, signal);
    if (posted.kind === 'late') return this.tell('onCancelled', (handlers) => handlers.onCancelled?.(posted.why, turn));
    meter?.end('answered');
    if (reply.native_session_id !== undefined) this.kept.of(session).nativeSessionId = reply.native_session_id;
    this.tell('onReply', (handlers) => handlers.onReply?.(said, turn, posted.answer));
    const { turn: next } = posted.answer;
    if (since === null || next?.since_seq !== since || next.agent_id !== this.client.agentId) return;
    // The answer did not pass the turn on, and this participant would not be asked again.
    const why = 'the answer did not pass the turn on; call handoff or finish';
    await this.failed({ turn, since }, new HubError('turn_kept', why), signal);
  }

  private async failed(
    { turn, since }: Pick<OpenTurn, 'turn' | 'since'>,
    error: Error,
    signal: OwnSignal,
  ): Promise<void> {
    await reportFailure(turn, since, error, this.options.clock, signal).catch((thrown: unknown) =>
      this.options.log.warn('could not report a failed turn', { error: asError(thrown).message }),
    );
    this.tell('onError', (handlers) => handlers.onError?.(error, turn));
  }

  private cancelled(turn: AgentTurn, { reason }: OwnSignal): void {
    this.tell('onCancelled', (handlers) => handlers.onCancelled?.(asError(reason).message, turn));
  }

  /** Reports a turn that could not be read, or whose answer would be rejected. */
  private async unable(offer: TurnOffer, session: Session, error: Error, signal: OwnSignal): Promise<void> {
    if (signal.aborted) return;
    if (error instanceof TurnClosedError) return this.failed(error.found, error, signal);
    // The session no longer exists for this participant.
    if (error instanceof WireError && error.code === 'not_found') return;
    const why = new HubError('unread', `the turn could not be read: ${error.message}`, { cause: error });
    await this.failed(unreadTurn(this.client, session, offer), why, signal);
  }

  /** False above the limit: in a session without turns, two agents could answer each other forever. */
  private mayAnswer({ session }: AgentTurn): boolean {
    const kept = this.kept.of(session);
    kept.answers += 1;
    return kept.answers <= this.options.maxAnswers;
  }

  /** Reports the limit once; the session continues without this participant's answers. */
  private async enough(found: OpenTurn, signal: OwnSignal): Promise<void> {
    const { maxAnswers } = this.options;
    if (this.kept.of(found.turn.session).answers > maxAnswers + 1) return;
    const why = `the limit of ${maxAnswers} answers in this session is reached`;
    await this.failed(found, new HubError('enough', why), signal);
  }
}

/** Adds the metered cost to a reply that reports none, because the hub and later runs read it. */
function withCost(reply: AgentReply, cost_usd: number | null | undefined): AgentReply {
  const isTold = reply.usage !== undefined || reply.cost_usd !== undefined || cost_usd === undefined;
  return isTold ? reply : { ...reply, cost_usd };
}

interface SessionMemory {
  /** Number of answers given without a turn. */
  answers: number;
  /** The tool's own id of the session. */
  nativeSessionId: string | undefined;
}

export class SessionMemories {
  private readonly sessions = new Map<string, SessionMemory>();

  of(session: Session): SessionMemory {
    const known = this.sessions.get(session.id);
    if (known !== undefined) return known;
    const kept = { answers: 0, nativeSessionId: undefined };
    this.sessions.set(session.id, kept);
    return kept;
  }

  /** Drops the memory of a session when it ends, and notifies once. */
  watch(session: Session, onEnd: (end: SessionEnd) => void): void {
    if (this.sessions.has(session.id)) return;
    this.of(session);
    session
      .ended()
      .then((end) => {
        this.sessions.delete(session.id);
        onEnd(end);
      })
      // Rejects if the client was closed, and all sessions with it.
      .catch(() => {});
  }
}

export class Slots {
  private free: number;
  private readonly line = new Set<() => void>();

  constructor(count: number) {
    this.free = count;
  }

  /** Resolves to true with a slot, or to false if the signal aborts first. */
  take(signal: CancelSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    if (this.free > 0) {
      this.free -= 1;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const give = (): void => {
        signal.removeEventListener('abort', leave);
        resolve(true);
      };
      const leave = (): void => {
        this.line.delete(give);
        resolve(false);
      };
      this.line.add(give);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  giveBack(): void {
    const [next] = this.line;
    if (next === undefined) {
      this.free += 1;
      return;
    }
    this.line.delete(next);
    next();
  }
}

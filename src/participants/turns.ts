/** Takes the turns of one participant: reads the thread, calls the agent, posts its answer, or says that there is none. */

import type { AgentClient, Session, TurnOffer } from '../client/index.ts';
import { asError, HubError, WireError } from '../core/errors.ts';
import type { OwnSignal } from '../core/ports.ts';
import type { AgentReply, TurnOptions } from './agent-fn.ts';
import { answerOrGrace } from './answer-or-grace.ts';
import { findTurn, type OpenTurn, Unwanted } from './find-turn.ts';
import { asResult, withBundle } from './governed-turn.ts';
import { type JoinHandlers, type TakenTurn, tell } from './handlers.ts';
import { Heartbeat } from './heartbeat.ts';
import type { Joining } from './join-options.ts';
import { LiveText } from './live-text.ts';
import { postAnswer } from './post-answer.ts';
import { asReply, contentOf, isEmpty, routes } from './reply.ts';
import { reportFailure } from './report-failure.ts';
import { Slots } from './slots.ts';
import { readThread } from './thread-context.ts';
import { withoutSecrets } from './without-secrets.ts';

export class Turns {
  private readonly client: AgentClient;
  private readonly options: Joining;
  private readonly slots: Slots;
  private readonly running = new Set<InstanceType<typeof AbortController>>();
  private readonly sessions = new Map<string, { answers: number; nativeSessionId: string | undefined }>();
  private isStopped = false;

  constructor(client: AgentClient, options: Joining) {
    this.client = client;
    this.options = options;
    this.slots = new Slots(options.maxParallelTurns);
  }

  /** Resolves when the turn was answered, has failed or is over; never rejects. */
  async take({ message, signal }: TurnOffer, session: Session): Promise<void> {
    const cancel = new AbortController();
    const end = (): void => cancel.abort(signal.reason);
    if (signal.aborted || this.isStopped) return;
    signal.addEventListener('abort', end, { once: true });
    this.running.add(cancel);
    try {
      if (!(await this.slots.take(cancel.signal))) return;
      try {
        const found = await findTurn(this.client, session, message);
        if (found !== null && !cancel.signal.aborted) await this.run(found, cancel.signal);
      } finally {
        this.slots.giveBack();
      }
    } catch (thrown) {
      await this.unable(session, asError(thrown), cancel.signal);
    } finally {
      signal.removeEventListener('abort', end);
      this.running.delete(cancel);
    }
  }

  /** No more turns are taken, and those that are under way are cancelled. */
  stop(why: string): void {
    this.isStopped = true;
    for (const cancel of this.running) cancel.abort(new HubError('left', why));
  }

  /** No more turns are taken. */
  refuse(): void {
    this.isStopped = true;
  }

  private async run(found: OpenTurn, signal: OwnSignal): Promise<void> {
    const { turn } = found;
    this.watch(turn.session);
    if (found.since === null && !this.mayAnswer(turn)) return this.enough(found, signal);
    this.tell('onTurn', (handlers) => handlers.onTurn?.(turn));
    try {
      const reply = await this.ask(found, signal);
      if (signal.aborted) return this.cancelled(turn, signal);
      await this.post(found, reply, signal);
    } catch (thrown) {
      if (signal.aborted) return this.cancelled(turn, signal);
      await this.failed(found, withoutSecrets(asError(thrown)), signal);
    }
  }

  private async ask(found: OpenTurn, signal: OwnSignal): Promise<AgentReply> {
    const { agent, systemPrompt, clock, view, graceMs, log } = this.options;
    const { turn, info, causationId, since } = found;
    const thread = withBundle(await readThread(turn.session, info, this.client.agentId, view), info, turn);
    if (signal.aborted) throw signal.reason;
    const live = causationId === null ? null : new LiveText(turn.session, causationId, clock);
    const heart = since === null ? null : new Heartbeat(turn.session, info.session, clock);
    heart?.start(turn.resumed);
    try {
      const run = async (): Promise<unknown> =>
        agent(thread, systemPrompt, this.turnOptions(turn, signal, live, heart));
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

  private turnOptions(turn: TakenTurn, signal: OwnSignal, live: LiveText | null, heart: Heartbeat | null): TurnOptions {
    const { budget } = this.options;
    return {
      signal,
      idempotencyKey: turn.idempotencyKey,
      resumed: turn.resumed,
      nativeSessionId: this.of(turn.session).nativeSessionId,
      budget,
      onDelta: (text) => {
        if (signal.aborted) return;
        live?.add(text);
        this.tell('onDelta', (handlers) => handlers.onDelta?.(text, turn));
      },
      onProgress: (event) => {
        if (signal.aborted) return;
        heart?.doing(event.text);
        this.tell('onProgress', (handlers) => handlers.onProgress?.(event, turn));
      },
    };
  }

  private async post(
    { turn, info, causationId, since }: OpenTurn,
    reply: AgentReply,
    signal: OwnSignal,
  ): Promise<void> {
    const { session, idempotencyKey: key } = turn;
    const takesPackets = routes(reply) && (await session.canSend('msg.packet')).code !== 'protocol_error';
    const options = { key, ...(causationId === null ? {} : { causationId }) };
    const content = asResult(info, this.client.agentId, contentOf(reply, takesPackets));
    const posted = await postAnswer(session, content, options, this.options.clock, signal);
    if (posted.kind === 'late') return this.tell('onCancelled', (handlers) => handlers.onCancelled?.(posted.why, turn));
    if (reply.native_session_id !== undefined) this.of(session).nativeSessionId = reply.native_session_id;
    this.tell('onReply', (handlers) => handlers.onReply?.(reply, turn, posted.answer));
    const { turn: next } = posted.answer;
    if (since === null || next?.since_seq !== since || next.agent_id !== this.client.agentId) return;
    // It was said, and is still for this participant to go on, which it would not be asked for again.
    const why = 'the answer did not pass the turn on; it takes a call of handoff or finish';
    await this.failed({ turn, since }, new HubError('turn_kept', why), signal);
  }

  private async failed(
    { turn, since }: Pick<OpenTurn, 'turn' | 'since'>,
    error: Error,
    signal: OwnSignal,
  ): Promise<void> {
    await reportFailure(turn, since, error, this.options.clock, signal).catch((thrown: unknown) =>
      this.options.log.warn('a failure could not be reported', { error: asError(thrown).message }),
    );
    this.tell('onError', (handlers) => handlers.onError?.(error, turn));
  }

  private cancelled(turn: TakenTurn, { reason }: OwnSignal): void {
    this.tell('onCancelled', (handlers) => handlers.onCancelled?.(asError(reason).message, turn));
  }

  /** Not even what there is to do could be found out, or nothing would be taken. */
  private async unable(session: Session, error: Error, signal: OwnSignal): Promise<void> {
    if (signal.aborted) return;
    if (error instanceof Unwanted) return this.failed(error.found, error, signal);
    const isGone = error instanceof WireError && error.code === 'not_found';
    if (!isGone) this.options.log.warn('a turn could not be taken', { session_id: session.id, error: error.message });
  }

  /** Two agents that answer each other where nobody has the turn would never end. */
  private mayAnswer({ session }: TakenTurn): boolean {
    const kept = this.of(session);
    kept.answers += 1;
    return kept.answers <= this.options.maxAnswers;
  }

  /** Said once: the session goes on without its answers. */
  private async enough(found: OpenTurn, signal: OwnSignal): Promise<void> {
    const { maxAnswers } = this.options;
    if (this.of(found.turn.session).answers > maxAnswers + 1) return;
    const why = `${maxAnswers} messages of this session were answered, and no more are`;
    await this.failed(found, new HubError('enough', why), signal);
  }

  private of(session: Session): { answers: number; nativeSessionId: string | undefined } {
    const known = this.sessions.get(session.id);
    if (known !== undefined) return known;
    const kept = { answers: 0, nativeSessionId: undefined };
    this.sessions.set(session.id, kept);
    return kept;
  }

  /** What is kept of a session goes with it. */
  private watch(session: Session): void {
    if (this.sessions.has(session.id)) return;
    this.of(session);
    session
      .ended()
      .then((end) => {
        this.sessions.delete(session.id);
        this.tell('onClosed', (handlers) => handlers.onClosed?.(session, end));
      })
      // The client is closed, and with it everything.
      .catch(() => {});
  }

  private tell(name: keyof JoinHandlers, run: (handlers: JoinHandlers) => unknown): void {
    tell(this.options.log, name, () => run(this.options.handlers));
  }
}

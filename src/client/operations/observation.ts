/** Observes sessions: passes on every envelope once and in order, even across lost links. */

import { asError, HubError, type WireError } from '../../core/lib/errors.ts';
import { invalidValueError } from '../../core/lib/json.ts';
import type { ForwardedDelta, NotifyFrame } from '../../core/protocol/frames/frames.ts';
import type { Result } from '../../core/protocol/operations/operations.ts';
import type { Envelope, Turn } from '../../core/records/session/envelope.ts';
import { isTerminal } from '../../core/records/session/session.ts';
import { checkOptions, functionCheck, type OptionChecks, optional } from '../lib/option-checks.ts';

export interface ObserveOptions {
  /** Start after this seq; 0 = the beginning (default: now). */
  readonly afterSeq?: number | undefined;
  /** Receives live deltas of participants. */
  readonly onDelta?: ((delta: ForwardedDelta) => unknown) | undefined;
}

const OBSERVE_OPTIONS: OptionChecks<ObserveOptions> = { afterSeq: null, onDelta: optional(functionCheck) };

/** The turn after an envelope, and the epoch it belongs to. */
export interface ObservationContext {
  readonly turn: Turn | null;
  /** If it changes, history was rewritten and is delivered again from the start. */
  readonly epoch: number;
}

/** Called for each envelope, one at a time and in order. If it throws, the error is logged; nothing is repeated. */
export type ObserveHandler = (envelope: Envelope, at: ObservationContext) => unknown;

/** Why an observation ended: the session ended, `stop` was called, the client closed, or the hub rejected it. */
export type ObservationEnd =
  | { readonly by: 'session' | 'caller' | 'client' }
  | { readonly by: 'refusal'; readonly error: WireError };

interface ObservationHost {
  subscribe(sessionId: string, afterSeq: number | undefined): Promise<Result<'subscribe'>>;
  unsubscribe(sessionId: string): Promise<unknown>;
  failed(doing: string, sessionId: string, error: Error): void;
  readonly isClosed: boolean;
}

/** Maximum envelopes that wait for a slow handler; the rest stays at the hub and is fetched later. */
const MAX_WAITING = 1000;
/** Maximum requests for the same missing envelope before it is skipped. */
const MAX_ASKS = 5;

export class Observation {
  readonly sessionId: string;
  /** Resolves when the observation has ended. */
  readonly ended: Promise<ObservationEnd>;
  private readonly host: ObservationHost;
  private readonly forgetThis: () => void;
  private readonly handler: ObserveHandler;
  private readonly options: ObserveOptions;
  private readonly waiting: NotifyFrame[] = [];
  /** The last seq received; undefined until the hub reports where the observation begins. */
  private last: number | undefined;
  private epoch: number | null = null;
  /** The number of the current request; answers to earlier ones are ignored. */
  private asked = 0;
  private isAsking = false;
  private isPaused = false;
  private isRunning = false;
  /** True once the last envelope of the session was received. */
  private isComplete = false;
  private isOver = false;
  private hole: { readonly seq: number; readonly times: number } = { seq: 0, times: 0 };
  private begin: { resolve(): void; reject(error: Error): void } | null = null;
  private settle: (end: ObservationEnd) => void = () => {};

  constructor(
    host: ObservationHost,
    sessionId: string,
    handler: ObserveHandler,
    options: ObserveOptions,
    forget: () => void,
  ) {
    this.host = host;
    this.forgetThis = forget;
    this.sessionId = sessionId;
    this.handler = handler;
    this.options = options;
    this.last = options.afterSeq;
    this.ended = new Promise((resolve) => {
      this.settle = resolve;
    });
  }

  /** Resolves when the hub has accepted the subscription. */
  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.begin = { resolve, reject };
      this.subscribe();
    });
  }

  /** Stops observing and drops unhandled envelopes. Idempotent. */
  stop(): void {
    if (this.isOver) return;
    this.finish({ by: 'caller' });
    // Ignore a failure: `finish` already made this client drop further envelopes.
    this.host.unsubscribe(this.sessionId).catch(() => {});
  }

  /** Subscribes again, because a new binding observes nothing yet. */
  rebound(): void {
    if (!this.isOver && !this.isPaused) this.subscribe();
  }

  receive(frame: NotifyFrame): void {
    const { envelope, epoch, prev_seq } = frame;
    if (this.isOver || this.isPaused || this.last === undefined) return;
    // The first envelope may arrive right after the answer, before `subscribed` runs.
    this.epoch ??= epoch;
    if (this.epoch !== epoch) this.forget(epoch);
    if (envelope.seq <= this.last) return;
    if ((prev_seq ?? 0) > this.last && this.showsLoss(envelope.seq)) return;
    if (this.waiting.length >= MAX_WAITING) return this.pause();
    this.last = envelope.seq;
    this.isComplete = envelope.event_type === 'session.closed' || envelope.event_type === 'session.expired';
    this.waiting.push(frame);
    void this.run();
  }

  showed(delta: ForwardedDelta): void {
    const { onDelta } = this.options;
    if (this.isOver || onDelta === undefined) return;
    void this.contained('onDelta', () => onDelta(delta));
  }

  finish(end: ObservationEnd): void {
    if (this.isOver) return;
    this.isOver = true;
    this.waiting.length = 0;
    this.forgetThis();
    this.settle(end);
    const error = end.by === 'refusal' ? end.error : new HubError('client_closed', 'the client was closed');
    this.begin?.reject(error);
    this.begin = null;
  }

  private subscribe(): void {
    this.asked += 1;
    const { asked } = this;
    this.isAsking = true;
    const counts = (): boolean => asked === this.asked && !this.isOver;
    this.host.subscribe(this.sessionId, this.last).then(
      (answer) => counts() && this.subscribed(answer),
      (thrown: WireError) => counts() && this.refused(thrown),
    );
  }

  private subscribed({ epoch, after_seq, head_seq, state }: Result<'subscribe'>): void {
    this.isAsking = false;
    if (this.epoch !== null && this.epoch !== epoch) {
      this.forget(epoch);
      // The requested start belonged to the old history.
      if (after_seq > 0) return this.subscribe();
    }
    this.epoch = epoch;
    this.last ??= after_seq;
    this.begin?.resolve();
    this.begin = null;
    this.isComplete ||= isTerminal(state) && Math.min(this.last, after_seq) >= head_seq;
    void this.run();
  }

  private refused(error: WireError): void {
    this.isAsking = false;
    this.finish(this.host.isClosed ? { by: 'client' } : { by: 'refusal', error });
  }

  /** Subscribes again after a lost envelope, unless a request is pending. Returns false after too many attempts. */
  private showsLoss(seq: number): boolean {
    if (this.isAsking) return true;
    const times = this.hole.seq === seq ? this.hole.times + 1 : 1;
    this.hole = { seq, times };
    if (times > MAX_ASKS) return false;
    this.subscribe();
    return true;
  }

  private forget(epoch: number): void {
    this.epoch = epoch;
    this.last = 0;
  }

  /** Unsubscribes until a slow handler has caught up; the other envelopes stay at the hub meanwhile. */
  private pause(): void {
    this.isPaused = true;
    this.asked += 1;
    this.isAsking = false;
    this.host.unsubscribe(this.sessionId).catch(() => {});
  }

  private async run(): Promise<void> {
    if (this.isRunning) return;
    this.isRunning = true;
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) {
      const { envelope, turn, epoch } = next;
      await this.contained('an observer', () => this.handler(envelope, { turn, epoch }));
    }
    this.isRunning = false;
    if (this.isOver) return;
    if (this.isPaused) {
      this.isPaused = false;
      this.subscribe();
    } else if (this.isComplete) this.finish({ by: 'session' });
  }

  private async contained(what: string, call: () => unknown): Promise<void> {
    try {
      await call();
    } catch (thrown) {
      this.host.failed(what, this.sessionId, asError(thrown));
    }
  }
}

export class Observations {
  private readonly host: ObservationHost;
  private readonly bySession = new Map<string, Observation>();

  constructor(host: ObservationHost) {
    this.host = host;
  }

  async add(sessionId: string, handler: ObserveHandler, options: ObserveOptions): Promise<Observation> {
    if (typeof handler !== 'function') throw invalidValueError('handler', 'a function', handler);
    checkOptions(options, OBSERVE_OPTIONS);
    if (this.bySession.has(sessionId)) {
      throw new HubError('already_observed', `session ${sessionId} is already observed; stop that observation first`);
    }
    const forget = (): void => void this.bySession.delete(sessionId);
    const observation = new Observation(this.host, sessionId, handler, options, forget);
    this.bySession.set(sessionId, observation);
    await observation.start();
    return observation;
  }

  receive(frame: NotifyFrame): void {
    this.bySession.get(frame.envelope.session_id)?.receive(frame);
  }

  showed(delta: ForwardedDelta): void {
    this.bySession.get(delta.session_id)?.showed(delta);
  }

  rebound(): void {
    for (const observation of [...this.bySession.values()]) observation.rebound();
  }

  refused(sessionId: string, error: WireError): void {
    this.bySession.get(sessionId)?.finish({ by: 'refusal', error });
  }

  finishAll(end: ObservationEnd): void {
    for (const observation of [...this.bySession.values()]) observation.finish(end);
  }
}

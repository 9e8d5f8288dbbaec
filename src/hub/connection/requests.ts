/** Handles the requests of one connection: finds the identity, tracks open ones, answers, and slows repeated rejections. */

import type { PostAnswer } from '../../core/decisions/admit.ts';
import { toWireError, WireError } from '../../core/lib/errors.ts';
import type { Link } from '../../core/lib/link.ts';
import { encodeFrame, encodePosted, errorRecord } from '../../core/protocol/frames/frame-codec.ts';
import type { RequestFrame } from '../../core/protocol/frames/frames.ts';
import { isOperation, OPERATIONS, type OperationName } from '../../core/protocol/operations/operations.ts';
import { hasExpired } from '../../core/records/access/credentials.ts';
import type { Passport } from '../../core/records/identity/passport.ts';
import { type Binding, notBoundError } from '../bindings/binding.ts';
import type { Bindings, ResumePoints } from '../bindings/bindings.ts';
import type { Delivery } from '../delivery/index.ts';
import { Counter } from '../lib/counter.ts';
import type { Ground } from '../log/ground.ts';
import type { Caller, Operations } from '../operations/run-operation.ts';
import type { Proof } from '../registry/handshake.ts';
import type { BoundIdentities } from './bound-identities.ts';

/** After this many rejections, less the requests answered with success, the link pauses for REFUSED_PAUSE_MS. */
const MANY_REFUSALS = 16;
const REFUSED_PAUSE_MS = 25;

export interface RequestsNeeds extends Pick<Ground, 'clock' | 'limits' | 'meter'> {
  readonly bindings: Bindings;
  readonly delivery: Delivery;
  readonly operations: Operations;
}

/** The connection that the requests belong to. */
export interface RequestsHost {
  readonly proof: Proof;
  send(text: string): void;
  welcome(passport: Passport, resume: ResumePoints, proof: Proof): void;
  goodFrame(): void;
  countBad(error: WireError): void;
}

interface Asked {
  readonly asker: Binding | null;
  readonly at: number;
}

export class Requests {
  private readonly needs: RequestsNeeds;
  private readonly link: Link;
  private readonly identities: BoundIdentities;
  private readonly host: RequestsHost;
  private open = 0;
  /** Ids of unanswered requests, counted because a client may use one twice. */
  private readonly unanswered = new Counter<string>();
  /** Rejected requests minus answered ones. */
  private refusals = 0;
  private caller: Caller | null = null;
  private asker: Binding | null = null;

  constructor(needs: RequestsNeeds, link: Link, identities: BoundIdentities, host: RequestsHost) {
    this.needs = needs;
    this.link = link;
    this.identities = identities;
    this.host = host;
  }

  openIds(): string[] {
    return [...this.unanswered.keys()];
  }

  /** Requests run concurrently, but start in order: each runs synchronously up to its first await. */
  receive(frame: RequestFrame): void {
    const { request_id } = frame;
    const { clock, limits } = this.needs;
    if (this.open >= limits.maxOpenRequests) {
      const message = `at most ${limits.maxOpenRequests} requests may be open on one connection`;
      return this.refuse(request_id, new WireError('rate_limited', message, { retry_after_ms: 100 }));
    }
    this.open += 1;
    this.unanswered.add(request_id);
    const at = clock.monotonic();
    const work = this.carryOut(frame);
    const { asker } = this;
    if (frame.deadline_ms !== undefined) return this.answerWithin(frame, frame.deadline_ms, work, { asker, at });
    // One `then` for both outcomes: every further promise would cost each post.
    work.then(
      (result) => {
        this.open -= 1;
        this.answer(frame, work, { asker, at }, result);
      },
      (thrown: unknown) => {
        this.open -= 1;
        this.answerRefusal(frame, work, thrown);
      },
    );
  }

  /** A rejection costs as much as an answer, so a client that keeps being rejected is slowed down. */
  refuse(request_id: string, error: WireError): void {
    this.needs.meter.refused(error.code);
    this.host.send(encodeFrame({ kind: 'response', request_id, ok: false, error: errorRecord(error) }));
    this.countRefusal();
  }

  countRefusal(): void {
    this.refusals += 1;
    if (this.refusals < MANY_REFUSALS) return;
    this.refusals = 0;
    this.link.slow?.(REFUSED_PAUSE_MS);
  }

  /** Turns every error into a rejected promise. Runs synchronously up to the operation's first await. */
  private carryOut(frame: RequestFrame): Promise<unknown> {
    this.asker = null;
    try {
      const { op } = frame;
      if (!isOperation(op)) throw this.unknownOperation(op);
      this.host.goodFrame();
      const asker = this.askerOf(op, frame);
      this.asker = asker;
      return this.needs.operations.run(this.callerAs(asker), op, frame.params);
    } catch (thrown) {
      return Promise.reject(thrown);
    }
  }

  private callerAs(binding: Binding | null): Caller {
    const { caller } = this;
    const { proof } = this.host;
    if (caller !== null && caller.binding === binding && caller.proof === proof) return caller;
    this.caller = { binding, proof, bind: (passport) => this.host.welcome(passport, {}, proof) };
    return this.caller;
  }

  private askerOf(op: OperationName, { as, params }: RequestFrame): Binding | null {
    const full = op === 'register' ? this.identities.noRoom(String(params.name)) : null;
    if (full !== null) throw full;
    const binding = this.identities.find(as);
    if (binding === undefined) throw new WireError('unauthenticated', `"${as}" is not bound to this connection`);
    if (as === undefined && this.identities.wasShared && OPERATIONS[op].who !== 'anyone') {
      const message = 'frame.as: this connection has several identities; name the one to act as';
      throw new WireError('bad_frame', message, { field: 'frame.as', expected: 'a name or agent id' });
    }
    if (binding !== null) this.checkProven(binding);
    return binding;
  }

  /** Ends the binding of an expired credential now, without waiting for the next sweep. */
  private checkProven(binding: Binding): void {
    const { credential, name } = binding;
    if (credential === null || credential.expires_at_ms === null) return;
    if (!hasExpired(credential, this.needs.clock.now())) return;
    this.needs.bindings.unbind(binding, 'unauthorized');
    throw notBoundError(name);
  }

  private unknownOperation(op: string): WireError {
    const expected = `one of ${Object.keys(OPERATIONS).join(', ')}`;
    const details = { field: 'frame.op', expected, received: op };
    const error = new WireError('bad_frame', `frame.op: no operation "${op}"; expected ${expected}`, details);
    this.host.countBad(error);
    return error;
  }

  /** Keeps the request open while its work runs, even after the timeout was answered. */
  private answerWithin(frame: RequestFrame, deadlineMs: number, work: Promise<unknown>, asked: Asked): void {
    const free = (): void => {
      this.open -= 1;
    };
    work.then(free, free);
    void this.withDeadline(frame, deadlineMs, work).then(
      (result) => this.answer(frame, work, asked, result),
      (thrown: unknown) => this.answerRefusal(frame, work, thrown),
    );
  }

  /** The deadline limits the wait for the answer; the work continues and may take effect. */
  private withDeadline({ op, params }: RequestFrame, deadline_ms: number, work: Promise<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const cancel = this.needs.clock.after(deadline_ms, () => {
        const session_id = typeof params.session_id === 'string' ? params.session_id : null;
        const message = `${op} took longer than ${deadline_ms} ms; it may still take effect`;
        reject(new WireError('timeout', message, { session_id }));
      });
      work.then(resolve, reject).finally(cancel);
    });
  }

  private answer(frame: RequestFrame, work: Promise<unknown>, { asker, at }: Asked, result: unknown): void {
    if (asker !== null && this.identities.isCutOff(asker)) {
      return this.answerRefusal(frame, work, notBoundError(asker.name));
    }
    const { clock, meter } = this.needs;
    const { op, request_id } = frame;
    if (op === 'post') meter.ackMs.observe(clock.monotonic() - at);
    this.refusals = Math.max(0, this.refusals - 1);
    // A post's result has a special, faster encoding.
    if (op === 'post') this.host.send(encodePosted(request_id, result as PostAnswer));
    else this.host.send(encodeFrame({ kind: 'response', request_id, ok: true, result }));
    this.answered(frame, work);
  }

  private answerRefusal(frame: RequestFrame, work: Promise<unknown>, thrown: unknown): void {
    this.refuse(frame.request_id, toWireError(thrown, frame.op));
    this.answered(frame, work);
  }

  private answered(frame: RequestFrame, work: Promise<unknown>): void {
    this.unanswered.remove(frame.request_id);
    if (frame.op === 'subscribe') this.beginObserving(frame, work);
  }

  /** Starts an observation after the answer to its `subscribe`. */
  private beginObserving({ as, params }: RequestFrame, work: Promise<unknown>): void {
    const begin = (): void => {
      const binding = this.identities.find(as);
      if (binding && typeof params.session_id === 'string')
        this.needs.delivery.observers.begin(binding, params.session_id);
    };
    // The timeout may have been answered while the work still runs.
    work.then(begin, () => {});
  }
}

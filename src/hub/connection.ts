/** One connection: frames in, frames out. Handshake, identity, request → operation → response, receipts. */

import type { PostAnswer } from '../core/decisions/admit.ts';
import { toWireError, WireError } from '../core/lib/errors.ts';
import {
  type DeltaFrame,
  encodeFrame,
  encodePosted,
  errorRecord,
  type GoodbyeReason,
  type HelloFrame,
  type HubFrame,
  type PingFrame,
  parseClientFrame,
  type ReceiptFrame,
  type RequestFrame,
  requestIdIn,
  STREAM_STARTS,
} from '../core/protocol/frames/frame-codec.ts';
import { utf8Bytes } from '../core/lib/json.ts';
import type { Link } from '../core/lib/link.ts';
import { isOperation, OPERATIONS, type OperationName } from '../core/operations.ts';
import type { Passport } from '../core/records/identity/passport.ts';
import { isoFromMs } from '../core/time.ts';
import type { Binding, Endpoint } from './bindings.ts';
import { type Caller, notBound } from './caller.ts';
import {
  credentialIn,
  type Greeted,
  isFailed,
  isOver,
  isProven,
  judgeHello,
  type Proof,
  TRUSTED,
} from './registry/handshake.ts';
import type { HubParts } from './parts.ts';
import type { Peer } from './peer.ts';
import { perform } from './perform.ts';
import type { Resume } from './resume.ts';
import { Unanswered } from './unanswered.ts';

/** What not every hub can. */
const FEATURES: readonly string[] = ['deltas', 'observe', STREAM_STARTS];
/** Refusals that were not made up for by as many answers, after which a connection is read more slowly; and how slowly. */
const MANY_REFUSALS = 16;
const REFUSED_PAUSE_MS = 25;

/** By whom a request was asked, and when. */
interface Asked {
  readonly asker: Binding | null;
  readonly at: number;
}

export class Connection implements Endpoint {
  readonly endpointId: string;
  private readonly parts: HubParts;
  private readonly link: Link;
  private readonly peer: Peer;
  /** By agent id, in the order they were bound. */
  private readonly identities = new Map<string, Binding>();
  /** Identities that were bound here; a connection binds few in its life. */
  private readonly past = new Set<string>();
  /** Identities whose credential ended here, with the last binding that had it: what they asked before is not answered. */
  private readonly cutOff = new Map<string, number>();
  /** It spoke for several at once: from then on a request that names none could be meant for one that is gone. */
  private shared = false;
  private openRequests = 0;
  /** The ids of those that are not answered. */
  private readonly unanswered = new Unanswered();
  private badFrames = 0;
  /** Requests that were refused, less those that were answered. */
  private refusals = 0;
  private closed = false;
  /** What the last hello proved. */
  private proof: Proof;
  /** Who asked last. */
  private caller: Caller | null = null;
  /** Whom the request that is just carried out is for. */
  private asker: Binding | null = null;
  /** What came while a credential is being judged; null = none is. */
  private waiting: string[] | null = null;
  private waitingBytes = 0;
  /** Since when, on the monotonic clock, what was sent does not leave; null = it leaves. */
  private heldUpSince: number | null = null;

  constructor(parts: HubParts, link: Link, peer: Peer, onClosed: (connection: Connection) => void) {
    this.parts = parts;
    this.link = link;
    this.peer = peer;
    this.proof = peer.authenticate === null ? TRUSTED : null;
    this.endpointId = parts.ids.hex32();
    link.onMessage((text) => this.receive(text));
    link.onDrain?.(() => this.drained());
    link.onClose(() => {
      this.end(null);
      onClosed(this);
    });
  }

  get isHeldUp(): boolean {
    return this.heldUpSince !== null;
  }

  get unsentBytes(): number {
    return this.link.unsentBytes ?? 0;
  }

  send(text: string): void {
    if (this.closed) return;
    this.link.send(text);
    if ((this.link.unsentBytes ?? 0) > this.parts.limits.maxUnsentBytes) this.holdUp();
  }

  /** Called once a second: who does not read for too long is sent away, and loses nothing by it. */
  checkSlow(): void {
    if (this.heldUpSince === null) return;
    const heldUpMs = this.parts.clock.monotonic() - this.heldUpSince;
    if (heldUpMs > this.parts.limits.slowConsumerMs) this.close('slow_consumer');
  }

  unbound(agentId: string, number: number, reason: GoodbyeReason | null): void {
    if (reason === 'unauthorized') this.cutOff.set(agentId, number);
    if (this.identities.get(agentId)?.number !== number) return;
    this.identities.delete(agentId);
    this.past.add(agentId);
  }

  /** Says goodbye and closes. */
  close(reason: 'shutdown' | 'bad_frames' | 'slow_consumer' | 'unauthorized'): void {
    if (this.closed) return;
    if (reason === 'slow_consumer') this.parts.meter.slowConsumers += 1;
    // Ended first: what leaves now is the goodbye alone.
    this.end(reason);
    this.link.send(encodeFrame({ kind: 'goodbye', reason }));
    this.link.close();
  }

  private end(why: GoodbyeReason | null): void {
    if (this.closed) return;
    this.closed = true;
    for (const binding of [...this.identities.values()]) this.parts.bindings.unbind(binding, why);
  }

  /** It is not read from either, so that it cannot ask for more than it takes. */
  private holdUp(): void {
    if (this.heldUpSince === null) {
      this.heldUpSince = this.parts.clock.monotonic();
      this.link.pause?.();
    }
    if ((this.link.unsentBytes ?? 0) > this.parts.limits.maxHeldBytes) this.close('slow_consumer');
  }

  private drained(): void {
    if (this.heldUpSince === null || this.closed) return;
    this.heldUpSince = null;
    this.link.resume?.();
    for (const binding of this.identities.values()) binding.goOn();
  }

  private receive(text: string): void {
    if (this.closed) return;
    if (this.waiting !== null) return this.putOff(text);
    try {
      const frame = parseClientFrame(text, this.parts.limits.maxFrameBytes);
      switch (frame.kind) {
        case 'hello':
          return this.hello(frame);
        case 'request':
          return this.request(frame);
        case 'receipt':
          return this.receipt(frame);
        case 'delta':
          return this.delta(frame);
        case 'ping':
          return this.pong(frame);
        case 'pong':
          return;
      }
    } catch (thrown) {
      this.badFrame(toWireError(thrown, 'reading a frame'), requestIdIn(text));
    }
  }

  private putOff(text: string): void {
    const { maxOpenRequests, maxFrameBytes } = this.parts.limits;
    this.waiting?.push(text);
    this.waitingBytes += utf8Bytes(text);
    if ((this.waiting?.length ?? 0) > maxOpenRequests || this.waitingBytes > maxFrameBytes) this.close('bad_frames');
  }

  /** While a credential is being judged, what comes behind it waits. */
  private hello(frame: HelloFrame): void {
    const greeted = judgeHello(this.parts, this.peer, frame);
    if (!(greeted instanceof Promise)) return this.greet(greeted, frame);
    this.waiting = [];
    void greeted.then((judged) => {
      const waiting = this.waiting ?? [];
      this.waiting = null;
      this.waitingBytes = 0;
      this.greet(judged, frame);
      for (const text of waiting) this.receive(text);
    });
  }

  private greet(greeted: Greeted, frame: HelloFrame): void {
    if (this.closed) return;
    // What was proven counts for a register that follows, also when the name is not known yet.
    if (isProven(greeted.proof) || !isProven(this.proof)) this.proof = greeted.proof;
    if (greeted.kind === 'bind') return this.welcome(greeted.passport, frame.resume ?? {}, greeted.proof);
    this.refuse(greeted.error);
    if (isFailed(greeted.proof) && this.peer.helloFailed()) this.close('unauthorized');
  }

  private welcome(passport: Passport, resume: Resume, proof: Proof): void {
    const { parts } = this;
    const { name, agent_id } = passport;
    if (this.closed) return;
    const isAgain = this.identities.has(agent_id);
    const full = isAgain ? null : this.noRoom(name);
    if (full !== null) return this.refuse(full);
    // To begin anew costs more than a refusal.
    if (isAgain) this.countRefusal();
    this.badFrames = 0;
    this.peer.bound();
    // The welcome goes first: nothing may be delivered on a binding the client does not know of.
    this.sendFrame({
      kind: 'welcome',
      name,
      agent_id,
      endpoint_id: this.endpointId,
      hub_id: parts.hubId,
      hub_time: isoFromMs(parts.clock.now()),
      limits: {
        max_frame_bytes: parts.limits.maxFrameBytes,
        max_event_bytes: parts.limits.maxEventBytes,
        window: parts.limits.window,
        max_open_requests: parts.limits.maxOpenRequests,
        max_subscriptions: parts.limits.maxSubscriptions,
        ping_ms: this.peer.pingMs ?? null,
      },
      features: parts.tokens === null ? FEATURES : [...FEATURES, 'tokens'],
    });
    this.identities.delete(agent_id);
    this.identities.set(agent_id, parts.bindings.bind(passport, this, resume, credentialIn(proof)));
    this.shared ||= this.identities.size > 1;
  }

  /** Requests run concurrently; what they do before their first wait keeps the order they came in. */
  private request(frame: RequestFrame): void {
    const { request_id } = frame;
    if (this.openRequests >= this.parts.limits.maxOpenRequests) {
      const message = `at most ${this.parts.limits.maxOpenRequests} requests may be open on one connection`;
      return this.respondError(request_id, new WireError('rate_limited', message, { retry_after_ms: 100 }));
    }
    this.openRequests += 1;
    this.unanswered.add(request_id);
    const at = this.parts.clock.monotonic();
    const work = this.carryOut(frame);
    const { asker } = this;
    if (frame.deadline_ms !== undefined) return this.answerWithin(frame, frame.deadline_ms, work, { asker, at });
    // One step for all of it: each is a promise more for every post.
    work.then(
      (result) => {
        this.openRequests -= 1;
        this.answer(frame, work, { asker, at }, result);
      },
      (thrown: unknown) => {
        this.openRequests -= 1;
        this.answerRefusal(frame, work, thrown);
      },
    );
  }

  /** The place is taken as long as the work goes on, also when its answer did not wait for it. */
  private answerWithin(frame: RequestFrame, deadlineMs: number, work: Promise<unknown>, asked: Asked): void {
    const free = (): void => {
      this.openRequests -= 1;
    };
    work.then(free, free);
    void this.withDeadline(frame, deadlineMs, work).then(
      (result) => this.answer(frame, work, asked, result),
      (thrown: unknown) => this.answerRefusal(frame, work, thrown),
    );
  }

  private answer(frame: RequestFrame, work: Promise<unknown>, { asker, at }: Asked, result: unknown): void {
    if (asker !== null && this.isCutOff(asker)) return this.answerRefusal(frame, work, notBound(asker.name));
    const { clock, meter } = this.parts;
    if (frame.op === 'post') meter.ackMs.observe(clock.monotonic() - at);
    this.respond(frame, result);
    this.answered(frame, work);
  }

  private answerRefusal(frame: RequestFrame, work: Promise<unknown>, thrown: unknown): void {
    this.respondError(frame.request_id, toWireError(thrown, frame.op));
    this.answered(frame, work);
  }

  /** Whatever is wrong is a refusal that comes later, as others do. Up to the operation's first wait it runs at once. */
  private carryOut(frame: RequestFrame): Promise<unknown> {
    this.asker = null;
    try {
      const { op } = frame;
      if (!isOperation(op)) throw this.unknownOperation(op);
      this.badFrames = 0;
      const asker = this.askerOf(op, frame);
      this.asker = asker;
      return perform(this.parts, this.callerAs(asker), op, frame.params);
    } catch (thrown) {
      return Promise.reject(thrown);
    }
  }

  /** Also what was begun while its credential held is no longer its to hear. */
  private isCutOff({ agentId, number }: Binding): boolean {
    return this.cutOff.size > 0 && number <= (this.cutOff.get(agentId) ?? 0);
  }

  /** Mostly the one that asked before. */
  private callerAs(binding: Binding | null): Caller {
    const { proof, caller } = this;
    if (caller !== null && caller.binding === binding && caller.proof === proof) return caller;
    this.caller = { binding, proof, bind: (passport) => this.welcome(passport, {}, proof) };
    return this.caller;
  }

  private answered(frame: RequestFrame, work: Promise<unknown>): void {
    this.unanswered.delete(frame.request_id);
    if (frame.op === 'subscribe') this.beginObserving(frame, work);
  }

  /** The answer comes first. */
  private beginObserving({ as, params }: RequestFrame, work: Promise<unknown>): void {
    const begin = (): void => {
      const binding = this.identityOf(as);
      if (binding && typeof params.session_id === 'string') this.parts.observers.begin(binding, params.session_id);
    };
    // A deadline may have answered before the work is done.
    work.then(begin, () => {});
  }

  /** Who asks by an id is told what is open here, so that it can tell what was lost on the way. */
  private pong({ id }: PingFrame): void {
    if (id === undefined) return this.sendFrame({ kind: 'pong' });
    let [unacked, invites] = [0, 0];
    for (const binding of this.identities.values()) {
      unacked += binding.unacked;
      invites += binding.invites.size;
    }
    this.sendFrame({ kind: 'pong', id, open: this.unanswered.ids(), unacked, invites });
  }

  private askerOf(op: OperationName, { as, params }: RequestFrame): Binding | null {
    const full = op === 'register' ? this.noRoom(String(params.name)) : null;
    if (full !== null) throw full;
    const binding = this.identityOf(as);
    if (binding === undefined) throw new WireError('unauthenticated', `"${as}" is not bound to this connection`);
    if (as === undefined && this.shared && OPERATIONS[op].who !== 'anyone') {
      const message = 'frame.as: this connection speaks for several identities; name the one that asks';
      throw new WireError('bad_frame', message, { field: 'frame.as', expected: 'a name or agent id' });
    }
    if (binding !== null) this.checkProven(binding);
    return binding;
  }

  /** A credential that ran out ends its binding at once, not only when time is looked at. */
  private checkProven(binding: Binding): void {
    const { credential, name } = binding;
    if (credential === null || credential.expires_at_ms === null) return;
    if (!isOver(credential, this.parts.clock.now())) return;
    this.parts.bindings.unbind(binding, 'unauthorized');
    throw notBound(name);
  }

  private unknownOperation(op: string): WireError {
    const expected = `one of ${Object.keys(OPERATIONS).join(', ')}`;
    const details = { field: 'frame.op', expected, received: op };
    const error = new WireError('bad_frame', `frame.op: no operation "${op}"; expected ${expected}`, details);
    this.countBad(error);
    return error;
  }

  /** Why one more identity cannot be bound here; null = it can. */
  private noRoom(name: string): WireError | null {
    const { maxIdentities } = this.parts.limits;
    if (this.identities.size < maxIdentities) return null;
    return new WireError('too_large', `one connection binds at most ${maxIdentities} identities`, { name });
  }

  /** null = nobody is bound yet; undefined = the one named is not bound here. */
  private identityOf(as: string | undefined): Binding | null | undefined {
    if (as === undefined) return this.firstIdentity();
    return this.identities.get(as) ?? [...this.identities.values()].find(({ name }) => name === as);
  }

  private firstIdentity(): Binding | null {
    for (const binding of this.identities.values()) return binding;
    return null;
  }

  /** Bounds the answer, not the effect. */
  private withDeadline({ op, params }: RequestFrame, deadline_ms: number, work: Promise<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const cancel = this.parts.clock.after(deadline_ms, () => {
        const session_id = typeof params.session_id === 'string' ? params.session_id : null;
        reject(
          new WireError('timeout', `${op} took longer than ${deadline_ms} ms; it may still take effect`, {
            session_id,
          }),
        );
      });
      work.then(resolve, reject).finally(cancel);
    });
  }

  private receipt(frame: ReceiptFrame): void {
    const binding = this.identities.get(frame.recipient_id);
    // On its way when another connection took over: nobody's fault.
    if (binding === undefined && this.past.has(frame.recipient_id)) return;
    if (binding !== undefined && this.parts.bindings.receive(binding, frame)) {
      this.badFrames = 0;
      return;
    }
    const message = `frame.seq: seq ${frame.seq} of session ${frame.session_id} was not sent to ${frame.recipient_id} on this binding`;
    this.badFrame(new WireError('bad_frame', message, { field: 'frame.seq', received: String(frame.seq) }));
  }

  /** A hint: what cannot be forwarded is dropped, but only who is bound here may send one. */
  private delta(frame: DeltaFrame): void {
    const binding = this.identities.get(frame.sender_id);
    if (binding !== undefined) {
      this.badFrames = 0;
      return this.parts.deltas.receive(binding, frame);
    }
    // On its way when another connection took over: nobody's fault.
    if (this.past.has(frame.sender_id)) return;
    const message = `frame.sender_id: expected an identity that is bound here, got "${frame.sender_id}"`;
    this.badFrame(new WireError('bad_frame', message, { field: 'frame.sender_id', received: frame.sender_id }));
  }

  /** Who asked something is answered, however wrong the rest of the frame is. */
  private badFrame(error: WireError, requestId: string | null = null): void {
    if (requestId === null) this.refuse(error);
    else this.respondError(requestId, error);
    this.countBad(error);
  }

  /** Who sends nothing but bad frames is sent away; a good one between them starts the count anew. */
  private countBad(error: WireError): void {
    this.badFrames += 1;
    this.parts.events.emit('badFrame', { agent_id: this.identityOf(undefined)?.agentId ?? null, error });
    if (this.badFrames >= this.parts.limits.maxBadFrames) this.close('bad_frames');
  }

  private refuse(error: WireError): void {
    this.parts.meter.refused(error.code);
    this.sendFrame({ kind: 'error', error: errorRecord(error) });
  }

  private respond({ request_id, op }: RequestFrame, result: unknown): void {
    this.refusals = Math.max(0, this.refusals - 1);
    // What a post is answered with.
    if (op === 'post') this.send(encodePosted(request_id, result as PostAnswer));
    else this.sendFrame({ kind: 'response', request_id, ok: true, result });
  }

  /** Saying no costs as much as saying yes: who goes on and on gets its share of time, and not that of others. */
  private respondError(request_id: string, error: WireError): void {
    this.parts.meter.refused(error.code);
    this.sendFrame({ kind: 'response', request_id, ok: false, error: errorRecord(error) });
    this.countRefusal();
  }

  private countRefusal(): void {
    this.refusals += 1;
    if (this.refusals < MANY_REFUSALS) return;
    this.refusals = 0;
    this.link.slow?.(REFUSED_PAUSE_MS);
  }

  private sendFrame(frame: HubFrame): void {
    this.send(encodeFrame(frame));
  }
}

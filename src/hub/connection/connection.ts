/**
 * Connections: performs the handshake, binds identities, passes requests to the operations and takes receipts. Bounds unsent
 * bytes and open requests. Sends the welcome before any delivery, and an answer before its effects. Start at `receive`.
 */

import { toWireError, WireError } from '../../core/lib/errors.ts';
import { utf8Bytes } from '../../core/lib/json.ts';
import type { Link } from '../../core/lib/link.ts';
import { isoFromMs } from '../../core/lib/time.ts';
import { encodeFrame, errorRecord, findRequestId, parseClientFrame } from '../../core/protocol/frames/frame-codec.ts';
import {
  type DeltaFrame,
  type GoodbyeReason,
  type HelloFrame,
  type HubFrame,
  type PingFrame,
  type ReceiptFrame,
  STREAM_STARTS,
} from '../../core/protocol/frames/frames.ts';
import type { Passport } from '../../core/records/identity/passport.ts';
import type { Endpoint } from '../bindings/binding.ts';
import type { Bindings, ResumePoints } from '../bindings/bindings.ts';
import type { Delivery } from '../delivery/index.ts';
import type { Ground } from '../log/ground.ts';
import type { Deltas } from '../posting/deltas.ts';
import {
  credentialFrom,
  type HelloResult,
  isFailed,
  isVerified,
  judgeHello,
  type Peer,
  type Proof,
  TRUSTED,
} from '../registry/handshake.ts';
import type { Registry } from '../registry/registry.ts';
import type { Tokens } from '../registry/tokens.ts';
import { BoundIdentities } from './bound-identities.ts';
import { Requests, type RequestsHost, type RequestsNeeds } from './requests.ts';

export interface ConnectionNeeds extends RequestsNeeds, Ground {
  readonly bindings: Bindings;
  readonly registry: Registry;
  readonly tokens: Tokens | null;
  readonly delivery: Delivery;
  readonly deltas: Deltas;
}

/** Features that not every hub offers, reported in the welcome. */
const FEATURES: readonly string[] = ['deltas', 'observe', STREAM_STARTS];

export class Connection implements Endpoint, RequestsHost {
  readonly endpointId: string;
  private readonly needs: ConnectionNeeds;
  private readonly link: Link;
  private readonly peer: Peer;
  private readonly identities: BoundIdentities;
  private readonly requests: Requests;
  private badFrames = 0;
  private closed = false;
  proof: Proof;
  /** Frames received while a credential is checked; null if no check is running. */
  private waiting: string[] | null = null;
  private waitingBytes = 0;
  /** Monotonic time at which sent bytes stopped draining; null if they drain. */
  private backpressuredSince: number | null = null;

  constructor(needs: ConnectionNeeds, link: Link, peer: Peer, onClosed: (connection: Connection) => void) {
    this.needs = needs;
    this.link = link;
    this.peer = peer;
    this.proof = peer.authenticate === null ? TRUSTED : null;
    this.endpointId = needs.ids.hex32();
    this.identities = new BoundIdentities(needs.limits.maxIdentities);
    this.requests = new Requests(needs, link, this.identities, this);
    link.onMessage((text) => this.receive(text));
    link.onDrain?.(() => this.drained());
    link.onClose(() => {
      this.end(null);
      onClosed(this);
    });
  }

  get isBackpressured(): boolean {
    return this.backpressuredSince !== null;
  }

  get unsentBytes(): number {
    return this.link.unsentBytes ?? 0;
  }

  send(text: string): void {
    if (this.closed) return;
    this.link.send(text);
    if ((this.link.unsentBytes ?? 0) > this.needs.limits.maxUnsentBytes) this.pauseLink();
  }

  /** Called once a second: closes a connection that has not read for too long. Unacked envelopes are delivered again later. */
  checkSlow(): void {
    if (this.backpressuredSince === null) return;
    const elapsedMs = this.needs.clock.monotonic() - this.backpressuredSince;
    if (elapsedMs > this.needs.limits.slowConsumerMs) this.close('slow_consumer');
  }

  unbound(agentId: string, number: number, reason: GoodbyeReason | null): void {
    this.identities.unbound(agentId, number, reason);
  }

  close(reason: 'shutdown' | 'bad_frames' | 'slow_consumer' | 'unauthorized'): void {
    if (this.closed) return;
    if (reason === 'slow_consumer') this.needs.meter.slowConsumers += 1;
    // End the bindings first, so that only the goodbye is still sent.
    this.end(reason);
    this.link.send(encodeFrame({ kind: 'goodbye', reason }));
    this.link.close();
  }

  private end(why: GoodbyeReason | null): void {
    if (this.closed) return;
    this.closed = true;
    for (const binding of [...this.identities.all()]) this.needs.bindings.unbind(binding, why);
  }

  /** Also stops reading: a client that does not read answers must not send more requests. */
  private pauseLink(): void {
    if (this.backpressuredSince === null) {
      this.backpressuredSince = this.needs.clock.monotonic();
      this.link.pause?.();
    }
    if ((this.link.unsentBytes ?? 0) > this.needs.limits.maxHeldBytes) this.close('slow_consumer');
  }

  private drained(): void {
    if (this.backpressuredSince === null || this.closed) return;
    this.backpressuredSince = null;
    this.link.resume?.();
    for (const binding of this.identities.all()) this.needs.delivery.resumeSending(binding);
  }

  private receive(text: string): void {
    if (this.closed) return;
    if (this.waiting !== null) return this.postpone(text);
    try {
      const frame = parseClientFrame(text, this.needs.limits.maxFrameBytes);
      switch (frame.kind) {
        case 'hello':
          return this.hello(frame);
        case 'request':
          return this.requests.receive(frame);
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
      this.badFrame(toWireError(thrown, 'reading a frame'), findRequestId(text));
    }
  }

  private postpone(text: string): void {
    const { maxOpenRequests, maxFrameBytes } = this.needs.limits;
    this.waiting?.push(text);
    this.waitingBytes += utf8Bytes(text);
    if ((this.waiting?.length ?? 0) > maxOpenRequests || this.waitingBytes > maxFrameBytes) this.close('bad_frames');
  }

  /** Postpones later frames while a credential is checked. */
  private hello(frame: HelloFrame): void {
    const greeted = judgeHello(this.needs, this.peer, frame);
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

  private greet(greeted: HelloResult, frame: HelloFrame): void {
    if (this.closed) return;
    // Keep the proof even if the name is unknown: a register may follow.
    if (isVerified(greeted.proof) || !isVerified(this.proof)) this.proof = greeted.proof;
    if (greeted.kind === 'bind') return this.welcome(greeted.passport, frame.resume ?? {}, greeted.proof);
    this.refuse(greeted.error);
    if (isFailed(greeted.proof) && this.peer.helloFailed()) this.close('unauthorized');
  }

  welcome(passport: Passport, resume: ResumePoints, proof: Proof): void {
    const { needs } = this;
    const { name, agent_id } = passport;
    if (this.closed) return;
    const isAgain = this.identities.get(agent_id) !== undefined;
    const full = isAgain ? null : this.identities.noRoom(name);
    if (full !== null) return this.refuse(full);
    // Count a repeated hello like a rejected request, to slow the client down: it costs even more.
    if (isAgain) this.requests.countRefusal();
    this.badFrames = 0;
    this.peer.bound();
    // Send the welcome first: the client must know the binding before any delivery.
    this.sendFrame({
      kind: 'welcome',
      name,
      agent_id,
      endpoint_id: this.endpointId,
      hub_id: needs.hubId,
      hub_time: isoFromMs(needs.clock.now()),
      limits: {
        max_frame_bytes: needs.limits.maxFrameBytes,
        max_event_bytes: needs.limits.maxEventBytes,
        window: needs.limits.window,
        max_open_requests: needs.limits.maxOpenRequests,
        max_subscriptions: needs.limits.maxSubscriptions,
        ping_ms: this.peer.pingMs ?? null,
      },
      features: needs.tokens === null ? FEATURES : [...FEATURES, 'tokens'],
    });
    this.identities.remove(agent_id);
    this.identities.add(needs.bindings.bind(passport, this, resume, credentialFrom(proof)));
  }

  /** Answers a ping with an id with the open requests and deliveries, so that the client can detect lost frames. */
  private pong({ id }: PingFrame): void {
    if (id === undefined) return this.sendFrame({ kind: 'pong' });
    let [unacked, invites] = [0, 0];
    for (const binding of this.identities.all()) {
      const recipient = this.needs.delivery.streams.of(binding);
      unacked += recipient?.unacked ?? 0;
      invites += recipient?.invites.size ?? 0;
    }
    this.sendFrame({ kind: 'pong', id, open: this.requests.openIds(), unacked, invites });
  }

  private receipt(frame: ReceiptFrame): void {
    const binding = this.identities.get(frame.recipient_id);
    // The receipt was sent before another connection replaced the binding.
    if (binding === undefined && this.identities.wasBound(frame.recipient_id)) return;
    if (binding !== undefined && this.needs.delivery.streams.receive(binding, frame)) {
      this.badFrames = 0;
      return;
    }
    const message = `frame.seq: seq ${frame.seq} of session ${frame.session_id} was not sent to ${frame.recipient_id} on this binding`;
    this.badFrame(new WireError('bad_frame', message, { field: 'frame.seq', received: String(frame.seq) }));
  }

  /** Forwards or drops a delta. Only an identity bound here may send deltas. */
  private delta(frame: DeltaFrame): void {
    const binding = this.identities.get(frame.sender_id);
    if (binding !== undefined) {
      this.badFrames = 0;
      return this.needs.deltas.receive(binding, frame);
    }
    // The delta was sent before another connection replaced the binding.
    if (this.identities.wasBound(frame.sender_id)) return;
    const message = `frame.sender_id: expected an identity that is bound here, got "${frame.sender_id}"`;
    this.badFrame(new WireError('bad_frame', message, { field: 'frame.sender_id', received: frame.sender_id }));
  }

  /** Answers the request, if the frame has an id, even if the rest of the frame is invalid. */
  private badFrame(error: WireError, requestId: string | null = null): void {
    if (requestId === null) this.refuse(error);
    else this.requests.refuse(requestId, error);
    this.countBad(error);
  }

  goodFrame(): void {
    this.badFrames = 0;
  }

  /** Closes the connection after `maxBadFrames` consecutive bad frames; a valid frame resets the count. */
  countBad(error: WireError): void {
    this.badFrames += 1;
    this.needs.events.emit('badFrame', { agent_id: this.identities.first()?.agentId ?? null, error });
    if (this.badFrames >= this.needs.limits.maxBadFrames) this.close('bad_frames');
  }

  private refuse(error: WireError): void {
    this.needs.meter.refused(error.code);
    this.sendFrame({ kind: 'error', error: errorRecord(error) });
  }

  private sendFrame(frame: HubFrame): void {
    this.send(encodeFrame(frame));
  }
}

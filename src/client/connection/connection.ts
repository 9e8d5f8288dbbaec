/**
 * Implements the protocol: handshake, requests, streams and receipts. Knows nothing of session handles. Invariants:
 * each request settles once; each delivery is acked or nacked once; no reconnect after a final goodbye. See
 * reconnecting-link.ts for lost links, streams.ts for repeats and gaps, loss-detector.ts for lost frames.
 */

import { asError, type WireCode, WireError } from '../../core/lib/errors.ts';
import type { Link } from '../../core/lib/link.ts';
import type { Logger } from '../../core/ports/platform.ts';
import { encodeFrame, errorFromRecord, parseHubFrame } from '../../core/protocol/frames/frame-codec.ts';
import {
  type ClientFrame,
  FINAL_GOODBYES,
  type GapFrame,
  type GoodbyeFrame,
  type HubFrame,
  type NotifyFrame,
  type PongFrame,
  PROTOCOL_VERSION,
  STREAM_STARTS,
  type WelcomeFrame,
} from '../../core/protocol/frames/frames.ts';
import type { OperationName, Params, Result } from '../../core/protocol/operations/operations.ts';
import { DEFAULT_LIMITS } from '../../core/records/access/limits.ts';
import type { Passport, PassportClaim } from '../../core/records/identity/passport.ts';
import type { Envelope } from '../../core/records/session/envelope.ts';
import {
  type ConnectionEnd,
  type ConnectionEvents,
  type Delivery,
  type DeltaDraft,
  describeEnd,
  truncateReason,
} from './connection-types.ts';
import { Handshake, type HelloOptions } from './handshake.ts';
import { LossDetector } from './loss-detector.ts';
import { ReconnectingLink, type ReconnectOptions } from './reconnecting-link.ts';
import { type CallOptions, Requests } from './requests.ts';
import { type Stream, type StreamFrame, Streams } from './streams.ts';

/** Errors that would also reject the next hello. */
const FINAL_REFUSALS: readonly WireCode[] = ['unauthenticated', 'unsupported_version', 'forbidden', 'bad_frame'];

export class Connection {
  private readonly line: ReconnectingLink;
  private readonly events: ConnectionEvents;
  private readonly log: Logger;
  private readonly requests: Requests;
  private readonly streams = new Streams();
  private readonly handshake = new Handshake((introduction) => this.sayHello(introduction));
  /** The bound identity; null if not bound yet. */
  agentId: string | null = null;
  /** Optional features of the hub. */
  private features: readonly string[] = [];
  /** The hub's time at the first welcome; null before it. */
  welcomedAt: string | null = null;
  end: ConnectionEnd | null = null;
  private readonly check = new LossDetector();
  /** True from the loss of the link until the next welcome. */
  isAway = false;

  /** `reconnect`: null if the connection ends with its link. */
  constructor(open: () => Link, reconnect: ReconnectOptions | null, events: ConnectionEvents, log: Logger) {
    this.events = events;
    this.log = log;
    const { clock = null } = reconnect ?? {};
    this.requests = new Requests((text) => this.line.send(text), DEFAULT_LIMITS.maxFrameBytes, clock);
    this.line = new ReconnectingLink(open, reconnect, {
      received: (text) => this.receive(text),
      replaced: () => this.comeBack(),
      lost: () => this.lost(),
      ended: () => this.finish({ by: 'link' }),
      beat: () => this.beat(),
    });
  }

  get isWelcome(): boolean {
    return this.welcomedAt !== null;
  }

  /** Binds a known identity. The hub redelivers everything unacked. */
  hello(introduction: HelloOptions): Promise<WelcomeFrame> {
    if (this.end === null) return this.handshake.hello(introduction);
    return Promise.reject(new WireError('unavailable', describeEnd(this.end), { outcome: 'refused' }));
  }

  /** Creates and binds a new identity. */
  async register(claim: PassportClaim): Promise<Passport> {
    const passport = await this.call('register', claim);
    this.bound(passport.agent_id);
    return passport;
  }

  call<Name extends OperationName>(op: Name, params: Params<Name>, options?: CallOptions): Promise<Result<Name>> {
    return this.requests.call(op, params, options);
  }

  /** Sends a delta, best effort: drops it if the hub is unreachable or does not support deltas. */
  show(delta: DeltaDraft): void {
    const sender_id = this.agentId;
    const isHeard =
      sender_id !== null && !this.isAway && this.handshake.pending === null && this.features.includes('deltas');
    if (isHeard) this.send({ kind: 'delta', sender_id, ...delta });
  }

  /** Call when the session ended for this identity: its stream is dropped after a while. */
  sessionEnded(sessionId: string): void {
    this.streams.sessionEnded(sessionId);
  }

  close(): void {
    this.finish({ by: 'caller' });
  }

  private receive(text: string): void {
    if (this.end !== null) return;
    const frame = this.parse(text);
    switch (frame?.kind) {
      case 'welcome':
        return this.welcomed(frame);
      case 'response':
        return this.requests.settle(frame);
      case 'notify':
        return this.notified(frame);
      case 'gap':
        return this.skipped(frame);
      case 'delta':
        return this.events.showed(frame);
      case 'goodbye':
        return this.dismissed(frame);
      case 'error':
        return this.refused(errorFromRecord(frame.error));
      case 'ping':
        return this.send({ kind: 'pong' });
      case 'pong':
        return this.checked(frame);
      // Ignore frame kinds of later versions.
    }
  }

  private parse(text: string): HubFrame | null {
    try {
      return parseHubFrame(text);
    } catch (thrown) {
      this.log.warn('the hub sent an invalid frame', { error: asError(thrown).message });
      return null;
    }
  }

  private bound(agentId: string): void {
    this.agentId = agentId;
    this.requests.as = agentId;
  }

  private welcomed(welcome: WelcomeFrame): void {
    this.welcomedAt ??= welcome.hub_time;
    this.bound(welcome.agent_id);
    this.requests.maxFrameBytes = welcome.limits.max_frame_bytes;
    this.requests.maxEventBytes = welcome.limits.max_event_bytes ?? null;
    this.streams.welcomed(welcome.features.includes(STREAM_STARTS));
    this.handshake.welcomed(welcome);
    this.features = welcome.features ?? [];
    const wasAway = this.isAway;
    this.isAway = false;
    if (wasAway) this.requests.resume();
    this.events.welcomed();
    if (wasAway) this.events.reached(true);
  }

  /** Handles a lost link. Before the first welcome there is nothing to resume, so the connection ends. */
  private lost(): void {
    this.check.forget();
    if (this.agentId === null || this.handshake.introduction === null) return this.finish({ by: 'link' });
    const why = 'the link to the hub was lost';
    this.handshake.giveUp(why);
    this.requests.suspend(why);
    if (this.isAway) return;
    this.isAway = true;
    this.log.warn('the hub is out of reach; trying again', {});
    this.events.reached(false);
  }

  /** Says hello again. A permanent rejection ends the connection; other errors are retried. */
  private comeBack(): void {
    const { introduction } = this.handshake;
    if (introduction !== null) this.hello(introduction).catch((error: WireError) => this.turnedAway(error));
  }

  /** Handles a rejected hello. If the link was lost meanwhile, the next link says hello. */
  private turnedAway(error: WireError): void {
    if (this.end !== null || error.details?.outcome === 'unknown') return;
    if (FINAL_REFUSALS.includes(error.code) || !this.line.comesBack) this.finish({ by: 'refusal', error });
    else this.line.renew(Number(error.details?.retry_after_ms ?? 0));
  }

  private sayHello({ name, credentials: auth }: HelloOptions): void {
    const resume = this.streams.greet();
    const known = Object.keys(resume).length > 0 ? { resume } : {};
    this.send({ kind: 'hello', protocol: PROTOCOL_VERSION, name, auth, ...known });
  }

  private beat(): void {
    const { requests, streams, handshake } = this;
    const waiting = { requests: requests.unanswered, deliveries: streams.unacked, invites: this.events.openInvites() };
    this.send({ kind: 'ping', id: this.check.begin({ ...waiting, greeting: handshake.pending }) });
  }

  /** Handles a pong: if the hub does not know an item that we have open, the item or its answer was lost. */
  private checked(pong: PongFrame): void {
    const { introduction, pending } = this.handshake;
    const found = this.check.compare(pong, pending);
    if (found === null) return;
    if (found.hello && introduction !== null) return this.sayHello(introduction);
    this.requests.lost(found.requests);
    if (found.deliveries && pending === null) this.resume();
  }

  /** Handles an error frame: it answers the pending hello. Once bound, `bad_frame` may concern any frame. */
  private refused(error: WireError): void {
    const { session_id, observed } = error.details ?? {};
    if (observed === true && typeof session_id === 'string') return this.events.unobserved(session_id, error);
    // A new identity says hello before it registers, so this rejection is normal; the caller handles it.
    const isFirstHello = error.code === 'unauthenticated' && this.handshake.pending !== null && this.agentId === null;
    if (!isFirstHello) this.log.warn('the hub refused a frame', { code: error.code, error: error.message });
    if (error.code === 'bad_frame' && this.agentId !== null) return;
    this.handshake.refused(error);
  }

  private notified(frame: NotifyFrame): void {
    if (frame.observed === true) return this.events.observed(frame);
    this.check.arrived(frame);
    if (!isInStream(frame)) return this.events.told(frame.envelope);
    const { envelope, epoch } = frame;
    if (this.streams.forgetOther(envelope.session_id, epoch)) this.events.forgotten(envelope.session_id);
    const received = this.streams.receive(frame);
    switch (received?.verdict) {
      case 'new':
      case 'again':
        return this.events.delivered(this.deliveryOf(frame, received.stream));
      case 'handled':
        return this.sendReceipt(envelope, 'ack');
      case 'lost':
        return this.resume();
      case 'waiting':
    }
  }

  private deliveryOf({ envelope, turn, delegated }: StreamFrame, stream: Stream): Delivery {
    const settle = (status: 'ack' | 'nack', reason?: string): void => {
      const counts = this.streams.settle(envelope.session_id, stream, envelope.seq, status);
      if (counts) this.sendReceipt(envelope, status, reason);
    };
    const nack = (reason: string): void => settle('nack', truncateReason(reason));
    return { envelope, turn, delegated: delegated === true, ack: () => settle('ack'), nack };
  }

  private sendReceipt({ session_id, seq }: Envelope, status: 'ack' | 'nack', reason?: string): void {
    const recipient_id = this.agentId;
    if (recipient_id === null) return;
    const why = reason === undefined ? {} : { reason };
    this.send({ kind: 'receipt', recipient_id, session_id, seq, status, ...why });
  }

  private skipped(gap: GapFrame): void {
    if (this.streams.forgetOther(gap.session_id, gap.epoch)) this.events.forgotten(gap.session_id);
    this.streams.skip(gap);
    this.events.gap(gap);
  }

  /** Binds again after a lost envelope, so that the hub redelivers everything unacked. */
  private resume(): void {
    const { introduction } = this.handshake;
    if (introduction === null) return;
    this.log.warn('an envelope was lost; resuming', { name: introduction.name });
    this.comeBack();
  }

  private dismissed({ reason, recipient_id, retry_after_ms }: GoodbyeFrame): void {
    if (recipient_id !== undefined && recipient_id !== this.agentId) return;
    const final = FINAL_GOODBYES.includes(reason);
    if (!final && this.line.comesBack && this.agentId !== null) return this.line.renew(retry_after_ms);
    this.finish({ by: 'hub', reason, final, retry_after_ms: retry_after_ms ?? null });
  }

  private send(frame: ClientFrame): void {
    if (this.end === null) this.line.send(encodeFrame(frame));
  }

  private finish(end: ConnectionEnd): void {
    if (this.end !== null) return;
    this.end = end;
    const why = describeEnd(end);
    this.handshake.giveUp(why);
    this.requests.end(why);
    this.events.ended(end);
    this.line.close();
  }
}

function isInStream(frame: NotifyFrame): frame is StreamFrame {
  return frame.prev_seq !== null;
}

/** The protocol over one link: handshake, requests, streams and their receipts. What arrives is handed on as deliveries. */

import type { Envelope, Turn } from '../../core/records/session/envelope.ts';
import { asError, type WireCode, WireError } from '../../core/lib/errors.ts';
import {
  type ClientFrame,
  encodeFrame,
  errorFromRecord,
  FINAL_GOODBYES,
  type ForwardedDelta,
  type GapFrame,
  type GoodbyeFrame,
  type GoodbyeReason,
  type HubFrame,
  type NotifyFrame,
  type PongFrame,
  PROTOCOL_VERSION,
  parseHubFrame,
  type ResumePoint,
  STREAM_STARTS,
  type WelcomeFrame,
} from '../../core/protocol/frames/frame-codec.ts';
import { isWellFormed, type JsonObject } from '../../core/lib/json.ts';
import { DEFAULT_LIMITS } from '../../core/records/access/limits.ts';
import type { Link } from '../../core/lib/link.ts';
import type { OperationName, Params, Result } from '../../core/operations.ts';
import type { Passport, PassportClaim } from '../../core/records/identity/passport.ts';
import type { Log } from '../../core/ports/platform.ts';
import { Check } from './loss-detector.ts';
import type { OwnDelta } from '../session/deltas.ts';
import type { Reconnect } from './reconnecting-link.ts';
import { Line } from './reconnecting-link.ts';
import { type CallOptions, Requests } from './requests.ts';
import type { Stream } from './streams.ts';
import { type StreamFrame, Streams } from '../streams.ts';

/** Who says hello, and how it proves it. */
export interface Introduction {
  readonly name: string;
  readonly credentials: JsonObject;
}

/** An envelope of the stream that has to be handled, and then acked or nacked once. */
export interface Delivery {
  readonly envelope: Envelope;
  /** Whose turn it was after this envelope. */
  readonly turn: Turn | null;
  /** Its session was delegated by this identity. */
  readonly delegated: boolean;
  ack(): void;
  /** It comes again later. */
  nack(reason: string): void;
}

/** Why a connection is over. After a final goodbye the same identity must not come back by itself. */
export type ConnectionEnd =
  | { readonly by: 'caller' }
  | { readonly by: 'link' }
  | {
      readonly by: 'hub';
      readonly reason: GoodbyeReason;
      readonly final: boolean;
      readonly retry_after_ms: number | null;
    }
  | { readonly by: 'refusal'; readonly error: WireError };

/** What a connection tells its owner, in the order in which it happened. None of these may throw. */
export interface ConnectionEvents {
  delivered(delivery: Delivery): void;
  /** An invite, or the end of a session that was never joined: outside the stream, without a receipt. */
  told(envelope: Envelope): void;
  gap(gap: GapFrame): void;
  /** An envelope of a session that is observed: outside every stream, without a receipt. */
  observed(frame: NotifyFrame): void;
  /** The hub does not let it observe that session any longer. */
  unobserved(sessionId: string, error: WireError): void;
  /** Part of a text that somebody is writing. */
  showed(delta: ForwardedDelta): void;
  /** There is a binding, perhaps another one than before: what was observed has to be asked for again. */
  welcomed(): void;
  /** Invites that are being answered. */
  openInvites(): number;
  /** The past of the session was rewritten: nothing seen of it counts. */
  forgotten(sessionId: string): void;
  /** The hub is out of reach, or there again; what was heard of it goes on where it was. */
  reached(isReached: boolean): void;
  ended(end: ConnectionEnd): void;
}

/** Refusals of a hello that the next one would get too. */
const FINAL_REFUSALS: readonly WireCode[] = ['unauthenticated', 'unsupported_version', 'forbidden', 'bad_frame'];

interface Greeting {
  resolve(welcome: WelcomeFrame): void;
  reject(error: WireError): void;
}

export class Connection {
  private readonly line: Line;
  private readonly events: ConnectionEvents;
  private readonly log: Log;
  private readonly requests: Requests;
  private readonly streams = new Streams();
  private introduction: Introduction | null = null;
  /** The hello that waits for its welcome; one at a time. */
  private greeting: Greeting | null = null;
  private boundId: string | null = null;
  /** What the hub can beyond what every hub can. */
  private features: readonly string[] = [];
  private welcomes = 0;
  private firstWelcome: string | null = null;
  private over: ConnectionEnd | null = null;
  /** The last ping, and what was known here when it was sent. */
  private readonly check = new Check();
  /** The hub was lost and has not welcomed us again. */
  private away = false;

  /** `reconnect` null = it ends with its link. */
  constructor(open: () => Link, reconnect: Reconnect | null, events: ConnectionEvents, log: Log) {
    this.events = events;
    this.log = log;
    const { clock = null } = reconnect ?? {};
    this.requests = new Requests((text) => this.line.send(text), DEFAULT_LIMITS.maxFrameBytes, clock);
    this.line = new Line(open, reconnect, {
      received: (text) => this.receive(text),
      replaced: () => this.comeBack(),
      lost: () => this.lost(),
      ended: () => this.finish({ by: 'link' }),
      beat: () => this.beat(),
    });
  }

  /** The identity bound here; null = none yet. */
  get agentId(): string | null {
    return this.boundId;
  }

  /** Nothing but a welcome says what the hub takes and how it delivers. */
  get isWelcome(): boolean {
    return this.welcomes > 0;
  }

  /** By the hub's clock, when it first did. */
  get welcomedAt(): string | null {
    return this.firstWelcome;
  }

  get end(): ConnectionEnd | null {
    return this.over;
  }

  get isAway(): boolean {
    return this.away;
  }

  /** Binds a known identity. The hub sends again what was not acked. */
  hello(introduction: Introduction): Promise<WelcomeFrame> {
    return new Promise((resolve, reject) => {
      if (this.over !== null) throw new WireError('unavailable', describeEnd(this.over), { outcome: 'refused' });
      this.greeting = { resolve, reject };
      this.sayHello(introduction);
    });
  }

  /** Makes a new identity, which is bound by that. */
  async register(claim: PassportClaim): Promise<Passport> {
    const passport = await this.call('register', claim);
    this.bound(passport.agent_id);
    return passport;
  }

  call<Name extends OperationName>(op: Name, params: Params<Name>, options?: CallOptions): Promise<Result<Name>> {
    return this.requests.call(op, params, options);
  }

  /** A hint: without a hub that takes it, it is dropped. */
  show(delta: OwnDelta): void {
    const sender_id = this.boundId;
    const isHeard = sender_id !== null && !this.away && this.greeting === null && this.features.includes('deltas');
    if (isHeard) this.send({ kind: 'delta', sender_id, ...delta });
  }

  resumePoints(): Readonly<Record<string, ResumePoint>> {
    return this.streams.resumePoints();
  }

  /** The session is over for this identity: its stream is kept for a while only. */
  sessionEnded(sessionId: string): void {
    this.streams.sessionEnded(sessionId);
  }

  close(): void {
    this.finish({ by: 'caller' });
  }

  private receive(text: string): void {
    if (this.over !== null) return;
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
      // A kind from a later version is none of ours.
    }
  }

  private parse(text: string): HubFrame | null {
    try {
      return parseHubFrame(text);
    } catch (thrown) {
      this.log.warn('the hub sent what is no frame', { error: asError(thrown).message });
      return null;
    }
  }

  private bound(agentId: string): void {
    this.boundId = agentId;
    this.requests.as = agentId;
  }

  private welcomed(welcome: WelcomeFrame): void {
    this.welcomes += 1;
    this.firstWelcome ??= welcome.hub_time;
    this.bound(welcome.agent_id);
    this.requests.maxFrameBytes = welcome.limits.max_frame_bytes;
    this.requests.maxEventBytes = welcome.limits.max_event_bytes ?? null;
    this.streams.welcomed(welcome.features.includes(STREAM_STARTS));
    this.greeting?.resolve(welcome);
    this.greeting = null;
    this.features = welcome.features ?? [];
    const wasAway = this.away;
    this.away = false;
    if (wasAway) this.requests.resume();
    this.events.welcomed();
    if (wasAway) this.events.reached(true);
  }

  /** Before the first welcome there is nothing to come back to: whoever connects is told at once. */
  private lost(): void {
    this.check.forget();
    if (this.boundId === null || this.introduction === null) return this.finish({ by: 'link' });
    const why = 'the link to the hub was lost';
    this.giveUpGreeting(why);
    this.requests.suspend(why);
    if (this.away) return;
    this.away = true;
    this.log.warn('the hub is out of reach; trying again', {});
    this.events.reached(false);
  }

  /** There is a link again. A refusal that will not change ends it; anything else is tried again. */
  private comeBack(): void {
    if (this.introduction !== null) this.hello(this.introduction).catch((error: WireError) => this.turnedAway(error));
  }

  /** A link that was lost meanwhile is replaced, and that says hello too. */
  private turnedAway(error: WireError): void {
    if (this.over !== null || error.details?.outcome === 'unknown') return;
    if (FINAL_REFUSALS.includes(error.code) || !this.line.comesBack) this.finish({ by: 'refusal', error });
    else this.line.renew(Number(error.details?.retry_after_ms ?? 0));
  }

  private sayHello(introduction: Introduction): void {
    this.introduction = introduction;
    const { name, credentials: auth } = introduction;
    const resume = this.streams.greet();
    const known = Object.keys(resume).length > 0 ? { resume } : {};
    this.send({ kind: 'hello', protocol: PROTOCOL_VERSION, name, auth, ...known });
  }

  private beat(): void {
    const { requests, streams, greeting } = this;
    const waiting = { requests: requests.unanswered, deliveries: streams.unacked, invites: this.events.openInvites() };
    this.send({ kind: 'ping', id: this.check.begin({ ...waiting, greeting }) });
  }

  /** What the hub should know of and does not was lost on the way, or its answer was. */
  private checked(pong: PongFrame): void {
    const found = this.check.compare(pong, this.greeting);
    if (found === null) return;
    if (found.hello && this.introduction !== null) return this.sayHello(this.introduction);
    this.requests.lost(found.requests);
    if (found.deliveries && this.greeting === null) this.resume();
  }

  private giveUpGreeting(why: string): void {
    this.greeting?.reject(new WireError('unavailable', `hello was not answered: ${why}`, { outcome: 'unknown' }));
    this.greeting = null;
  }

  /** An error that answers no request answers the hello that waits; but a bad frame may be any, once hello has worked. */
  private refused(error: WireError): void {
    const { session_id, observed } = error.details ?? {};
    if (observed === true && typeof session_id === 'string') return this.events.unobserved(session_id, error);
    // Whoever is not known yet says hello first: that it is refused is for them to judge.
    const isFirstHello = error.code === 'unauthenticated' && this.greeting !== null && this.boundId === null;
    if (!isFirstHello) this.log.warn('the hub refused a frame', { code: error.code, error: error.message });
    if (error.code === 'bad_frame' && this.boundId !== null) return;
    this.greeting?.reject(error);
    this.greeting = null;
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
    const nack = (reason: string): void => settle('nack', shorten(reason));
    return { envelope, turn, delegated: delegated === true, ack: () => settle('ack'), nack };
  }

  private sendReceipt({ session_id, seq }: Envelope, status: 'ack' | 'nack', reason?: string): void {
    const recipient_id = this.boundId;
    if (recipient_id === null) return;
    const why = reason === undefined ? {} : { reason };
    this.send({ kind: 'receipt', recipient_id, session_id, seq, status, ...why });
  }

  private skipped(gap: GapFrame): void {
    if (this.streams.forgetOther(gap.session_id, gap.epoch)) this.events.forgotten(gap.session_id);
    this.streams.skip(gap);
    this.events.gap(gap);
  }

  /** Something was lost on the way: a new binding sends everything that was not acked. Until it begins, nothing counts as lost. */
  private resume(): void {
    if (this.introduction === null) return;
    this.log.warn('an envelope was lost; resuming', { name: this.introduction.name });
    this.hello(this.introduction).catch((error: WireError) => this.turnedAway(error));
  }

  private dismissed({ reason, recipient_id, retry_after_ms }: GoodbyeFrame): void {
    if (recipient_id !== undefined && recipient_id !== this.boundId) return;
    const final = FINAL_GOODBYES.includes(reason);
    if (!final && this.line.comesBack && this.boundId !== null) return this.line.renew(retry_after_ms);
    this.finish({ by: 'hub', reason, final, retry_after_ms: retry_after_ms ?? null });
  }

  private send(frame: ClientFrame): void {
    if (this.over === null) this.line.send(encodeFrame(frame));
  }

  private finish(end: ConnectionEnd): void {
    if (this.over !== null) return;
    this.over = end;
    const why = describeEnd(end);
    this.giveUpGreeting(why);
    this.requests.end(why);
    this.events.ended(end);
    this.line.close();
  }
}

export function describeEnd(end: ConnectionEnd): string {
  switch (end.by) {
    case 'caller':
      return 'the client was closed';
    case 'link':
      return 'the link to the hub was closed';
    case 'hub':
      return `the hub said goodbye (${end.reason})`;
    case 'refusal':
      return `the hub refused to resume: ${end.error.message}`;
  }
}

function isInStream(frame: NotifyFrame): frame is StreamFrame {
  return frame.prev_seq !== null;
}

/** A reason that every hub takes: bounded, and without half characters. */
export function shorten(reason: string, most = 512): string {
  return [...reason].filter(isWellFormed).slice(0, most).join('');
}

/** A client of the simulation: speaks frames, remembers what it received, and checks it against the disk. */

import type { HubFrame, NotifyFrame, ResponseFrame } from 'parley-hub/core';
import { holds } from './law-broken.ts';
import { isFor, same } from './log-model.ts';
import { Wire } from './network.ts';
import type { Simulation } from './simulation.ts';

export interface Asked {
  readonly op: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The number of acks at that time. */
  readonly moment: number;
}

export interface Arrived {
  readonly session: string;
  readonly seq: number;
}

export class SimClient {
  name: string;
  agentId: string | null = null;
  bound = false;
  wire: Wire | null = null;
  /** Received and not acked yet. */
  arrived: Arrived[] = [];
  /** Sent with a key and never answered: to be repeated. */
  unanswered: Asked[] = [];
  readonly open = new Map<string, Asked>();
  readonly invites = new Set<string>();
  readonly sessions = new Set<string>();
  /** Everything ever received of each session, over all lives of this client. */
  readonly everSeen = new Map<string, Set<number>>();
  /** Ranges the hub reported as gaps. */
  readonly told = new Map<string, Set<number>>();
  /** Received and acked in this life of the client. */
  private seen = new Map<string, Set<number>>();
  private acked = new Map<string, Set<number>>();
  private readonly sim: Simulation;
  private onBinding = new Map<string, number>();
  /** Sessions it was invited to since it was bound. */
  readonly askedOnBinding = new Set<string>();
  private lastRequest = 0;
  /** The resume points of each hello in flight. */
  private claims: Record<string, { seq: number }>[] = [];

  constructor(sim: Simulation, name: string) {
    this.sim = sim;
    this.name = name;
  }

  connect(resume: boolean): void {
    const wire = new Wire();
    this.wire = wire;
    this.bound = false;
    this.claims = [];
    wire.clientEnd.onMessage((text) => this.receive(text));
    wire.clientEnd.onClose(() => this.lost(wire));
    this.sim.serve(this, wire);
    if (this.agentId === null) this.ask('register', { name: this.name });
    else this.hello(resume);
  }

  hello(resume: boolean): void {
    const points = resume ? this.resumePoints() : {};
    this.claims.push(points);
    this.send({ kind: 'hello', protocol: 1, name: this.name, auth: { scheme: 'none' }, resume: points });
  }

  ask(op: string, params: Record<string, unknown>): void {
    if (this.wire === null) return;
    this.lastRequest += 1;
    const request_id = String(this.lastRequest);
    const asked = { op, params, moment: this.sim.acks.moment };
    this.open.set(request_id, asked);
    this.sim.asking(this, asked);
    this.send({ kind: 'request', request_id, op, params });
  }

  receipt({ session, seq }: Arrived, status: 'ack' | 'nack' | 'seen'): void {
    if (status === 'ack') put(this.acked, session, seq);
    this.send({ kind: 'receipt', recipient_id: this.agentId, session_id: session, seq, status });
  }

  /** Starts again as a new identity without memory. */
  retired(): void {
    this.agentId = null;
    this.bound = false;
    this.forget();
    for (const known of [this.everSeen, this.told, this.sessions, this.invites]) known.clear();
    this.arrived = [];
    this.name = this.sim.freshName();
    if (this.wire !== null) this.ask('register', { name: this.name });
  }

  /** The client's process dies and starts again without its memory. */
  forget(): void {
    this.seen = new Map();
    this.acked = new Map();
  }

  send(frame: unknown): void {
    this.wire?.clientEnd.send(JSON.stringify(frame));
  }

  /** A frame leaves the hub: everything in it must be on disk now. */
  checkSent(text: string, from: Wire): void {
    const frame = JSON.parse(text) as HubFrame;
    if (frame.kind === 'notify') this.checkNotify(frame, from === this.wire);
    if (frame.kind === 'response') this.sim.checkResponse(this, this.open.get(frame.request_id), frame);
    if (frame.kind === 'welcome') {
      for (const [session, { seq }] of Object.entries(this.claims.shift() ?? {}))
        this.sim.claimed(frame.agent_id, session, seq);
    }
    if (frame.kind === 'welcome' || frame.kind === 'goodbye') {
      this.onBinding = new Map();
      this.askedOnBinding.clear();
    }
    if (frame.kind === 'gap') {
      for (let seq = frame.from_seq; seq <= frame.to_seq; seq++) {
        if (frame.reason === 'overflow') this.sim.checkOverflow(frame.recipient_id, frame.session_id, seq);
        this.sim.acks.tellGap(frame.recipient_id, frame.session_id, seq, frame.reason);
      }
      // A sent envelope that has expired, or makes room, is reported after later ones.
      if (from === this.wire)
        this.onBinding.set(frame.session_id, Math.max(frame.to_seq, this.onBinding.get(frame.session_id) ?? 0));
    }
  }

  private checkNotify({ envelope, prev_seq, turn, recipient_id, attempt }: NotifyFrame, isRead: boolean): void {
    const { session_id: session, seq } = envelope;
    const entry = this.sim.store.durableEntries(session)[seq - 1];
    holds(
      same(entry?.envelope, envelope),
      'L1',
      () => `${this.name} learned of ${session} seq ${seq}, which is not on disk`,
    );
    holds(
      same(entry?.turn, prev_seq === null ? (entry?.turn ?? null) : turn),
      'L3',
      () => `turn told of ${session} seq ${seq} is not the log's`,
    );
    holds(recipient_id === this.agentId, 'L7', () => `${this.name} gets what is for ${recipient_id}`);
    if (prev_seq === null) return;
    holds(isFor(envelope, recipient_id), 'L7', () => `${this.name} gets ${session} seq ${seq}, which is not for it`);
    if (attempt !== undefined) return this.sim.count('redelivered after nack');
    holds(
      !this.sim.acks.isAcked(recipient_id, session, seq),
      'L5',
      () => `${this.name} acked ${session} seq ${seq} and gets it again`,
    );
    // Nobody reads what is sent on a link the client has given up.
    if (!isRead) return;
    const previous = this.onBinding.get(session);
    holds(
      previous === undefined || seq > previous,
      'L2',
      () => `${this.name} gets ${session} seq ${seq} after ${previous}`,
    );
    holds(
      previous === undefined || prev_seq === previous,
      'L2',
      () => `${session} seq ${seq} says prev ${prev_seq}, but ${previous} came before`,
    );
    this.onBinding.set(session, seq);
    this.checkSkipped(session, seq, recipient_id);
  }

  /** Everything of its stream before this, and not sent on this binding, must have been acked. */
  private checkSkipped(session: string, seq: number, agentId: string): void {
    this.sim.model.follow(this.sim.store);
    const inFlight = this.sim.acks.sentTo(agentId, session);
    inFlight.add(seq);
    for (const owed of this.sim.model.owed(session, agentId)) {
      if (owed >= seq) return;
      const accounted =
        this.sim.isDenied(agentId, session, owed) ||
        inFlight.has(owed) ||
        this.sim.acks.wasEverAcked(agentId, session, owed);
      holds(accounted, 'L5', () => `${this.name} gets ${session} seq ${seq} but never got ${owed}`);
    }
  }

  private receive(text: string): void {
    const frame = JSON.parse(text) as HubFrame;
    switch (frame.kind) {
      case 'welcome':
        this.agentId = frame.agent_id;
        this.bound = true;
        return;
      case 'goodbye':
        this.bound = false;
        return;
      case 'gap':
        this.sim.count(`gap ${frame.reason}`);
        for (let seq = frame.from_seq; seq <= frame.to_seq; seq++) {
          put(this.told, frame.session_id, seq);
          // A gap is final, even if a clock set back would allow delivery.
          put(this.seen, frame.session_id, seq);
        }
        return;
      case 'response':
        return this.answered(frame);
      case 'notify':
        return this.notified(frame);
      case 'error':
        // The answer to unregister was lost: this identity is retired.
        if (frame.error.code === 'unauthenticated' && frame.error.details?.name === this.name) this.retired();
        return;
      default:
        return;
    }
  }

  private notified({ envelope, prev_seq, attempt }: NotifyFrame): void {
    const { session_id: session, seq } = envelope;
    if (prev_seq === null) {
      if (envelope.event_type === 'session.invite') {
        this.invites.add(session);
        this.askedOnBinding.add(session);
      } else this.sim.count('end told to an invitee');
      return;
    }
    this.sessions.add(session);
    const seen = this.seen.get(session) ?? new Set();
    if (seen.has(seq)) this.sim.count('seen again');
    // An envelope reported as a gap may still arrive, even at a client that forgot the gap.
    else if (attempt === undefined && ![this.everSeen, this.told].some((known) => known.get(session)?.has(seq))) {
      const newest = Math.max(0, ...seen);
      // Withheld envelopes count as acked, and a crash may lose acks: then they arrive after later ones.
      const isInOrder = seq > newest || this.sim.isDenied(this.agentId ?? '', session, seq);
      holds(isInOrder, 'L2', () => `${this.name} first sees ${session} seq ${seq} after ${newest}`);
    }
    put(this.seen, session, seq);
    put(this.everSeen, session, seq);
    this.arrived.push({ session, seq });
  }

  private answered(frame: ResponseFrame): void {
    const asked = this.open.get(frame.request_id);
    this.open.delete(frame.request_id);
    if (asked !== undefined) this.sim.answered(this, asked, frame);
  }

  private lost(wire: Wire): void {
    if (this.wire === wire) this.leave();
  }

  /** Disconnected: unanswered requests are to be repeated. */
  leave(): void {
    this.wire = null;
    this.bound = false;
    this.onBinding = new Map();
    this.arrived = [];
    for (const asked of this.open.values()) if (asked.params.idempotency_key !== undefined) this.unanswered.push(asked);
    this.open.clear();
  }

  /** The largest seq up to which everything received was acked. */
  private resumePoints(): Record<string, { seq: number; epoch: number }> {
    const points: Record<string, { seq: number; epoch: number }> = {};
    for (const [session, seen] of this.seen) {
      let seq = 0;
      for (const next of [...seen].sort((a, b) => a - b)) {
        if (this.acked.get(session)?.has(next) !== true) break;
        seq = next;
      }
      if (seq > 0) points[session] = { seq, epoch: 1 };
    }
    return points;
  }
}

function put(index: Map<string, Set<number>>, session: string, seq: number): void {
  const known = index.get(session);
  if (known === undefined) index.set(session, new Set([seq]));
  else known.add(seq);
}

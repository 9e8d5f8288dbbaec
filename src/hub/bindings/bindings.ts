/**
 * Bindings: tracks which identity is bound to which connection, and when each was last seen (Presence). An identity has
 * at most one binding; a newer one replaces it. Notifies one listener in a fixed order. Start at `bind`.
 */

import type { Clock } from '../../core/ports/platform.ts';
import { encodeFrame } from '../../core/protocol/frames/frame-codec.ts';
import type { GoodbyeReason, ResumePoint } from '../../core/protocol/frames/frames.ts';
import { type Credential, hasExpired } from '../../core/records/access/credentials.ts';
import type { Passport } from '../../core/records/identity/passport.ts';
import type { Ground } from '../log/ground.ts';
import { Binding, type Endpoint } from './binding.ts';

/** The resume points a client reported, by session id. */
export type ResumePoints = Readonly<Record<string, ResumePoint>>;

/** Implemented by delivery. Every call is synchronous and must not throw. */
export interface BindingListener {
  /** Start recording what becomes durable for the agent; send nothing yet. */
  bound(binding: Binding): void;
  /** Stop sending. Called before the goodbye. */
  unbound(binding: Binding): void;
  /** The agent connected or disconnected; a closing session may have waited only for its ack. */
  presenceChanged(agentId: string): void;
  /** Start delivering to the agent everything it has not acked. */
  resume(binding: Binding, resume: ResumePoints): void;
}

const NOBODY: BindingListener = { bound() {}, unbound() {}, presenceChanged() {}, resume() {} };

type BindingsNeeds = Pick<Ground, 'clock' | 'events'>;

export class Bindings {
  readonly presence: Presence;
  private readonly needs: BindingsNeeds;
  private listener: BindingListener = NOBODY;
  private readonly expiry: Expiry;
  private readonly byAgent = new Map<string, Binding>();
  private lastNumber = 0;

  constructor(needs: BindingsNeeds) {
    this.needs = needs;
    this.presence = new Presence(needs.clock, (agentId) => this.isBound(agentId));
    this.expiry = new Expiry(needs.clock, (isOver) => this.endUnproven(isOver));
  }

  /** Sets the listener; delivery is constructed later because it needs the bindings. */
  follow(listener: BindingListener): void {
    this.listener = listener;
  }

  get size(): number {
    return this.byAgent.size;
  }

  get(agentId: string): Binding | undefined {
    return this.byAgent.get(agentId);
  }

  all(): Iterable<Binding> {
    return this.byAgent.values();
  }

  isBound(agentId: string): boolean {
    return this.byAgent.has(agentId);
  }

  /** True while the connection is bound to the identity: a repeated hello does not void earlier requests. */
  mayAct(binding: Binding): boolean {
    if (binding.mayStillAct !== null) return binding.mayStillAct();
    return this.byAgent.get(binding.agentId)?.endpoint === binding.endpoint;
  }

  isCurrent(binding: { readonly agentId: string; readonly number: number }): boolean {
    return this.byAgent.get(binding.agentId)?.number === binding.number;
  }

  /** Binds immediately; deliveries start once the agent's cursors are loaded. */
  bind(passport: Passport, endpoint: Endpoint, resume: ResumePoints, credential: Credential | null = null): Binding {
    const old = this.byAgent.get(passport.agent_id);
    this.lastNumber += 1;
    const binding = new Binding(passport, this.lastNumber, endpoint, credential);
    this.byAgent.set(binding.agentId, binding);
    if (old !== undefined) this.listener.unbound(old);
    this.listener.bound(binding);
    if (old !== undefined) this.sayGoodbye(old, old.endpoint === endpoint ? null : 'replaced');
    this.listener.presenceChanged(binding.agentId);
    this.needs.events.emit('agentBound', { agent_id: binding.agentId, name: binding.name, binding: binding.number });
    this.expiry.bound(binding);
    this.listener.resume(binding, resume);
    return binding;
  }

  /** Ends the binding if it is current. `goodbye` is the reason sent to the peer; null sends none. */
  unbind(binding: Binding, goodbye: GoodbyeReason | null): void {
    if (this.byAgent.get(binding.agentId) !== binding) return;
    this.byAgent.delete(binding.agentId);
    this.presence.left(binding.agentId);
    this.listener.unbound(binding);
    this.sayGoodbye(binding, goodbye);
    this.listener.presenceChanged(binding.agentId);
  }

  unbindAgent(agentId: string, goodbye: GoodbyeReason): void {
    const binding = this.byAgent.get(agentId);
    if (binding !== undefined) this.unbind(binding, goodbye);
  }

  /** Ends the bindings whose credential is no longer valid. */
  endUnproven(isOver: (credential: Credential) => boolean): void {
    for (const binding of [...this.byAgent.values()]) {
      if (binding.credential !== null && isOver(binding.credential)) this.unbind(binding, 'unauthorized');
    }
  }

  private sayGoodbye(binding: Binding, goodbye: GoodbyeReason | null): void {
    this.expiry.unbound(binding);
    if (goodbye !== null)
      binding.send(encodeFrame({ kind: 'goodbye', reason: goodbye, recipient_id: binding.agentId }));
    binding.endpoint.unbound(binding.agentId, binding.number, goodbye);
    const { agentId: agent_id, name, number } = binding;
    this.needs.events.emit('agentUnbound', { agent_id, name, binding: number, reason: goodbye ?? 'left' });
  }
}

/** Credentials that expire within this time are handled in one pass. */
const TOGETHER_MS = 10;

class Expiry {
  private readonly clock: Clock;
  private readonly endThose: (isOver: (credential: Credential) => boolean) => void;
  private readonly expiring = new Set<Binding>();
  private armedFor = Number.POSITIVE_INFINITY;
  private disarm: () => void = () => {};

  constructor(clock: Clock, endThose: (isOver: (credential: Credential) => boolean) => void) {
    this.clock = clock;
    this.endThose = endThose;
  }

  bound(binding: Binding): void {
    const atMs = binding.credential?.expires_at_ms ?? null;
    if (atMs === null) return;
    this.expiring.add(binding);
    if (atMs < this.armedFor) this.arm(atMs, 0);
  }

  unbound(binding: Binding): void {
    if (!this.expiring.delete(binding) || this.expiring.size > 0) return;
    this.disarm();
    this.armedFor = Number.POSITIVE_INFINITY;
  }

  private arm(atMs: number, leastMs: number): void {
    this.disarm();
    this.armedFor = atMs;
    this.disarm = this.clock.after(Math.max(leastMs, atMs - this.clock.now()), () => this.end());
  }

  private end(): void {
    const nowMs = this.clock.now();
    this.armedFor = Number.POSITIVE_INFINITY;
    this.endThose((credential) => hasExpired(credential, nowMs));
    let earliest = Number.POSITIVE_INFINITY;
    for (const { credential } of this.expiring) earliest = Math.min(earliest, credential?.expires_at_ms ?? earliest);
    if (earliest < this.armedFor) this.arm(earliest, TOGETHER_MS);
  }
}

/** While it waits, an agent without a connection sends requests more often than this. */
const PRESENT_MS = 60_000;

/** Tracks which agents are present, connected or by requests, and when each was last seen. */
export class Presence {
  private readonly clock: Clock;
  private readonly isBound: (agentId: string) => boolean;
  private readonly leftMs = new Map<string, number>();
  private readonly lookedInMs = new Map<string, number>();
  /** When the hub started; counts as the last sighting of agents not seen since. */
  readonly startedMs: number;

  constructor(clock: Clock, isBound: (agentId: string) => boolean) {
    this.clock = clock;
    this.isBound = isBound;
    this.startedMs = clock.now();
  }

  left(agentId: string): void {
    this.leftMs.set(agentId, this.clock.now());
  }

  looksIn(agentId: string): void {
    this.lookedInMs.set(agentId, this.clock.now());
  }

  lastSeenMs(agentId: string): number {
    return this.leftMs.get(agentId) ?? this.startedMs;
  }

  /** True if the agent is connected or made a request within the last minute. */
  isHere(agentId: string): boolean {
    if (this.isBound(agentId)) return true;
    const atMs = this.lookedInMs.get(agentId);
    if (atMs === undefined) return false;
    if (this.clock.now() - atMs < PRESENT_MS) return true;
    this.lookedInMs.delete(agentId);
    return false;
  }
}

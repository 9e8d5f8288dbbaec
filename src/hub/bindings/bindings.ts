/**
 * Bindings: who is connected. This room owns the current binding of each identity and when each was last seen (presence.ts).
 * There is at most one binding per identity; bindings are numbered, a newer one takes over, and admission checks the number.
 * It knows nothing of delivery: it tells its one listener, in a fixed order. Start reading at `bind`.
 */

import type { Clock } from '../../core/ports/platform.ts';
import { encodeFrame } from '../../core/protocol/frames/frame-codec.ts';
import type { GoodbyeReason, ResumePoint } from '../../core/protocol/frames/frames.ts';
import { type Credential, hasExpired } from '../../core/records/access/credentials.ts';
import type { Passport } from '../../core/records/identity/passport.ts';
import type { HubEventEmitter } from '../telemetry/events.ts';
import { Binding, type Endpoint } from './binding.ts';
import { Presence } from './presence.ts';

/** Where the client says it is, per session. */
export type ResumePoints = Readonly<Record<string, ResumePoint>>;

/** Delivery follows the bindings. Every call is synchronous and must not throw. */
export interface BindingListener {
  /** From now on what becomes durable is noted for it; nothing is sent yet. */
  bound(binding: Binding): void;
  /** Nothing more is sent to it. Called before its goodbye. */
  unbound(binding: Binding): void;
  /** Who is here has changed: a closing session may have waited for this agent alone. */
  presenceChanged(agentId: string): void;
  /** Send what it is owed. */
  resume(binding: Binding, resume: ResumePoints): void;
}

const NOBODY: BindingListener = { bound() {}, unbound() {}, presenceChanged() {}, resume() {} };

export interface BindingsNeeds {
  readonly clock: Clock;
  readonly events: HubEventEmitter;
}

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

  /** Delivery is made after the bindings, since it needs them. */
  follow(listener: BindingListener): void {
    this.listener = listener;
  }

  get size(): number {
    return this.byAgent.size;
  }

  /** Who speaks for it; undefined = nobody is bound. */
  get(agentId: string): Binding | undefined {
    return this.byAgent.get(agentId);
  }

  all(): Iterable<Binding> {
    return this.byAgent.values();
  }

  isBound(agentId: string): boolean {
    return this.byAgent.has(agentId);
  }

  /** The connection of this binding still speaks for the identity: a repeated hello does not void what it asked before. */
  mayAct(binding: Binding): boolean {
    if (binding.mayStillAct !== null) return binding.mayStillAct();
    return this.byAgent.get(binding.agentId)?.endpoint === binding.endpoint;
  }

  isCurrent(binding: { readonly agentId: string; readonly number: number }): boolean {
    return this.byAgent.get(binding.agentId)?.number === binding.number;
  }

  /** Binds at once; what is due to the agent follows when its cursors are loaded. */
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

  /** Ends a binding, if it is still the current one; `goodbye` tells the peer why. */
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

  /** Bindings whose credential no longer holds end at once. */
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

/** Thousands that run out one after another are looked at together. */
const TOGETHER_MS = 10;

export class Expiry {
  private readonly clock: Clock;
  private readonly endThose: (isOver: (credential: Credential) => boolean) => void;
  /** Bindings whose credential runs out some day. */
  private readonly mortal = new Set<Binding>();
  private armedFor = Number.POSITIVE_INFINITY;
  private disarm: () => void = () => {};

  constructor(clock: Clock, endThose: (isOver: (credential: Credential) => boolean) => void) {
    this.clock = clock;
    this.endThose = endThose;
  }

  bound(binding: Binding): void {
    const atMs = binding.credential?.expires_at_ms ?? null;
    if (atMs === null) return;
    this.mortal.add(binding);
    if (atMs < this.armedFor) this.arm(atMs, 0);
  }

  unbound(binding: Binding): void {
    if (!this.mortal.delete(binding) || this.mortal.size > 0) return;
    this.disarm();
    this.armedFor = Number.POSITIVE_INFINITY;
  }

  private arm(atMs: number, leastMs: number): void {
    const { clock } = this;
    this.disarm();
    this.armedFor = atMs;
    this.disarm = clock.after(Math.max(leastMs, atMs - clock.now()), () => this.end());
  }

  private end(): void {
    const nowMs = this.clock.now();
    this.armedFor = Number.POSITIVE_INFINITY;
    this.endThose((credential) => hasExpired(credential, nowMs));
    let earliest = Number.POSITIVE_INFINITY;
    for (const { credential } of this.mortal) earliest = Math.min(earliest, credential?.expires_at_ms ?? earliest);
    if (earliest < this.armedFor) this.arm(earliest, TOGETHER_MS);
  }
}

/** Who is connected: one binding per identity. Bindings are numbered, a newer one takes over, and admission checks the number. */

import type { Credential } from '../core/records/access/credentials.ts';
import { membershipEnd } from '../core/records/session/delivery.ts';
import type { Entry } from '../core/records/session/envelope.ts';
import { FewAtATime } from '../core/lib/concurrency-limit.ts';
import { encodeFrame, encodeNotify, type GoodbyeReason, type ReceiptFrame } from '../core/protocol/frames/frame-codec.ts';
import type { Head } from '../core/state/fold-head.ts';
import type { Passport } from '../core/records/identity/passport.ts';
import { isTerminal } from '../core/records/session/session.ts';
import type { SessionState } from '../core/state/state.ts';
import type { Progress } from './delivery/cursors.ts';
import { checkDrained } from './drain.ts';
import { EnvelopeTexts } from './envelope-texts.ts';
import { Expiry } from './expiry.ts';
import type { Observation } from './observation.ts';
import type { HubParts } from './parts.ts';
import { Pump, type PumpTarget } from './pump.ts';
import type { Resume } from './resume.ts';
import { Resumes } from './resumes.ts';

/** A stream that is finished costs some hundred bytes. */
const FINISHED_KEPT = 256;

/** A session of an agent, as far as it is durable. */
export interface OwedSession {
  readonly head: Head;
  readonly epoch: number;
}

/** The end of a connection a binding speaks through. */
export interface Endpoint {
  readonly endpointId: string;
  send(text: string): void;
  /** What was sent has not left yet: streams wait until it has. */
  readonly isHeldUp: boolean;
  /** How much that is; absent = it leaves at once. */
  readonly unsentBytes?: number;
  /** The binding is over though the connection may go on. `reason`: as it was told. */
  unbound(agentId: string, number: number, reason: GoodbyeReason | null): void;
}

export class Binding implements PumpTarget {
  readonly agentId: string;
  readonly name: string;
  readonly number: number;
  readonly endpoint: Endpoint;
  /** What its connection proved; null = it is trusted. */
  readonly credential: Credential | null;
  readonly pumps: Map<string, Pump> = new Map();
  /** What it observes, by session. */
  readonly observations: Map<string, Observation> = new Map();
  /** Sessions it was invited to on this binding and has not answered about. */
  readonly invites: Set<string> = new Set();
  /** Sessions that have ended and are acked to the end, the longest ago first. */
  readonly finished: Set<string> = new Set();
  /** Its cursors are loaded; before that, nothing is delivered. */
  ready = false;
  /** The newest heads of sessions that changed while it was not ready: the lists it reads may lack them. */
  readonly meanwhile: Map<string, OwedSession> = new Map();

  constructor(passport: Passport, number: number, endpoint: Endpoint, credential: Credential | null) {
    this.agentId = passport.agent_id;
    this.name = passport.name;
    this.number = number;
    this.endpoint = endpoint;
    this.credential = credential;
  }

  /** Deliveries that wait for a receipt. */
  get unacked(): number {
    let count = 0;
    for (const pump of this.pumps.values()) count += pump.unacked;
    return count;
  }

  get isHeldUp(): boolean {
    return this.endpoint.isHeldUp;
  }

  send(text: string): void {
    this.endpoint.send(text);
  }

  /** What was sent has left: its streams go on. */
  goOn(): void {
    for (const pump of this.pumps.values()) pump.goOn();
    for (const observation of [...this.observations.values()]) observation.goOn();
  }

  oldestStream(): Pump | null {
    let oldest: Pump | null = null;
    for (const pump of this.pumps.values()) {
      if (pump.oldest !== null && (oldest?.oldest == null || pump.oldest < oldest.oldest)) oldest = pump;
    }
    return oldest;
  }
}

/** When thousands come back at once, whoever is here already is served between them. */
const READS_AT_ONCE = 16;

export class Bindings {
  readonly texts: EnvelopeTexts = new EnvelopeTexts();
  private readonly parts: HubParts;
  private readonly resumes: Resumes;
  private readonly expiry: Expiry;
  /** Streams that read from the store. */
  readonly reads: FewAtATime = new FewAtATime(READS_AT_ONCE);
  private readonly byAgent = new Map<string, Binding>();
  private lastNumber = 0;

  constructor(parts: HubParts) {
    this.parts = parts;
    this.resumes = new Resumes(parts);
    this.expiry = new Expiry(parts);
  }

  get size(): number {
    return this.byAgent.size;
  }

  /** Who speaks for it; undefined = nobody is bound. */
  of(agentId: string): Binding | undefined {
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
    return this.byAgent.get(binding.agentId)?.endpoint === binding.endpoint;
  }

  isCurrent(binding: { readonly agentId: string; readonly number: number }): boolean {
    return this.byAgent.get(binding.agentId)?.number === binding.number;
  }

  /** Binds at once; what is due to the agent follows when its cursors are loaded. */
  bind(passport: Passport, endpoint: Endpoint, resume: Resume, credential: Credential | null = null): Binding {
    const old = this.byAgent.get(passport.agent_id);
    this.lastNumber += 1;
    const binding = new Binding(passport, this.lastNumber, endpoint, credential);
    this.byAgent.set(binding.agentId, binding);
    if (old !== undefined) this.finish(old, old.endpoint === endpoint ? null : 'replaced');
    this.presenceChanged(binding.agentId);
    this.parts.events.emit('agentBound', { agent_id: binding.agentId, name: binding.name, binding: binding.number });
    this.expiry.bound(binding);
    this.resumes.begin(binding, resume);
    return binding;
  }

  /** Ends a binding, if it is still the current one; `goodbye` tells the peer why. */
  unbind(binding: Binding, goodbye: GoodbyeReason | null): void {
    if (this.byAgent.get(binding.agentId) !== binding) return;
    this.byAgent.delete(binding.agentId);
    this.parts.presence.left(binding.agentId);
    this.finish(binding, goodbye);
    this.presenceChanged(binding.agentId);
  }

  unbindAgent(agentId: string, goodbye: GoodbyeReason): void {
    const binding = this.byAgent.get(agentId);
    if (binding !== undefined) this.unbind(binding, goodbye);
  }

  /** What the one who speaks for it now has proven. */
  credentialOf(agentId: string): Credential | null {
    return this.byAgent.get(agentId)?.credential ?? null;
  }

  /** Bindings whose credential no longer holds end at once. */
  endUnproven(isOver: (credential: Credential) => boolean): void {
    for (const binding of [...this.byAgent.values()]) {
      if (binding.credential !== null && isOver(binding.credential)) this.unbind(binding, 'unauthorized');
    }
  }

  /** What just became durable goes to everyone who may have it. */
  publish(entries: readonly Entry[], after: SessionState, epoch: number): void {
    this.parts.inboxes.unstage(entries);
    for (const { agent_id, status } of after.metadata.participants) {
      this.parts.inboxes.published(agent_id, entries, after.head);
      const binding = this.byAgent.get(agent_id);
      if (binding === undefined) continue;
      if (!binding.ready) {
        binding.meanwhile.set(after.head.session_id, { head: after.head, epoch });
        continue;
      }
      if (status !== 'invited' && binding.invites.size > 0) binding.invites.delete(after.head.session_id);
      const end = membershipEnd(after.head, agent_id);
      if (end > 0) this.wake(binding, after.head, epoch, end, entries);
      else if (status === 'invited') this.tellInvitee(binding, entries, after, epoch);
    }
  }

  /** Everyone joined and still here has everything up to `seq`. */
  haveAcked(head: Head, seq: number): boolean {
    return Object.entries(head.members).every(([agentId, status]) => {
      const binding = this.byAgent.get(agentId);
      if (binding === undefined || (status !== 'active' && status !== 'hidden')) return true;
      return binding.pumps.get(head.session_id)?.hasAcked(seq) ?? false;
    });
  }

  /** False = a receipt for what was not sent on this binding. */
  receive(binding: Binding, receipt: ReceiptFrame): boolean {
    const { session_id, seq, status, reason } = receipt;
    const pump = binding.pumps.get(session_id);
    if (pump === undefined || !pump.receive(status, seq, reason ?? 'nacked')) return false;
    const closing = this.parts.index.closing(session_id);
    if (closing !== undefined) void checkDrained(this.parts, closing);
    else if (pump.isDone && !binding.finished.has(session_id)) this.retire(binding, pump);
    return true;
  }

  /** A session that closes may have waited for this agent alone. */
  private presenceChanged(agentId: string): void {
    for (const head of this.parts.index.closingOf(agentId)) void checkDrained(this.parts, head);
  }

  /** The session has ended and the recipient has all of it. The newest few stay for receipts that come late, as `seen` does. */
  private retire(binding: Binding, pump: Pump): void {
    pump.stop();
    this.parts.cursors.retire(binding.agentId, pump.sessionId);
    binding.finished.add(pump.sessionId);
    for (const oldest of binding.finished) {
      if (binding.finished.size <= FINISHED_KEPT) return;
      binding.finished.delete(oldest);
      binding.pumps.delete(oldest);
    }
  }

  private finish(binding: Binding, goodbye: GoodbyeReason | null): void {
    for (const pump of binding.pumps.values()) pump.stop();
    binding.pumps.clear();
    this.parts.observers.removeAll(binding);
    this.expiry.unbound(binding);
    if (goodbye !== null)
      binding.send(encodeFrame({ kind: 'goodbye', reason: goodbye, recipient_id: binding.agentId }));
    binding.endpoint.unbound(binding.agentId, binding.number, goodbye);
    const { agentId: agent_id, name, number } = binding;
    this.parts.events.emit('agentUnbound', { agent_id, name, binding: number, reason: goodbye ?? 'left' });
  }

  private wake(binding: Binding, head: Head, epoch: number, end: number, entries: readonly Entry[]): void {
    const pump = binding.pumps.get(head.session_id);
    if (pump?.epoch === epoch) return pump.wake(head, end, entries);
    const progress = this.parts.cursors.getOrStart(binding.agentId, head.session_id, epoch);
    this.wakeAt(binding, progress, head, end);
  }

  /** The pump of one stream, made when it is first needed. */
  wakeAt(binding: Binding, progress: Progress, head: Head, end: number): void {
    const known = binding.pumps.get(head.session_id);
    const pump = known ?? new Pump(this.parts, binding, progress, head);
    if (known === undefined) binding.pumps.set(head.session_id, pump);
    pump.wake(head, end);
  }

  /** An invite is outside the stream: no prev_seq, no receipt. So is the end of a session that was never joined. */
  private tellInvitee(binding: Binding, entries: readonly Entry[], after: SessionState, epoch: number): void {
    const ended = isTerminal(after.metadata.state);
    for (const { envelope } of entries) {
      const invite = envelope.event_type === 'session.invite' && envelope.audience?.includes(binding.agentId);
      const end = ended && envelope.seq === after.metadata.head_seq;
      if (invite !== true && !end) continue;
      this.sendOutside(binding, { envelope, turn: null }, epoch);
      if (!end) continue;
      binding.invites.delete(after.head.session_id);
      this.heardEnd(binding.agentId, after.head, epoch);
    }
  }

  /** Those who never joined have no stream to ack in: once told, the end is done with. */
  heardEnd(agentId: string, head: Head, epoch: number): void {
    const progress = this.parts.cursors.getOrStart(agentId, head.session_id, epoch);
    progress.seq = head.seq;
    this.parts.cursors.retire(agentId, head.session_id);
  }

  sendOutside(binding: Binding, { envelope }: Entry, epoch: number): void {
    if (envelope.event_type === 'session.invite') binding.invites.add(envelope.session_id);
    const frame = { recipient_id: binding.agentId, epoch, prev_seq: null, turn: null };
    binding.send(encodeNotify(frame, JSON.stringify(envelope)));
  }
}

/** Manages the observers of sessions. An observation ends with its binding, grant or session, or by unsubscribing. */

import { WireError } from '../../core/lib/errors.ts';
import { encodeFrame, encodeNotify, errorRecord } from '../../core/protocol/frames/frame-codec.ts';
import { isTerminal } from '../../core/records/session/session.ts';
import type { Entry, Head } from '../../core/records/session/unit.ts';
import type { SessionState } from '../../core/state/state.ts';
import type { Binding } from '../bindings/binding.ts';
import type { Bindings } from '../bindings/bindings.ts';
import { Counter } from '../lib/counter.ts';
import type { Ground } from '../log/ground.ts';
import type { Registry } from '../registry/registry.ts';
import type { Redactions } from '../sessions/redactions.ts';
import type { Meter } from '../telemetry/meter.ts';
import { type EnvelopeTexts, LogReader, type LogReaderNeeds, type LogStream } from './log-reader.ts';

type ObserverSource = { readonly epoch: number; readonly afterSeq: number };

export type ObserversNeeds = Ground &
  ObservationNeeds & {
    readonly registry: Registry;
    readonly bindings: Bindings;
  };

export class Observers {
  private readonly needs: ObserversNeeds;
  private readonly bySession = new Map<string, Set<Observation>>();
  private readonly byBinding = new Map<number, Map<string, Observation>>();
  private readonly counts = new Counter<string>();

  constructor(needs: ObserversNeeds) {
    this.needs = needs;
    needs.events.on('agentGranted', ({ passport }) => this.grantsChanged(passport.agent_id));
  }

  /** Adds an observation, which sends nothing before `begin`. A repeated one starts again. */
  add(binding: Binding, { head }: SessionState, from: ObserverSource): void {
    const { session_id } = head;
    this.remove(binding, session_id);
    const { endpointId } = binding.endpoint;
    const { maxSubscriptions } = this.needs.limits;
    if (this.counts.get(endpointId) >= maxSubscriptions) {
      const message = `one connection observes at most ${maxSubscriptions} sessions; unsubscribe from one first`;
      throw new WireError('too_large', message, { expected: `at most ${maxSubscriptions}` });
    }
    this.counts.add(endpointId);
    const over = (): void => this.remove(binding, session_id);
    const observation = new Observation(this.needs, binding, head, from, over);
    this.ofBinding(binding).set(session_id, observation);
    const others = this.bySession.get(session_id);
    if (others === undefined) this.bySession.set(session_id, new Set([observation]));
    else others.add(observation);
  }

  /** Starts sending; called after the answer to `subscribe`. */
  begin(binding: Binding, sessionId: string): void {
    this.byBinding.get(binding.number)?.get(sessionId)?.begin();
  }

  remove(binding: Binding, sessionId: string): void {
    const mine = this.byBinding.get(binding.number);
    const observation = mine?.get(sessionId);
    if (mine === undefined || observation === undefined) return;
    observation.stop();
    mine.delete(sessionId);
    if (mine.size === 0) this.byBinding.delete(binding.number);
    const others = this.bySession.get(sessionId);
    others?.delete(observation);
    if (others?.size === 0) this.bySession.delete(sessionId);
    this.counts.remove(binding.endpoint.endpointId);
  }

  removeAll(binding: Binding): void {
    for (const sessionId of this.sessionsOf(binding)) this.remove(binding, sessionId);
  }

  isObserving(binding: Binding, sessionId: string): boolean {
    return this.byBinding.get(binding.number)?.has(sessionId) === true;
  }

  resumeSending(binding: Binding): void {
    for (const observation of [...(this.byBinding.get(binding.number)?.values() ?? [])]) observation.resumeSending();
  }

  /** Wakes the observers of a session with durable entries. */
  publish(entries: readonly Entry[], { head }: SessionState, epoch: number): void {
    const observing = this.bySession.get(head.session_id);
    if (observing === undefined) return;
    for (const observation of [...observing]) observation.wake(head, epoch, entries);
  }

  *of(sessionId: string): Iterable<Observation> {
    for (const observation of this.bySession.get(sessionId) ?? []) if (observation.hasBegun) yield observation;
  }

  /** Tells an observer that lost the grant, then stops sending to it. */
  private grantsChanged(agentId: string): void {
    const binding = this.needs.bindings.get(agentId);
    if (binding === undefined || this.needs.registry.hasGrant(agentId, 'observe', binding.credential)) return;
    for (const session_id of this.sessionsOf(binding)) {
      this.remove(binding, session_id);
      const message = `you no longer observe session ${session_id}: the grant "observe" was revoked`;
      const error = errorRecord(new WireError('forbidden', message, { session_id, observed: true }));
      binding.send(encodeFrame({ kind: 'error', error }));
    }
  }

  private sessionsOf(binding: Binding): readonly string[] {
    return [...(this.byBinding.get(binding.number)?.keys() ?? [])];
  }

  private ofBinding(binding: Binding): Map<string, Observation> {
    const known = this.byBinding.get(binding.number) ?? new Map<string, Observation>();
    this.byBinding.set(binding.number, known);
    return known;
  }
}

export interface ObservationNeeds extends LogReaderNeeds {
  readonly meter: Pick<Meter, 'delivered'>;
  readonly redactions: Pick<Redactions, 'shown'>;
  readonly texts: Pick<EnvelopeTexts, 'of'>;
}

/** The parts of a binding an observation uses. */
type ObserverTarget = Pick<Binding, 'agentId' | 'number' | 'isBackpressured' | 'send'>;

/** Sends one observer every envelope of one session, in order from a seq on, without cursor or receipts. */
export class Observation implements LogStream {
  readonly sessionId: string;
  readonly target: ObserverTarget;
  readonly purpose = 'an observer';
  private readonly needs: ObservationNeeds;
  private readonly over: (observation: Observation) => void;
  private readonly reader: LogReader;
  private epoch: number;
  private sent: number;
  private headSeq: number;
  private ended: boolean;
  private begun = false;

  /** `over` is called after the last envelope of an ended session, or when the log is damaged. */
  constructor(
    needs: ObservationNeeds,
    target: ObserverTarget,
    { session_id, seq, state }: Pick<Head, 'session_id' | 'seq' | 'state'>,
    from: ObserverSource,
    over: (observation: Observation) => void,
  ) {
    this.needs = needs;
    this.target = target;
    this.sessionId = session_id;
    this.headSeq = seq;
    this.ended = isTerminal(state);
    this.epoch = from.epoch;
    this.sent = from.afterSeq;
    this.over = over;
    this.reader = new LogReader(needs, this);
  }

  get hasBegun(): boolean {
    return this.begun && !this.reader.isStopped;
  }

  /** Starts sending, now that the observer has its answer. */
  begin(): void {
    this.begun = true;
    this.reader.run();
  }

  /** `entries` just became durable. */
  wake({ seq, state }: Pick<Head, 'seq' | 'state'>, epoch: number, entries: readonly Entry[]): void {
    if (epoch !== this.epoch) this.startOver(epoch);
    this.headSeq = Math.max(this.headSeq, seq);
    this.ended ||= isTerminal(state);
    this.reader.wake(entries);
  }

  resumeSending(): void {
    this.reader.run();
  }

  stop(): void {
    this.reader.stop();
  }

  // LogStream members, called by the reader.

  get nextSeq(): number {
    return this.sent + 1;
  }

  get lastSeq(): number {
    return this.headSeq;
  }

  /** Checked before every send, because a send may close the connection and stop this observation. */
  get canTake(): boolean {
    return this.hasBegun && !this.target.isBackpressured;
  }

  get retryKey(): string {
    return `observe\n${this.target.number}\n${this.sessionId}`;
  }

  take(entries: readonly Entry[]): void {
    for (const entry of entries) {
      const { envelope, turn } = this.needs.redactions.shown(entry);
      if (!this.canTake || envelope.seq > this.headSeq) return;
      const recipient_id = this.target.agentId;
      const frame = { recipient_id, observed: true, epoch: this.epoch, prev_seq: this.sent, turn } as const;
      this.sent = envelope.seq;
      this.needs.meter.delivered += 1;
      this.target.send(encodeNotify(frame, this.needs.texts.of(envelope)));
    }
  }

  caughtUp(): void {
    if (this.begun && this.ended) this.over(this);
  }

  damaged(): void {
    this.over(this);
  }

  /** Starts over in a new epoch: everything sent belongs to a different history. */
  private startOver(epoch: number): void {
    this.epoch = epoch;
    this.sent = 0;
    this.headSeq = 0;
    this.reader.restart();
  }
}

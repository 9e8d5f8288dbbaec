/**
 * Delivery: sends everything durable to its recipients, in seq order, until it is acked. Owns cursors, inbox counts, streams and
 * observers. A lost ack only repeats a delivery; a lost envelope is always reported as a gap. Start at streams.ts and pump.ts.
 */

import { membershipEnd } from '../../core/records/session/delivery.ts';
import type { Binding } from '../bindings/binding.ts';
import type { BindingListener, ResumePoints } from '../bindings/bindings.ts';
import type { LiveIndex } from '../sessions/live-index.ts';
import { CatchUps } from './catch-up.ts';
import { Observers, type ObserversNeeds } from './observers.ts';
import { Streams, type StreamsNeeds } from './streams.ts';

type DeliveryNeeds = StreamsNeeds & ObserversNeeds & { readonly index: LiveIndex };

export class Delivery implements BindingListener {
  readonly streams: Streams;
  readonly observers: Observers;
  private readonly needs: DeliveryNeeds;
  private readonly catchUps: CatchUps;

  constructor(needs: DeliveryNeeds) {
    this.needs = needs;
    this.streams = new Streams(needs);
    this.observers = new Observers(needs);
    this.catchUps = new CatchUps({ ...needs, streams: this.streams });
  }

  bound(binding: Binding): void {
    this.streams.open(binding);
  }

  unbound(binding: Binding): void {
    this.streams.close(binding);
    this.observers.removeAll(binding);
  }

  presenceChanged(agentId: string): void {
    for (const head of this.needs.index.closingOf(agentId)) void this.streams.checkDrained(head);
  }

  resume(binding: Binding, resume: ResumePoints): void {
    this.catchUps.begin(binding, resume);
  }

  resumeSending(binding: Binding): void {
    this.streams.of(binding)?.resumeSending();
    this.observers.resumeSending(binding);
  }

  /** Acks, for an agent without a connection, what it read by requests. Never rejects: a lost ack only repeats a delivery. */
  async markRead(agentId: string, sessionId: string, seq: number): Promise<void> {
    const { bindings, cursors, sessions, inboxes, log } = this.needs;
    if (bindings.isBound(agentId)) return;
    const release = cursors.hold(agentId);
    try {
      await cursors.load(agentId);
      await sessions.use(sessionId, ({ durable, epoch }) => {
        if (durable === null || bindings.isBound(agentId)) return;
        const upTo = Math.min(seq, durable.head.seq, membershipEnd(durable.head, agentId));
        const progress = upTo > 0 ? cursors.getOrStart(agentId, sessionId, epoch) : null;
        if (progress === null || upTo <= progress.seq) return;
        cursors.moveTo(progress, upTo);
        inboxes.passedUncounted(agentId, sessionId, upTo);
      });
    } catch (thrown) {
      log.warn('envelopes read by requests could not be acked', { session_id: sessionId, error: String(thrown) });
    } finally {
      release();
    }
  }
}

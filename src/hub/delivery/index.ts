/**
 * Delivery: everything durable reaches everyone it is for, in seq order, until it is acked. This room owns cursors, inbox
 * counts, streams and observers. Two things must stay true: a lost ack only repeats a delivery, and a lost envelope is always
 * sent as a gap. Start reading at streams.ts (who is sent what) and pump.ts (one stream).
 */

import { membershipEnd } from '../../core/records/session/delivery.ts';
import type { Binding } from '../bindings/binding.ts';
import type { BindingListener, ResumePoints } from '../bindings/bindings.ts';
import type { LiveIndex } from '../sessions/live-index.ts';
import { CatchUps } from './catch-up.ts';
import { Observers, type ObserversNeeds } from './observers.ts';
import { Streams, type StreamsNeeds } from './streams.ts';

export type DeliveryNeeds = StreamsNeeds & ObserversNeeds & { readonly index: LiveIndex };

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

  /** What was sent has left the connection: its streams go on. */
  resumeSending(binding: Binding): void {
    this.streams.of(binding)?.resumeSending();
    this.observers.resumeSending(binding);
  }

  /**
   * Acks what was shown to an agent that has no connection: else its inbox would fill up with what it has read. A connected
   * agent acks on its connection. Never rejects: a lost ack only repeats a delivery.
   */
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
      log.warn('what was read could not be noted', { session_id: sessionId, error: String(thrown) });
    } finally {
      release();
    }
  }
}

/**
 * How much each recipient has not acked, over all its sessions. Counted up as envelopes become durable and down as they are
 * acked; where that is not exact it is never too low, and counted again only when it would matter. Of who was registered before the
 * hub started nothing is known until somebody asks.
 */

import { isDeliverable, membershipEnd } from '../core/delivery.ts';
import { type Draft, type Entry, type Envelope, HUB_ID } from '../core/envelope.ts';
import { asError } from '../core/errors.ts';
import type { Head } from '../core/head.ts';
import type { SessionMetadata } from '../core/session.ts';
import { countPending } from './count-pending.ts';
import { isRecipient } from './gate.ts';
import type { HubParts } from './parts.ts';

interface Count {
  /** Never less than there are. */
  pending: number;
  exact: boolean;
  /** The high water was told of. */
  told: boolean;
  /** Changed while it was being counted. */
  moved: boolean;
  /** When it was last counted, in monotonic ms. */
  countedMs: number;
}

/** What cannot be made exact is not counted again for this long. */
const AGAIN_MS = 1000;

export class Inboxes {
  private readonly parts: HubParts;
  private readonly counts = new Map<string, Count>();
  private readonly counting = new Map<string, Promise<void>>();
  /** Not to be delivered, by recipient and session. Lost with the process: then they are delivered after all. */
  private readonly dropped = new Map<string, Set<number>>();

  constructor(parts: HubParts) {
    this.parts = parts;
  }

  /** What has to be counted before a post is judged; null = enough is known. */
  toCount(draft: Draft, { participants }: SessionMetadata): Promise<unknown> | null {
    let waits: Promise<void>[] | null = null;
    for (const participant of participants) {
      if (!isRecipient(participant, draft)) continue;
      const { agent_id } = participant;
      if (!this.isKnown(agent_id)) {
        waits ??= [];
        waits.push(this.count(agent_id));
      } else if (draft.audience === null && !this.isFull(agent_id)) {
        return null;
      }
    }
    return waits === null ? null : Promise.all(waits);
  }

  /** And says no to the next: whoever drops says yes. */
  isFull(agentId: string): boolean {
    const { inbox } = this.parts.registry.ruleOf(agentId).limits;
    return inbox.overflow === 'reject' && this.pendingOf(agentId) >= inbox.max_pending;
  }

  pendingOf(agentId: string): number {
    return this.countOf(agentId)?.pending ?? 0;
  }

  /** What became durable, as far as it is for this participant. */
  published(agentId: string, entries: readonly Entry[], head: Head): void {
    const count = this.countOf(agentId);
    const end = count === undefined ? 0 : membershipEnd(head, agentId);
    if (count === undefined || end === 0) return;
    for (const { envelope } of entries) {
      if (isJoinOf(agentId, envelope)) this.joined(count, agentId, envelope);
      if (!isDeliverable(envelope, agentId, end)) continue;
      if (this.mustDrop(agentId, envelope, count)) this.drop(agentId, envelope);
      else this.add(agentId, count, 1);
      // It may pass away by itself.
      if (envelope.ttl_seconds !== null) count.exact = false;
    }
  }

  /** One less, acked or not to be delivered. */
  acked(agentId: string): void {
    const count = this.counts.get(agentId);
    if (count === undefined) return;
    // While it is being counted nobody can tell whether this one was.
    count.moved = true;
    if (this.counting.has(agentId)) return;
    count.pending = Math.max(0, count.pending - 1);
    this.lowWater(agentId, count);
  }

  /** What was dropped, and so not counted, is to be delivered after all. */
  comeAgain(agentId: string, more: number): void {
    const count = this.counts.get(agentId);
    if (count !== undefined) this.add(agentId, count, more);
  }

  /** There may be less, nobody knows how much. */
  blur(agentId: string): void {
    const count = this.counts.get(agentId);
    if (count !== undefined) count.exact = false;
  }

  /** It came when the inbox was full. Asked once, by who delivers. */
  wasDropped(agentId: string, { session_id, seq }: Envelope): boolean {
    if (this.dropped.size === 0) return false;
    const key = `${agentId}\n${session_id}`;
    const seqs = this.dropped.get(key);
    if (seqs === undefined || !seqs.delete(seq)) return false;
    if (seqs.size === 0) this.dropped.delete(key);
    return true;
  }

  /** Room must be made for what is to be delivered. */
  overflows(agentId: string): boolean {
    const { inbox } = this.parts.registry.ruleOf(agentId).limits;
    return inbox.overflow === 'drop_oldest' && this.pendingOf(agentId) > inbox.max_pending;
  }

  private mustDrop(agentId: string, { sender_id }: Envelope, { pending }: Count): boolean {
    if (sender_id === HUB_ID) return false;
    const { inbox } = this.parts.registry.ruleOf(agentId).limits;
    return inbox.overflow === 'drop_newest' && pending >= inbox.max_pending;
  }

  private drop(agentId: string, { session_id, seq }: Envelope): void {
    const key = `${agentId}\n${session_id}`;
    const seqs = this.dropped.get(key) ?? new Set();
    this.dropped.set(key, seqs.add(seq));
  }

  /** Who joins gets the log from its start. */
  private joined(count: Count, agentId: string, { session_id, seq }: Envelope): void {
    const before = this.parts.sessions.peek(session_id)?.tailFrom(1) ?? null;
    if (before === null) count.exact = false;
    const isOwed = ({ envelope }: Entry): boolean => envelope.seq < seq && isDeliverable(envelope, agentId, seq);
    this.add(agentId, count, before === null ? seq - 1 : before.filter(isOwed).length);
  }

  private add(agentId: string, count: Count, more: number): void {
    count.pending += more;
    count.moved = true;
    const { high_water, max_pending } = this.parts.registry.ruleOf(agentId).limits.inbox;
    if (high_water === null || count.told || count.pending < high_water) return;
    count.told = true;
    this.parts.events.emit('inboxHighWater', { agent_id: agentId, pending: count.pending, max_pending });
  }

  private lowWater(agentId: string, count: Count): void {
    if (!count.told) return;
    const { high_water } = this.parts.registry.ruleOf(agentId).limits.inbox;
    if (high_water === null || count.pending < high_water) count.told = false;
  }

  private countOf(agentId: string): Count | undefined {
    const known = this.counts.get(agentId);
    if (known !== undefined || this.parts.registry.isOlder(agentId)) return known;
    // It came while this hub runs, and everything for it is counted.
    const count = { pending: 0, exact: true, told: false, moved: false, countedMs: Number.NEGATIVE_INFINITY };
    this.counts.set(agentId, count);
    return count;
  }

  private isKnown(agentId: string): boolean {
    const count = this.countOf(agentId);
    if (count === undefined) return false;
    if (count.exact || count.pending < this.parts.registry.ruleOf(agentId).limits.inbox.max_pending) return true;
    return this.parts.clock.monotonic() - count.countedMs < AGAIN_MS;
  }

  private count(agentId: string): Promise<void> {
    const under = this.counting.get(agentId);
    if (under !== undefined) return under;
    const work = this.countAnew(agentId).finally(() => this.counting.delete(agentId));
    this.counting.set(agentId, work);
    return work;
  }

  private async countAnew(agentId: string): Promise<void> {
    const { clock, registry, log } = this.parts;
    const count = this.counts.get(agentId) ?? { pending: 0, exact: false, told: false, moved: false, countedMs: 0 };
    this.counts.set(agentId, count);
    const before = count.pending;
    count.moved = false;
    try {
      const { pending, exact } = await countPending(this.parts, agentId, registry.ruleOf(agentId).limits.inbox);
      // What came meanwhile may be in it or not.
      count.pending = pending + Math.max(0, count.pending - before);
      count.exact = exact && !count.moved;
      // By the heads alone, since it did not matter: should it matter, it is counted at once.
      count.countedMs = exact ? clock.monotonic() : Number.NEGATIVE_INFINITY;
    } catch (thrown) {
      // Nobody is refused for what could not be read.
      log.warn('an inbox could not be counted', { agent_id: agentId, error: asError(thrown).message });
      count.exact = false;
      count.countedMs = clock.monotonic();
    }
    this.lowWater(agentId, count);
  }
}

function isJoinOf(agentId: string, { event_type, event_data }: Envelope): boolean {
  return event_type === 'session.invite.ack' && event_data.agent_id === agentId;
}

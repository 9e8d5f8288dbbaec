/**
 * Keeps the unread counts of all recipients over all their sessions: raised by staged and durable envelopes, lowered by acks.
 * An inexact count is never too low, and is repeated only when it matters. The inboxes of agents registered before the hub
 * started are counted at the first post to them.
 */

import { asError } from '../../core/lib/errors.ts';
import type { GapReason } from '../../core/protocol/frames/frames.ts';
import type { Rule } from '../../core/records/access/rule.ts';
import { isDeliverable, membershipEnd } from '../../core/records/session/delivery.ts';
import { type Draft, type Envelope, HUB_ID } from '../../core/records/session/envelope.ts';
import type { SessionMetadata } from '../../core/records/session/session.ts';
import { type Entry, givesTurn, type Head } from '../../core/records/session/unit.ts';
import type { SessionState } from '../../core/state/state.ts';
import { isRecipient } from '../access/access.ts';
import type { Ground } from '../log/ground.ts';
import type { Registry } from '../registry/registry.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { InboxCount } from './inbox-count.ts';
import { type CountPendingNeeds, countPending } from './owed-deliveries.ts';
import { type EnvelopeRef, Skipped, type SkippedDeliveries } from './skipped-deliveries.ts';

interface InboxesNeeds extends Ground, CountPendingNeeds {
  readonly registry: Registry;
  readonly sessions: Sessions;
}

export class Inboxes {
  private readonly needs: InboxesNeeds;
  private readonly counts = new Map<string, InboxCount>();
  private readonly counting = new Map<string, Promise<void>>();
  /** By staged unit: the counts it raised, one per envelope and recipient. */
  private readonly staged = new Map<readonly Entry[], readonly InboxCount[]>();
  /** Unacked but excluded from the count: the recipient was sent a gap, or its rule forbids delivery. */
  readonly skipped: Skipped = new Skipped();

  constructor(needs: InboxesNeeds) {
    this.needs = needs;
  }

  /** True if a post can be judged without counting. Called for every post; `toCount` does the counting. */
  isReadyFor(draft: Draft, { participants }: SessionMetadata): boolean {
    for (const participant of participants) {
      if (!isRecipient(participant, draft)) continue;
      const { agent_id } = participant;
      const count = this.countOf(agent_id);
      if (count === undefined || !count.known || count.total >= this.inboxRuleOf(agent_id).max_pending) return false;
      // For a post to everyone, one recipient with room is enough.
      if (draft.audience === null) return true;
    }
    return true;
  }

  /** Counts the inboxes a post depends on; null if enough is known. */
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

  /** The unread count; null if not counted yet. */
  pendingOf(agentId: string): number | null {
    const count = this.counts.get(agentId);
    if (count === undefined) return this.needs.registry.isOlder(agentId) ? null : 0;
    return count.known ? count.total : null;
  }

  /** True if the inbox is full and its rule rejects instead of dropping. */
  isFull(agentId: string): boolean {
    const inbox = this.inboxRuleOf(agentId);
    return inbox.overflow === 'reject' && (this.countOf(agentId)?.total ?? 0) >= inbox.max_pending;
  }

  /** Counts staged entries, so that posts admitted together cannot exceed an inbox limit. */
  stage(entries: readonly Entry[], state: SessionState | null): void {
    if (state === null) return;
    let counts: InboxCount[] | null = null;
    for (const { agent_id } of state.metadata.participants) {
      const count = this.countOf(agent_id);
      const end = count === undefined ? 0 : membershipEnd(state.head, agent_id);
      if (count === undefined || end === 0) continue;
      for (const { envelope } of entries) {
        if (!isDeliverable(envelope, agent_id, end)) continue;
        count.staged += 1;
        // Usually one element: `push` on an empty array would reserve room for seventeen.
        if (counts === null) counts = [count];
        else counts.push(count);
      }
    }
    if (counts !== null) this.staged.set(entries, counts);
  }

  /** Undoes `stage` for entries that are durable or were dropped. */
  unstage(entries: readonly Entry[]): void {
    const counts = this.staged.get(entries);
    if (counts === undefined) return;
    for (const count of counts) count.staged -= 1;
    this.staged.delete(entries);
  }

  /** Undoes `stage` for all dropped units of a session. */
  unstageAll(sessionId: string): void {
    for (const entries of this.staged.keys()) {
      if (entries[0]?.envelope.session_id === sessionId) this.unstage(entries);
    }
  }

  published(agentId: string, entries: readonly Entry[], head: Head): void {
    const end = membershipEnd(head, agentId);
    if (end === 0) return;
    const count = this.countOf(agentId);
    for (const entry of entries) {
      const { envelope } = entry;
      if (count !== undefined && isJoinOf(agentId, envelope)) this.joined(count, agentId, envelope);
      if (!isDeliverable(envelope, agentId, end)) continue;
      if (count !== undefined) this.take(agentId, entry, count);
      else if (envelope.sender_id !== HUB_ID) void this.count(agentId);
    }
  }

  /** Lowers the count for an envelope that was acked or withheld. */
  acked(agentId: string, ref: EnvelopeRef): void {
    const count = this.counts.get(agentId);
    if (count !== undefined && !this.skipped.has(agentId, ref)) this.less(agentId, count);
  }

  /** Replaces the envelope by a gap, now and at every reconnect until its recipient has acked past it. */
  markGone(agentId: string, ref: EnvelopeRef, reason: GapReason): void {
    if (this.skipped.has(agentId, ref)) return;
    this.skip(agentId, ref, reason === 'expired' ? this.skipped.expired : this.skipped.overflow);
    const count = this.counts.get(agentId);
    if (count !== undefined) this.less(agentId, count);
  }

  /** Notes that everything up to `seq` is acked; how much of it was counted is unknown. */
  passedUncounted(agentId: string, sessionId: string, seq: number): void {
    this.skipped.passed(agentId, sessionId, seq);
    this.counts.get(agentId)?.blur();
  }

  /** Excludes an expired or denied envelope found while counting. */
  countOut(agentId: string, envelope: Envelope, why: 'expired' | 'denied'): void {
    this.skip(agentId, envelope, this.skipped[why]);
  }

  /** True if an old delivery must be dropped to make room. */
  overflows(agentId: string): boolean {
    const inbox = this.inboxRuleOf(agentId);
    if (inbox.overflow !== 'drop_oldest') return false;
    const count = this.countOf(agentId);
    return count !== undefined && count.pending > inbox.max_pending && this.isSure(agentId, count);
  }

  /** Waits until the unread count of a recipient with a dropping inbox is known. */
  async counted(agentId: string): Promise<void> {
    const { overflow } = this.inboxRuleOf(agentId);
    if (overflow !== 'reject' && !this.isKnown(agentId)) await this.count(agentId);
  }

  private take(agentId: string, entry: Entry, count: InboxCount): void {
    const { envelope } = entry;
    if (envelope.sender_id === HUB_ID) return this.add(agentId, count, 1);
    const { skipped } = this;
    const { access } = this.needs;
    const withholds = access.withholdsFrom(agentId);
    const asksRules = withholds && access.rulesDeliver;
    if (asksRules && access.deliveryDenied(envelope, agentId) !== null) {
      skipped.denied.addNewest(agentId, envelope);
      return this.restrain(skipped.denied);
    }
    skipped.denied.keepNewest(agentId, envelope);
    // Never drop an envelope that gives the recipient the turn.
    if (!givesTurn(entry, agentId) && this.mustDrop(agentId, count)) {
      skipped.overflow.addNewest(agentId, envelope);
      return this.restrain(skipped.overflow);
    }
    skipped.overflow.keepNewest(agentId, envelope);
    this.add(agentId, count, 1);
    count.noteTtl(envelope);
    // A custom arbiter decides only on delivery, so the count may be too high.
    if (withholds && !asksRules) count.blur();
  }

  private mustDrop(agentId: string, count: InboxCount): boolean {
    const inbox = this.inboxRuleOf(agentId);
    if (inbox.overflow !== 'drop_newest' || count.pending < inbox.max_pending) return false;
    return this.isSure(agentId, count);
  }

  /** True if the count is reliable; else starts a recount for the next call. */
  private isSure(agentId: string, count: InboxCount): boolean {
    if (count.isSure) return true;
    void this.count(agentId);
    return false;
  }

  /** Adds the earlier entries: a participant that joins gets the log from its start. */
  private joined(count: InboxCount, agentId: string, { session_id, seq }: Envelope): void {
    const before = this.needs.sessions.peek(session_id)?.tailFrom(1) ?? null;
    const owed = before?.filter(({ envelope }) => envelope.seq < seq && isDeliverable(envelope, agentId, seq));
    if (owed === undefined || this.needs.access.withholdsFrom(agentId)) count.blur();
    for (const { envelope } of owed ?? []) count.noteTtl(envelope);
    this.add(agentId, count, owed?.length ?? seq - 1);
  }

  private add(agentId: string, count: InboxCount, more: number): void {
    count.add(more);
    this.reportHighWater(agentId, count);
  }

  private less(agentId: string, count: InboxCount): void {
    const isCounting = this.counting.has(agentId);
    count.less(isCounting);
    if (!isCounting && count.told) count.noteLowWater(this.inboxRuleOf(agentId));
  }

  private skip(agentId: string, ref: EnvelopeRef, skipped: SkippedDeliveries): void {
    skipped.add(agentId, ref);
    this.restrain(skipped);
  }

  /** If skipped envelopes were forgotten to save memory, counts them again: they may be sent after all. */
  private restrain(skipped: SkippedDeliveries): void {
    const excess = skipped.excess();
    const count = excess === null ? undefined : this.counts.get(excess.agentId);
    if (excess === null || count === undefined) return;
    count.blur();
    this.add(excess.agentId, count, excess.most);
  }

  private reportHighWater(agentId: string, count: InboxCount): void {
    const inbox = this.inboxRuleOf(agentId);
    if (!count.reachesHighWater(inbox)) return;
    const { pending } = count;
    this.needs.events.emit('inboxHighWater', { agent_id: agentId, pending, max_pending: inbox.max_pending });
  }

  private countOf(agentId: string): InboxCount | undefined {
    const known = this.counts.get(agentId);
    if (known !== undefined || this.needs.registry.isOlder(agentId)) return known;
    const count = new InboxCount(this.needs.clock, true);
    this.counts.set(agentId, count);
    return count;
  }

  private inboxRuleOf(agentId: string): Rule['limits']['inbox'] {
    return this.needs.registry.ruleOf(agentId).limits.inbox;
  }

  private isKnown(agentId: string): boolean {
    const count = this.countOf(agentId);
    if (count === undefined || !count.known) return false;
    return count.total < this.inboxRuleOf(agentId).max_pending || count.isSure;
  }

  private count(agentId: string): Promise<void> {
    const running = this.counting.get(agentId);
    if (running !== undefined) return running;
    const work = this.countNow(agentId).finally(() => this.counting.delete(agentId));
    this.counting.set(agentId, work);
    return work;
  }

  private async countNow(agentId: string): Promise<void> {
    const { clock, log } = this.needs;
    const count = this.counts.get(agentId) ?? new InboxCount(clock, false);
    this.counts.set(agentId, count);
    const before = count.pending;
    count.beginCounting();
    try {
      const inbox = this.inboxRuleOf(agentId);
      const { pending, exact } = await countPending(this.needs, this, agentId, inbox, (envelope) =>
        count.noteTtl(envelope),
      );
      // Envelopes that arrived during the count may or may not be in it.
      count.pending = pending + Math.max(0, count.pending - before);
      if (exact) count.counted(true);
      // The upper bound from the heads is below every limit. Once it is not, the inbox is counted.
      else count.estimated();
    } catch (thrown) {
      // Do not reject posts because of a failed read.
      log.warn('an inbox could not be counted', { agent_id: agentId, error: asError(thrown).message });
      count.counted(false);
    }
    count.noteLowWater(this.inboxRuleOf(agentId));
    this.reportHighWater(agentId, count);
  }
}

function isJoinOf(agentId: string, { event_type, event_data }: Envelope): boolean {
  return event_type === 'session.invite.ack' && event_data.agent_id === agentId;
}

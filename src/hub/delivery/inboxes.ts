/**
 * How much each recipient has not acked, over all its sessions. Counted up as envelopes are staged and become durable, and down as
 * they are acked; where that is not exact it is never too low, and counted again only when it would matter. Of who was registered
 * before the hub started nothing is known until somebody posts to it.
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

export interface InboxesNeeds extends Ground, CountPendingNeeds {
  readonly registry: Registry;
  readonly sessions: Sessions;
}

export class Inboxes {
  private readonly needs: InboxesNeeds;
  private readonly counts = new Map<string, InboxCount>();
  private readonly counting = new Map<string, Promise<void>>();
  /** By the entries of a staged unit: the counts of who it is for, one for each envelope. */
  private readonly staged = new Map<readonly Entry[], readonly InboxCount[]>();
  /** Unacked but excluded from the count: the recipient was sent a gap, or its rule forbids delivery. */
  readonly skipped: Skipped = new Skipped();

  constructor(needs: InboxesNeeds) {
    this.needs = needs;
  }

  /** Nothing has to be counted before a post is judged. Asked for every one of them; if not, `toCount` says what. */
  isReadyFor(draft: Draft, { participants }: SessionMetadata): boolean {
    for (const participant of participants) {
      if (!isRecipient(participant, draft)) continue;
      const { agent_id } = participant;
      const count = this.countOf(agent_id);
      if (count === undefined || !count.known || count.total >= this.inboxRuleOf(agent_id).max_pending) return false;
      // One who can take it is enough for what is said to everyone.
      if (draft.audience === null) return true;
    }
    return true;
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

  /** What it has not acked; null = nobody has counted it yet. */
  pendingOf(agentId: string): number | null {
    const count = this.counts.get(agentId);
    if (count === undefined) return this.needs.registry.isOlder(agentId) ? null : 0;
    return count.known ? count.total : null;
  }

  /** And says no to the next: whoever drops says yes. */
  isFull(agentId: string): boolean {
    const inbox = this.inboxRuleOf(agentId);
    return inbox.overflow === 'reject' && (this.countOf(agentId)?.total ?? 0) >= inbox.max_pending;
  }

  /** Entries that are being written count already: posts that are admitted together do not pass a full inbox. */
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
        // Mostly there is one; a list that was pushed to would be kept with room for seventeen.
        if (counts === null) counts = [count];
        else counts.push(count);
      }
    }
    if (counts !== null) this.staged.set(entries, counts);
  }

  /** They are durable now, or dropped. */
  unstage(entries: readonly Entry[]): void {
    const counts = this.staged.get(entries);
    if (counts === undefined) return;
    for (const count of counts) count.staged -= 1;
    this.staged.delete(entries);
  }

  /** What was staged in a session is dropped. */
  unstageAll(sessionId: string): void {
    for (const entries of this.staged.keys()) {
      if (entries[0]?.envelope.session_id === sessionId) this.unstage(entries);
    }
  }

  /** What became durable, as far as it is for this participant. */
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

  /** One less: acked, or not to be delivered. */
  acked(agentId: string, ref: EnvelopeRef): void {
    const count = this.counts.get(agentId);
    if (count !== undefined && !this.skipped.has(agentId, ref)) this.less(agentId, count);
  }

  /** A gap is sent in its place, now and whenever its recipient comes back without having acked past it. */
  tellGone(agentId: string, ref: EnvelopeRef, reason: GapReason): void {
    if (this.skipped.has(agentId, ref)) return;
    this.skip(agentId, ref, reason === 'expired' ? this.skipped.expired : this.skipped.overflow);
    const count = this.counts.get(agentId);
    if (count !== undefined) this.less(agentId, count);
  }

  /** Everything up to `seq` counts as acked; how much of it was counted, nobody knows. */
  passedUncounted(agentId: string, sessionId: string, seq: number): void {
    this.skipped.passed(agentId, sessionId, seq);
    this.counts.get(agentId)?.blur();
  }

  /** Found while counting: it does not count, and never will. */
  countOut(agentId: string, envelope: Envelope, why: 'expired' | 'denied'): void {
    this.skip(agentId, envelope, this.skipped[why]);
  }

  /** Room must be made for what is to be delivered. */
  overflows(agentId: string): boolean {
    const inbox = this.inboxRuleOf(agentId);
    if (inbox.overflow !== 'drop_oldest') return false;
    const count = this.countOf(agentId);
    return count !== undefined && count.pending > inbox.max_pending && this.isSure(agentId, count);
  }

  /** Before anything is sent to one who drops: how much it has must be known. */
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
    // Whoever gets the turn must know of it.
    if (!givesTurn(entry, agentId) && this.mustDrop(agentId, count)) {
      skipped.overflow.addNewest(agentId, envelope);
      return this.restrain(skipped.overflow);
    }
    skipped.overflow.keepNewest(agentId, envelope);
    this.add(agentId, count, 1);
    count.noteTtl(envelope);
    // An arbiter of one's own is asked when it is delivered.
    if (withholds && !asksRules) count.blur();
  }

  private mustDrop(agentId: string, count: InboxCount): boolean {
    const inbox = this.inboxRuleOf(agentId);
    if (inbox.overflow !== 'drop_newest' || count.pending < inbox.max_pending) return false;
    return this.isSure(agentId, count);
  }

  /** What is not sure is counted for the next time; nobody loses anything by it. */
  private isSure(agentId: string, count: InboxCount): boolean {
    if (count.isSure) return true;
    void this.count(agentId);
    return false;
  }

  /** Who joins gets the log from its start. */
  private joined(count: InboxCount, agentId: string, { session_id, seq }: Envelope): void {
    const before = this.needs.sessions.peek(session_id)?.tailFrom(1) ?? null;
    const owed = before?.filter(({ envelope }) => envelope.seq < seq && isDeliverable(envelope, agentId, seq));
    if (owed === undefined || this.needs.access.withholdsFrom(agentId)) count.blur();
    for (const { envelope } of owed ?? []) count.noteTtl(envelope);
    this.add(agentId, count, owed?.length ?? seq - 1);
  }

  private add(agentId: string, count: InboxCount, more: number): void {
    count.add(more);
    this.tellHighWater(agentId, count);
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

  /** What is forgotten of the skipped may be sent after all. */
  private restrain(skipped: SkippedDeliveries): void {
    const excess = skipped.excess();
    const count = excess === null ? undefined : this.counts.get(excess.agentId);
    if (excess === null || count === undefined) return;
    count.blur();
    this.add(excess.agentId, count, excess.most);
  }

  private tellHighWater(agentId: string, count: InboxCount): void {
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
    const under = this.counting.get(agentId);
    if (under !== undefined) return under;
    const work = this.countAnew(agentId).finally(() => this.counting.delete(agentId));
    this.counting.set(agentId, work);
    return work;
  }

  private async countAnew(agentId: string): Promise<void> {
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
      // What came meanwhile may be in it or not.
      count.pending = pending + Math.max(0, count.pending - before);
      if (exact) count.counted(true);
      // By the heads alone, since it did not matter: should it matter, it is counted at once.
      else count.estimated();
    } catch (thrown) {
      // Nobody is refused for what could not be read.
      log.warn('an inbox could not be counted', { agent_id: agentId, error: asError(thrown).message });
      count.counted(false);
    }
    count.noteLowWater(this.inboxRuleOf(agentId));
    this.tellHighWater(agentId, count);
  }
}

function isJoinOf(agentId: string, { event_type, event_data }: Envelope): boolean {
  return event_type === 'session.invite.ack' && event_data.agent_id === agentId;
}

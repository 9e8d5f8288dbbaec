/**
 * How much each recipient has not acked, over all its sessions. Counted up as envelopes are staged and become durable, and down as
 * they are acked; where that is not exact it is never too low, and counted again only when it would matter. Of who was registered
 * before the hub started nothing is known until somebody posts to it.
 */

import { isDeliverable, membershipEnd } from '../../core/records/session/delivery.ts';
import { type Draft, type Entry, type Envelope, givesTurn, HUB_ID } from '../../core/records/session/envelope.ts';
import { asError } from '../../core/lib/errors.ts';
import type { GapReason } from '../../core/protocol/frames/frame-codec.ts';
import type { Head } from '../../core/state/fold-head.ts';
import type { SessionMetadata } from '../../core/records/session/session.ts';
import type { SessionState } from '../../core/state/state.ts';
import { countPending } from '../count-pending.ts';
import { isRecipient } from '../access/access.ts';
import { InboxCount } from './inbox-count.ts';
import type { HubParts } from '../parts.ts';
import { type Place, Skipped } from './skipped-deliveries.ts';

export class Inboxes {
  private readonly parts: HubParts;
  private readonly counts = new Map<string, InboxCount>();
  private readonly counting = new Map<string, Promise<void>>();
  /** By the entries of a staged unit: the counts of who it is for, one for each envelope. */
  private readonly staged = new Map<readonly Entry[], readonly InboxCount[]>();
  /** Not counted though not acked: told as gone, and not to be had by its recipient's rule. */
  private readonly gone = new Skipped();
  private readonly expired = new Skipped();
  private readonly denied = new Skipped();

  constructor(parts: HubParts) {
    this.parts = parts;
  }

  /** Nothing has to be counted before a post is judged. Asked for every one of them; if not, `toCount` says what. */
  isReadyFor(draft: Draft, { participants }: SessionMetadata): boolean {
    for (const participant of participants) {
      if (!isRecipient(participant, draft)) continue;
      const { agent_id } = participant;
      const count = this.countOf(agent_id);
      if (count === undefined || !count.known || count.total >= this.maxPendingOf(agent_id)) return false;
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
    if (count === undefined) return this.parts.registry.isOlder(agentId) ? null : 0;
    return count.known ? count.total : null;
  }

  /** And says no to the next: whoever drops says yes. */
  isFull(agentId: string): boolean {
    const { inbox } = this.parts.registry.ruleOf(agentId).limits;
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

  /** One less: acked, or not to be had. */
  acked(agentId: string, place: Place): void {
    const count = this.counts.get(agentId);
    if (count !== undefined && !this.isCountedOut(agentId, place)) this.less(agentId, count);
  }

  /** It is told as gone and not sent, now and whenever its recipient comes back without having acked past it. */
  tellGone(agentId: string, place: Place, reason: GapReason): void {
    if (this.isCountedOut(agentId, place)) return;
    const skipped = reason === 'expired' ? this.expired : this.gone;
    skipped.add(agentId, place);
    this.restrain(skipped);
    const count = this.counts.get(agentId);
    if (count !== undefined) this.less(agentId, count);
  }

  /** Everything up to `seq` is acked. */
  passed(agentId: string, sessionId: string, seq: number): void {
    this.gone.passed(agentId, sessionId, seq);
    this.expired.passed(agentId, sessionId, seq);
    this.denied.passed(agentId, sessionId, seq);
  }

  /** There may be less, nobody knows how much. */
  blur(agentId: string): void {
    this.counts.get(agentId)?.blur();
  }

  /** Why it is not sent: it came when the inbox was full, or was told as gone before; null = it is sent. */
  whyGone(agentId: string, place: Place): GapReason | null {
    if (this.expired.has(agentId, place)) return 'expired';
    return this.gone.has(agentId, place) ? 'overflow' : null;
  }

  /** It came when its recipient's rule did not take it. */
  wasDenied(agentId: string, place: Place): boolean {
    return this.denied.has(agentId, place);
  }

  /** It is not acked, and does not count. */
  isCountedOut(agentId: string, place: Place): boolean {
    return this.whyGone(agentId, place) !== null || this.denied.has(agentId, place);
  }

  /** Found when it was counted anew: not to be had. */
  countOutDenied(agentId: string, envelope: Envelope): void {
    this.denied.add(agentId, envelope);
    this.restrain(this.denied);
  }

  /** Found when it was counted anew: past its time. */
  countOutExpired(agentId: string, envelope: Envelope): void {
    this.expired.add(agentId, envelope);
    this.restrain(this.expired);
  }

  /** Room must be made for what is to be delivered. */
  overflows(agentId: string): boolean {
    const { inbox } = this.parts.registry.ruleOf(agentId).limits;
    if (inbox.overflow !== 'drop_oldest') return false;
    const count = this.countOf(agentId);
    return count !== undefined && count.pending > inbox.max_pending && this.isSure(agentId, count);
  }

  /** Before anything is sent to one who drops: how much it has must be known. */
  async counted(agentId: string): Promise<void> {
    const { overflow } = this.parts.registry.ruleOf(agentId).limits.inbox;
    if (overflow !== 'reject' && !this.isKnown(agentId)) await this.count(agentId);
  }

  private take(agentId: string, entry: Entry, count: InboxCount): void {
    const { envelope } = entry;
    if (envelope.sender_id === HUB_ID) return this.add(agentId, count, 1);
    const { gate, arbiter } = this.parts;
    const withholds = gate.withholdsFrom(agentId);
    const asksRules = withholds && !arbiter.replaced.has('authorizeDelivery');
    if (asksRules && gate.deliveryDenied(envelope, agentId) !== null) {
      this.denied.addNewest(agentId, envelope);
      return this.restrain(this.denied);
    }
    this.denied.keepNewest(agentId, envelope);
    // Whoever gets the turn must know of it.
    if (!givesTurn(entry, agentId) && this.mustDrop(agentId, count)) {
      this.gone.addNewest(agentId, envelope);
      return this.restrain(this.gone);
    }
    this.gone.keepNewest(agentId, envelope);
    this.add(agentId, count, 1);
    count.noteTtl(envelope);
    // An arbiter of one's own is asked when it is delivered.
    if (withholds && !asksRules) count.blur();
  }

  private mustDrop(agentId: string, count: InboxCount): boolean {
    const { inbox } = this.parts.registry.ruleOf(agentId).limits;
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
    const before = this.parts.sessions.peek(session_id)?.tailFrom(1) ?? null;
    const owed = before?.filter(({ envelope }) => envelope.seq < seq && isDeliverable(envelope, agentId, seq));
    if (owed === undefined || this.parts.gate.withholdsFrom(agentId)) count.blur();
    for (const { envelope } of owed ?? []) count.noteTtl(envelope);
    this.add(agentId, count, owed?.length ?? seq - 1);
  }

  private add(agentId: string, count: InboxCount, more: number): void {
    count.pending += more;
    count.moved = true;
    this.highWater(agentId, count);
  }

  private less(agentId: string, count: InboxCount): void {
    count.moved = true;
    // While it is being counted nobody can tell whether this one was.
    if (this.counting.has(agentId)) return;
    count.pending = Math.max(0, count.pending - 1);
    this.lowWater(agentId, count);
  }

  /** What is forgotten of the skipped may be sent after all. */
  private restrain(skipped: Skipped): void {
    const excess = skipped.excess();
    const count = excess === null ? undefined : this.counts.get(excess.agentId);
    if (excess === null || count === undefined) return;
    count.blur();
    this.add(excess.agentId, count, excess.most);
  }

  private highWater(agentId: string, count: InboxCount): void {
    const { high_water, max_pending } = this.parts.registry.ruleOf(agentId).limits.inbox;
    if (high_water === null || count.told || count.pending < Math.min(high_water, max_pending)) return;
    count.told = true;
    this.parts.events.emit('inboxHighWater', { agent_id: agentId, pending: count.pending, max_pending });
  }

  private lowWater(agentId: string, count: InboxCount): void {
    if (!count.told) return;
    const { high_water, max_pending } = this.parts.registry.ruleOf(agentId).limits.inbox;
    if (high_water === null || count.pending < Math.min(high_water, max_pending)) count.told = false;
  }

  private countOf(agentId: string): InboxCount | undefined {
    const known = this.counts.get(agentId);
    if (known !== undefined || this.parts.registry.isOlder(agentId)) return known;
    const count = new InboxCount(this.parts.clock, true);
    this.counts.set(agentId, count);
    return count;
  }

  private maxPendingOf(agentId: string): number {
    return this.parts.registry.ruleOf(agentId).limits.inbox.max_pending;
  }

  private isKnown(agentId: string): boolean {
    const count = this.countOf(agentId);
    if (count === undefined || !count.known) return false;
    return count.total < this.maxPendingOf(agentId) || count.isSure;
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
    const count = this.counts.get(agentId) ?? new InboxCount(clock, false);
    this.counts.set(agentId, count);
    const before = count.pending;
    count.beginCounting();
    try {
      const { inbox } = registry.ruleOf(agentId).limits;
      const { pending, exact } = await countPending(this.parts, agentId, inbox, (envelope) => count.noteTtl(envelope));
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
    this.lowWater(agentId, count);
    this.highWater(agentId, count);
  }
}

function isJoinOf(agentId: string, { event_type, event_data }: Envelope): boolean {
  return event_type === 'session.invite.ack' && event_data.agent_id === agentId;
}

/**
 * Catches up a new binding: streams of live sessions from their cursors on, open invites, and missed session ends. A limited
 * number of agents is caught up concurrently, in order; only the last of repeated hellos counts.
 */

import { msFromIso } from '../../core/lib/time.ts';
import type { ReadRange } from '../../core/ports/store.ts';
import { encodeFrame } from '../../core/protocol/frames/frame-codec.ts';
import type { GapReason, ResumePoint } from '../../core/protocol/frames/frames.ts';
import { isDeliverable, membershipEnd } from '../../core/records/session/delivery.ts';
import type { Envelope } from '../../core/records/session/envelope.ts';
import { isTerminal } from '../../core/records/session/session.ts';
import type { Head } from '../../core/records/session/unit.ts';
import type { Binding } from '../bindings/binding.ts';
import type { Bindings, ResumePoints } from '../bindings/bindings.ts';
import type { Ground } from '../log/ground.ts';
import { iterateLog } from '../log/read-pages.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Cursors, Progress } from './cursors.ts';
import type { Inboxes } from './inboxes.ts';
import { type CatchUpSession, noteNewer, sessionsToCatchUp } from './owed-deliveries.ts';
import type { Recipient, Streams } from './streams.ts';

/** A mass reconnect must not delay deliveries to connected agents. */
const MAX_CONCURRENT_CATCH_UPS = 8;

interface CatchUpsNeeds extends Ground {
  readonly cursors: Cursors;
  readonly sessions: Sessions;
  readonly bindings: Bindings;
  readonly streams: Streams;
  readonly inboxes: Inboxes;
}

interface Waiting {
  readonly binding: Binding;
  readonly resume: ResumePoints;
}

export class CatchUps {
  private readonly needs: CatchUpsNeeds;
  /** Waiting catch-ups by agent, in order; a repeated hello keeps the agent's place. */
  private readonly waiting = new Map<string, Waiting>();
  private readonly running = new Set<string>();

  constructor(needs: CatchUpsNeeds) {
    this.needs = needs;
  }

  begin(binding: Binding, resume: ResumePoints): void {
    this.waiting.set(binding.agentId, { binding, resume });
    this.startSome();
  }

  private startSome(): void {
    for (const [agentId, { binding, resume }] of this.waiting) {
      if (this.running.size >= MAX_CONCURRENT_CATCH_UPS) return;
      // Wait for the catch-up of the agent's former binding, which ends soon.
      if (this.running.has(agentId)) continue;
      this.waiting.delete(agentId);
      this.running.add(agentId);
      void this.catchUp(binding, resume).then(() => this.ended(binding));
    }
  }

  /** Starts the next catch-up: immediately if this binding has ended, else in the next tick. */
  private ended(binding: Binding): void {
    this.running.delete(binding.agentId);
    if (this.waiting.size === 0) return;
    if (this.needs.bindings.isCurrent(binding)) this.needs.clock.after(0, () => this.startSome());
    else this.startSome();
  }

  /** Reads first, then starts every stream in one step, so that resume points apply before anything is sent. */
  private async catchUp(binding: Binding, resume: ResumePoints): Promise<void> {
    const { bindings, streams, cursors, inboxes, log } = this.needs;
    const isWanted = (): boolean => bindings.isCurrent(binding);
    const recipient = streams.of(binding);
    if (recipient === undefined) return;
    const { agentId } = recipient;
    const release = cursors.hold(agentId);
    try {
      await cursors.load(agentId);
      if (isWanted()) await inboxes.counted(agentId);
      const owed = await sessionsToCatchUp(this.needs, agentId, isWanted);
      if (!isWanted()) return;
      // From here on `publish` wakes the streams. Heads noted meanwhile are newer than those read.
      for (const changed of recipient.changedWhileLoading.values()) noteNewer(owed, changed);
      recipient.ready = true;
      recipient.changedWhileLoading.clear();
      for (const { head, epoch } of owed.values()) {
        const point = Object.hasOwn(resume, head.session_id) ? resume[head.session_id] : undefined;
        this.resumeSession(recipient, head, epoch, point);
      }
      this.reportForgotten(recipient, owed);
    } catch (thrown) {
      // Ignore errors for a binding that is already gone (replaced, or the hub is stopping).
      if (!isWanted()) return;
      log.error('resuming a binding failed', { agent: binding.name, error: String(thrown) });
      bindings.unbind(binding, 'shutdown');
    } finally {
      release();
    }
  }

  private resumeSession(recipient: Recipient, head: Head, epoch: number, point: ResumePoint | undefined): void {
    const { cursors, streams } = this.needs;
    const { session_id } = head;
    const { agentId } = recipient;
    if (head.members[agentId] === 'invited') return this.contain(this.repeatInvite(recipient, head, epoch));
    const end = membershipEnd(head, agentId);
    const known = cursors.get(agentId, session_id);
    const heardAll = isTerminal(head.state) && known?.epoch === epoch && known.seq >= Math.min(head.seq, end);
    if (end === 0 || (heardAll && point === undefined)) return;
    const progress = cursors.getOrStart(agentId, session_id, epoch);
    this.meetPoint(recipient, progress, head.seq, point);
    streams.wakeAt(recipient, progress, head, end);
    // This agent may have acked the closing, and no other ack may be missing.
    void streams.checkDrained(head);
  }

  /** A resume point of the current epoch acks everything up to it. For another epoch the client gets a gap. */
  private meetPoint(recipient: Recipient, progress: Progress, headSeq: number, point: ResumePoint | undefined): void {
    const { cursors, inboxes, limits } = this.needs;
    const { agent_id, session_id, epoch } = progress;
    if (point === undefined || point.seq === 0) return;
    if (point.epoch !== epoch) {
      // Bounded by the longest possible log: the client's seq is not trusted.
      sendGap(recipient, session_id, epoch, [1, Math.min(point.seq, limits.maxEnvelopes)], 'epoch');
    } else if (point.seq <= headSeq && point.seq > progress.seq) {
      cursors.moveTo(progress, point.seq);
      inboxes.passedUncounted(agent_id, session_id, point.seq);
    }
  }

  private async repeatInvite(recipient: Recipient, head: Head, epoch: number): Promise<void> {
    const { cursors, store, sessions, bindings, streams } = this.needs;
    const { session_id } = head;
    const { agentId } = recipient;
    const hasEnded = isTerminal(head.state);
    const known = cursors.get(agentId, session_id);
    if (hasEnded && known !== undefined && known.seq >= head.seq) return;
    const range = hasEnded ? { from_seq: head.seq, limit: 1 } : await this.inviteRange(agentId, head);
    const entries = await store.read(session_id, range);
    const now = await sessions.currentHead(session_id);
    if (now === null || !bindings.isCurrent(recipient)) return;
    // Skip the invite if it was answered or the session ended meanwhile: the stream or the end has been sent.
    const endedSince = isTerminal(now.head.state) && !hasEnded;
    if (endedSince || now.head.members[agentId] !== 'invited') return;
    const wanted = entries.find(({ envelope }) => hasEnded || isInviteOf(agentId, envelope));
    if (wanted !== undefined) streams.sendOutside(recipient, wanted, epoch);
    if (hasEnded) streams.finishEnd(agentId, head, epoch);
  }

  /** Where to read the invite: usually in the first unit, else at the seq that set the invitee's status. */
  private async inviteRange(agentId: string, head: Head): Promise<ReadRange> {
    const first = { from_seq: 1, limit: 1 + Object.keys(head.members).length };
    if (head.seq <= first.limit) return first;
    const { sessions } = this.needs;
    const from_seq = await sessions.use(head.session_id, ({ durable }) => durable?.status_seq[agentId] ?? 1);
    return from_seq === 1 ? first : { from_seq, limit: 1 };
  }

  /** For sessions that ended too long ago: reports missed envelopes once, as a gap, and drops the cursor. */
  private reportForgotten(recipient: Recipient, owed: ReadonlyMap<string, CatchUpSession>): void {
    for (const progress of this.needs.cursors.allOf(recipient.agentId)) {
      const { session_id } = progress;
      if (owed.has(session_id) || recipient.pumps.has(session_id)) continue;
      this.contain(this.forget(recipient, progress));
    }
  }

  private async forget(recipient: Recipient, progress: Progress): Promise<void> {
    const { store, bindings, clock, limits, cursors, inboxes } = this.needs;
    const { agentId } = recipient;
    const { session_id } = progress;
    const stored = await store.head(session_id);
    if (stored === null || !isTerminal(stored.head.state) || !bindings.isCurrent(recipient)) return;
    const { head, epoch } = stored;
    if (head.closed_at === null || msFromIso(head.closed_at) > clock.now() - limits.endedForMs) return;
    const to_seq = Math.min(head.seq, membershipEnd(head, agentId));
    const hasMissed = await this.missed(agentId, session_id, progress.seq, to_seq);
    if (!bindings.isCurrent(recipient)) return;
    if (hasMissed) sendGap(recipient, session_id, epoch, [progress.seq + 1, to_seq], 'retention');
    cursors.drop(agentId, session_id);
    inboxes.passedUncounted(agentId, session_id, head.seq);
  }

  private async missed(agentId: string, sessionId: string, afterSeq: number, to_seq: number): Promise<boolean> {
    for await (const entries of iterateLog(this.needs.store, sessionId, afterSeq + 1, to_seq)) {
      if (entries.some(({ envelope }) => isDeliverable(envelope, agentId, to_seq))) return true;
    }
    return false;
  }

  /** Logs a failure. Nothing is lost: the next bind repeats the work. */
  private contain(work: Promise<void>): void {
    const { log } = this.needs;
    work.catch((thrown: unknown) => log.warn('an invite or an end could not be sent', { error: String(thrown) }));
  }
}

function isInviteOf(agentId: string, { event_type, audience }: Envelope): boolean {
  return event_type === 'session.invite' && audience?.includes(agentId) === true;
}

function sendGap(
  recipient: Recipient,
  session_id: string,
  epoch: number,
  [from_seq, to_seq]: readonly [number, number],
  reason: GapReason,
): void {
  const recipient_id = recipient.agentId;
  recipient.send(encodeFrame({ kind: 'gap', recipient_id, session_id, epoch, from_seq, to_seq, reason }));
}

/** What a new binding is owed: the streams of its live sessions from its cursors on, open invites, and the ends it missed. */

import { isDeliverable, membershipEnd } from '../core/records/session/delivery.ts';
import type { Envelope } from '../core/records/session/envelope.ts';
import { encodeFrame, type ResumePoint } from '../core/protocol/frames/frame-codec.ts';
import type { Head } from '../core/state/fold-head.ts';
import { isTerminal } from '../core/records/session/session.ts';
import type { ReadRange, StoredHead } from '../core/ports/store.ts';
import { isoFromMs, msFromIso } from '../core/time.ts';
import type { Binding, OwedSession } from './bindings.ts';
import { currentHead } from './current-head.ts';
import type { Progress } from './delivery/cursors.ts';
import { checkDrained } from './drain.ts';
import type { HubParts } from './parts.ts';
import { listed, liveSessionsOf, logPages } from './log/read-pages.ts';

/** Where the client says it is, per session. */
export type Resume = Readonly<Record<string, ResumePoint>>;

/** Reads first, then starts every stream in one step: a resume point counts before anything is sent. */
export async function resumeBinding(parts: HubParts, binding: Binding, resume: Resume): Promise<void> {
  const isWanted = (): boolean => parts.bindings.isCurrent(binding);
  if (!isWanted()) return;
  const release = parts.cursors.hold(binding.agentId);
  try {
    await parts.cursors.load(binding.agentId);
    if (isWanted()) await parts.inboxes.counted(binding.agentId);
    const owed = await owedSessions(parts, binding.agentId, isWanted);
    if (!isWanted()) return;
    // From here on publish wakes its streams; what it noted until now is newer than what was read.
    for (const one of binding.meanwhile.values()) noteNewer(owed, one);
    binding.ready = true;
    binding.meanwhile.clear();
    for (const { head, epoch } of owed.values()) {
      const point = Object.hasOwn(resume, head.session_id) ? resume[head.session_id] : undefined;
      resumeSession(parts, binding, head, epoch, point);
    }
    tellOfForgotten(parts, binding, owed);
  } catch (thrown) {
    // Who is gone meanwhile, as everybody is when the hub stops, misses nothing by it.
    if (!isWanted()) return;
    parts.log.error('resuming a binding failed', { agent: binding.name, error: String(thrown) });
    parts.bindings.unbind(binding, 'shutdown');
  } finally {
    release();
  }
}

/**
 * By id: the sessions that have not ended, and those that ended while the agent may have been away. What is not wanted any more
 * is not read on.
 */
export async function owedSessions(
  parts: HubParts,
  agentId: string,
  isWanted: () => boolean = () => true,
): Promise<Map<string, OwedSession>> {
  const owed = new Map<string, OwedSession>();
  if (!isWanted()) return owed;
  for await (const stored of liveSessionsOf(parts.store, agentId)) {
    if (!isWanted()) return owed;
    noteNewer(owed, soundPart(stored));
  }
  const ended_since = isoFromMs(parts.clock.now() - parts.limits.endedForMs);
  const ended = { participant: agentId, states: ['CLOSED', 'EXPIRED'] as const, ended_since };
  for await (const stored of listed(parts.store, ended)) {
    if (!isWanted()) return owed;
    noteNewer(owed, soundPart(stored));
  }
  return owed;
}

/** One that changes while we look may be found twice; the newer head counts. */
function noteNewer(owed: Map<string, OwedSession>, one: OwedSession): void {
  const known = owed.get(one.head.session_id);
  if (known === undefined || known.head.seq <= one.head.seq) owed.set(one.head.session_id, one);
}

/** Of a damaged log only what comes before the damage can be sent. */
function soundPart({ head, epoch, damaged_from }: StoredHead): OwedSession {
  return { head: damaged_from === null ? head : { ...head, seq: Math.min(head.seq, damaged_from - 1) }, epoch };
}

function resumeSession(
  parts: HubParts,
  binding: Binding,
  head: Head,
  epoch: number,
  point: ResumePoint | undefined,
): void {
  const { session_id } = head;
  if (head.members[binding.agentId] === 'invited') return contain(parts, repeatInvite(parts, binding, head, epoch));
  const end = membershipEnd(head, binding.agentId);
  const known = parts.cursors.get(binding.agentId, session_id);
  const heardAll = isTerminal(head.state) && known?.epoch === epoch && known.seq >= Math.min(head.seq, end);
  if (end === 0 || (heardAll && point === undefined)) return;
  const progress = parts.cursors.getOrStart(binding.agentId, session_id, epoch);
  meetPoint(parts, binding, progress, head.seq, point);
  parts.bindings.wakeAt(binding, progress, head, end);
  // It may have had the closing already, and nobody else be waited for.
  void checkDrained(parts, head);
}

/**
 * `resume` in the current epoch acks everything up to it; of another epoch the client is told, and starts again. Who had
 * nothing of it has lost nothing.
 */
function meetPoint(
  parts: HubParts,
  binding: Binding,
  progress: Progress,
  headSeq: number,
  point: ResumePoint | undefined,
): void {
  const { epoch } = progress;
  if (point === undefined || point.seq === 0) return;
  if (point.epoch !== epoch) {
    const { agent_id: recipient_id, session_id } = progress;
    const gap = {
      kind: 'gap',
      recipient_id,
      session_id,
      epoch,
      from_seq: 1,
      // No log is longer, whatever the client says.
      to_seq: Math.min(point.seq, parts.limits.maxEnvelopes),
      reason: 'epoch',
    } as const;
    binding.send(encodeFrame(gap));
  } else if (point.seq <= headSeq && point.seq > progress.seq) {
    progress.seq = point.seq;
    for (const seq of progress.beyond) if (seq <= point.seq) progress.beyond.delete(seq);
    parts.cursors.changed(progress);
    parts.inboxes.passed(progress.agent_id, progress.session_id, point.seq);
    parts.inboxes.blur(progress.agent_id);
  }
}

async function repeatInvite(parts: HubParts, binding: Binding, head: Head, epoch: number): Promise<void> {
  const { session_id } = head;
  const known = parts.cursors.get(binding.agentId, session_id);
  if (isTerminal(head.state) && known !== undefined && known.seq >= head.seq) return;
  const range = isTerminal(head.state) ? { from_seq: head.seq, limit: 1 } : await inviteRange(parts, binding, head);
  const entries = await parts.store.read(session_id, range);
  const now = await currentHead(parts, session_id);
  if (now === null || !parts.bindings.isCurrent(binding)) return;
  // Answered meanwhile, or ended: the stream has begun or the end was told, and an old invite would be noise.
  const ended = isTerminal(now.head.state) && !isTerminal(head.state);
  if (ended || now.head.members[binding.agentId] !== 'invited') return;
  const wanted = entries.find(({ envelope }) => isTerminal(head.state) || isInviteOf(binding.agentId, envelope));
  if (wanted !== undefined) parts.bindings.sendOutside(binding, wanted, epoch);
  if (isTerminal(head.state)) parts.bindings.heardEnd(binding.agentId, head, epoch);
}

/** Most invites are in the first unit. One that came later is where its invitee got its present status. */
async function inviteRange({ sessions }: HubParts, { agentId }: Binding, head: Head): Promise<ReadRange> {
  const first = { from_seq: 1, limit: 1 + Object.keys(head.members).length };
  if (head.seq <= first.limit) return first;
  const from_seq = await sessions.use(head.session_id, ({ durable }) => durable?.status_seq[agentId] ?? 1);
  return from_seq === 1 ? first : { from_seq, limit: 1 };
}

function isInviteOf(agentId: string, { event_type, audience }: Envelope): boolean {
  return event_type === 'session.invite' && audience?.includes(agentId) === true;
}

/** Sessions that ended too long ago: what was missed is told as a gap, once, and forgotten. */
function tellOfForgotten(parts: HubParts, binding: Binding, owed: ReadonlyMap<string, OwedSession>): void {
  for (const progress of parts.cursors.allOf(binding.agentId)) {
    const { session_id } = progress;
    if (owed.has(session_id) || binding.pumps.has(session_id)) continue;
    contain(parts, forget(parts, binding, progress));
  }
}

async function forget(parts: HubParts, binding: Binding, progress: Progress): Promise<void> {
  const stored = await parts.store.head(progress.session_id);
  if (stored === null || !isTerminal(stored.head.state) || !parts.bindings.isCurrent(binding)) return;
  const { head, epoch } = stored;
  if (head.closed_at === null || msFromIso(head.closed_at) > parts.clock.now() - parts.limits.endedForMs) return;
  const to_seq = Math.min(head.seq, membershipEnd(head, binding.agentId));
  const hasMissed = await missed(parts, binding.agentId, progress.session_id, progress.seq, to_seq);
  if (!parts.bindings.isCurrent(binding)) return;
  if (hasMissed) {
    const { agent_id: recipient_id, session_id, seq } = progress;
    const gap = {
      kind: 'gap',
      recipient_id,
      session_id,
      epoch,
      from_seq: seq + 1,
      to_seq,
      reason: 'retention',
    } as const;
    binding.send(encodeFrame(gap));
  }
  parts.cursors.drop(binding.agentId, progress.session_id);
  parts.inboxes.passed(binding.agentId, progress.session_id, head.seq);
  parts.inboxes.blur(binding.agentId);
}

/** Nothing is lost by a failed read: the next bind tells it. */
function contain(parts: HubParts, work: Promise<void>): void {
  work.catch((thrown: unknown) => parts.log.warn('an invite or an end could not be told', { error: String(thrown) }));
}

async function missed(
  parts: HubParts,
  agentId: string,
  sessionId: string,
  afterSeq: number,
  to_seq: number,
): Promise<boolean> {
  for await (const entries of logPages(parts.store, sessionId, afterSeq + 1, to_seq)) {
    if (entries.some(({ envelope }) => isDeliverable(envelope, agentId, to_seq))) return true;
  }
  return false;
}

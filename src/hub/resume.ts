/** What a new binding is owed: the streams of its live sessions from its cursors on, open invites, and the ends it missed. */

import { isDeliverable, membershipEnd } from '../core/delivery.ts';
import { encodeFrame, type ResumePoint } from '../core/frames.ts';
import type { Head } from '../core/head.ts';
import { isTerminal } from '../core/session.ts';
import type { StoredHead } from '../core/store.ts';
import { isoFromMs, msFromIso } from '../core/time.ts';
import type { Binding } from './bindings.ts';
import type { Progress } from './cursors.ts';
import { checkDrained } from './drain.ts';
import type { HubParts } from './parts.ts';
import { listed, logPages } from './read-pages.ts';

/** Where the client says it is, per session. */
export type Resume = Readonly<Record<string, ResumePoint>>;

/** Reads first, then starts every stream in one step: a resume point counts before anything is sent. */
export async function resumeBinding(parts: HubParts, binding: Binding, resume: Resume): Promise<void> {
  try {
    await parts.cursors.load(binding.agentId);
    const ended = await endedSessions(parts, binding.agentId);
    if (!parts.bindings.isCurrent(binding)) return;
    binding.ready = true;
    const live = parts.index.sessionsOf(binding.agentId);
    const sessions = [...live.map((head) => ({ head, epoch: parts.index.epochOf(head.session_id) })), ...ended];
    // What ended while we looked may be in both lists, and is told once.
    const once = new Map([...sessions, ...binding.endedMeanwhile.splice(0)].map((one) => [one.head.session_id, one]));
    for (const { head, epoch } of once.values()) {
      const point = Object.hasOwn(resume, head.session_id) ? resume[head.session_id] : undefined;
      resumeSession(parts, binding, head, epoch, point);
    }
    tellOfForgotten(parts, binding, ended);
  } catch (thrown) {
    parts.log.error('resuming a binding failed', { agent: binding.name, error: String(thrown) });
    parts.bindings.unbind(binding, 'shutdown');
  }
}

/** Sessions that ended while the agent may have been away. */
async function endedSessions(parts: HubParts, agentId: string): Promise<readonly StoredHead[]> {
  const ended_since = isoFromMs(parts.clock.now() - parts.limits.endedForMs);
  const ended: StoredHead[] = [];
  const query = { participant: agentId, states: ['CLOSED', 'EXPIRED'] as const, ended_since };
  for await (const head of listed(parts.store, query)) ended.push(head);
  return ended;
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
  parts.bindings.wakeAt(binding, session_id, progress, head.seq, end);
  // It may have had the closing already, and nobody else be waited for.
  checkDrained(parts, head);
}

/** `resume` in the current epoch acks everything up to it; of another epoch the client is told, and starts again. */
function meetPoint(
  parts: HubParts,
  binding: Binding,
  progress: Progress,
  headSeq: number,
  point: ResumePoint | undefined,
): void {
  const { epoch } = progress;
  if (point === undefined) return;
  if (point.epoch !== epoch) {
    const { agent_id: recipient_id, session_id } = progress;
    const gap = {
      kind: 'gap',
      recipient_id,
      session_id,
      epoch,
      from_seq: 1,
      to_seq: point.seq,
      reason: 'epoch',
    } as const;
    binding.send(encodeFrame(gap));
  } else if (point.seq <= headSeq && point.seq > progress.seq) {
    progress.seq = point.seq;
    for (const seq of progress.beyond) if (seq <= point.seq) progress.beyond.delete(seq);
    parts.cursors.changed(progress);
  }
}

async function repeatInvite(parts: HubParts, binding: Binding, head: Head, epoch: number): Promise<void> {
  const { session_id } = head;
  const known = parts.cursors.get(binding.agentId, session_id);
  if (isTerminal(head.state) && known !== undefined && known.seq >= head.seq) return;
  const range = isTerminal(head.state)
    ? { from_seq: head.seq, limit: 1 }
    : { from_seq: 1, limit: 1 + Object.keys(head.members).length };
  const entries = await parts.store.read(session_id, range);
  if (!parts.bindings.isCurrent(binding)) return;
  // Answered meanwhile, or ended: the stream has begun or the end was told, and an old invite would be noise.
  if (!isTerminal(head.state) && parts.index.get(session_id)?.members[binding.agentId] !== 'invited') return;
  const wanted = entries.find(
    ({ envelope }) => isTerminal(head.state) || envelope.audience?.includes(binding.agentId) === true,
  );
  if (wanted !== undefined) parts.bindings.sendOutside(binding, wanted, epoch);
  if (isTerminal(head.state)) parts.bindings.heardEnd(binding.agentId, head, epoch);
}

/** Sessions that ended too long ago: what was missed is told as a gap, once, and forgotten. */
function tellOfForgotten(parts: HubParts, binding: Binding, ended: readonly StoredHead[]): void {
  const kept = new Set(ended.map(({ head }) => head.session_id));
  for (const progress of parts.cursors.allOf(binding.agentId)) {
    const { session_id } = progress;
    if (kept.has(session_id) || parts.index.get(session_id) !== undefined || binding.pumps.has(session_id)) continue;
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

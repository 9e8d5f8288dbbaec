/** Ends tasks for the hub: with their session, with their owner's membership, or at their TTL. */

import { msFromIso } from '../lib/time.ts';
import { type Draft, hubDraft } from '../records/session/envelope.ts';
import type { EndedData, Task } from '../records/work/tasks.ts';
import type { SessionState } from '../state/state.ts';
import type { Decision } from './decision.ts';

const NONE: readonly Draft[] = [];

/** Drafts to append before this one, which may end the session or the owner's membership. */
export function tasksEndedBy({ tasks: { live } }: SessionState, { event_type, event_data }: Draft): readonly Draft[] {
  if (live.length === 0) return NONE;
  switch (event_type) {
    case 'session.closing':
    case 'session.closed':
    case 'session.expired':
      return live.map((task) => expiredDraft(task, 'session_ended'));
    case 'session.participant.removed':
      return live
        .filter(({ owner_id }) => owner_id === event_data.agent_id)
        .map((task) => expiredDraft(task, 'owner_removed'));
    default:
      return NONE;
  }
}

export function expireTasks({ tasks: { live } }: SessionState, nowMs: number): Decision<number> {
  const due = live.filter((task) => isDue(task, nowMs));
  if (due.length === 0) return { kind: 'nothing', answer: 0 };
  return { kind: 'append', drafts: due.map((task) => expiredDraft(task, 'ttl')), answer: () => due.length };
}

function isDue({ expires_at }: Task, nowMs: number): boolean {
  return expires_at !== null && msFromIso(expires_at) <= nowMs;
}

export function toEndedData({ owner_id, created_at, capability }: Task): EndedData {
  return { owner_id, started_at: created_at, capability };
}

function expiredDraft(task: Task, reason: string): Draft {
  const data = { ...toEndedData(task), reason };
  return { ...hubDraft(task.session_id, 'task.expired', data), task_id: task.task_id };
}

/** Opening the session of a scheduled time, in the name of who made the schedule, under a key that is made of the time. */

import { toWireError, WireError } from '../core/lib/errors.ts';
import { type RunOutcome, runKey, runLabels, type ScheduleDefinition, type ScheduleRun } from '../core/records/work/schedule.ts';
import { isTerminal } from '../core/records/session/session.ts';
import { isoFromMs, msFromIso } from '../core/time.ts';
import { createSession } from './create-session.ts';
import { currentHead } from './current-head.ts';
import type { HubParts } from './parts.ts';
import type { DueTime } from './schedule-due.ts';

export interface Opening {
  readonly nowMs: number;
  /** The session opened last. */
  readonly lastSessionId: string | null;
  /** Called before it is opened; what it keeps is durable no later than the session. */
  readonly beforeOpening: (scheduledAt: string) => Promise<void>;
}

/** known: it was opened before the clock was set back. later: it cannot be said now. */
export type RunResult = ScheduleRun | 'known' | 'later';

/** What the time comes to. */
export async function openScheduled(
  parts: HubParts,
  definition: ScheduleDefinition,
  due: DueTime,
  { nowMs, lastSessionId, beforeOpening }: Opening,
): Promise<RunResult> {
  const scheduled_at = isoFromMs(due.at_ms);
  const missed_since = due.missed_since_ms === null ? null : isoFromMs(due.missed_since_ms);
  const run = (outcome: RunOutcome, session_id: string | null, error: ScheduleRun['error'] = null): ScheduleRun => ({
    scheduled_at,
    at: isoFromMs(nowMs),
    outcome,
    session_id,
    error,
    missed_since,
  });
  if ((await openedUnder(parts, definition, scheduled_at)) !== null) return 'known';
  if (!due.runs) return run('missed', null);
  if (!definition.overlap && (await isLive(parts, lastSessionId))) return run('overlap', null);
  await beforeOpening(scheduled_at);
  try {
    return run('opened', await open(parts, definition, scheduled_at));
  } catch (thrown) {
    const { code, message } = toWireError(thrown, 'opening a scheduled session');
    return code === 'unavailable' ? 'later' : run('failed', null, { code, message });
  }
}

/** The session that was opened for this time, however long ago. */
export async function openedUnder(
  { store }: HubParts,
  { schedule_id, creator_id }: ScheduleDefinition,
  scheduledAt: string,
): Promise<string | null> {
  return (await store.createdUnder(creator_id, runKey(schedule_id, scheduledAt)))?.session_id ?? null;
}

async function open(parts: HubParts, definition: ScheduleDefinition, scheduledAt: string): Promise<string> {
  const { creator_id, schedule_id, template } = definition;
  const passport = parts.registry.byAgentId(creator_id);
  if (passport === null) {
    // It should have gone with its creator.
    await parts.schedules.delete(schedule_id);
    throw new WireError('not_found', `the creator of the schedule is no longer registered`);
  }
  const params = {
    ...template,
    labels: { ...template.labels, ...runLabels(definition, scheduledAt) },
    idempotency_key: runKey(schedule_id, scheduledAt),
    wait: 'created' as const,
  };
  // It may be deleted, paused or changed while others are asked whether it may be opened.
  const refusal = () => (parts.schedules.isSettled(definition) ? null : isChanging(schedule_id));
  const { session } = await createSession(parts, { agentId: creator_id, name: passport.name, refusal }, params);
  return session.session_id;
}

/** What it has become is looked at when that is known. */
function isChanging(scheduleId: string): WireError {
  return new WireError('unavailable', `schedule ${scheduleId} is another than it was when its time came`);
}

/** After a downtime what has run out, or was closing, may not have been looked at yet: nobody can say anything in it any more. */
async function isLive(parts: HubParts, sessionId: string | null): Promise<boolean> {
  if (sessionId === null) return false;
  const current = await currentHead(parts, sessionId);
  if (current === null) return false;
  const { state, expires_at } = current.head;
  if (isTerminal(state) || state === 'CLOSING') return false;
  return expires_at === null || msFromIso(expires_at) > parts.clock.now();
}

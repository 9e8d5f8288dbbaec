/** Opens the session of a scheduled time for the schedule's creator, under an idempotency key derived from the time. */

import { toWireError, WireError } from '../../core/lib/errors.ts';
import { isoFromMs, msFromIso } from '../../core/lib/time.ts';
import { isTerminal } from '../../core/records/session/session.ts';
import {
  type RunOutcome,
  runKey,
  type Schedule,
  type ScheduleDefinition,
  type ScheduleRun,
} from '../../core/records/work/schedule.ts';
import { runLabels } from '../../core/records/work/schedule-schema.ts';
import type { Opening } from '../opening/opening.ts';
import type { SharedRooms } from '../posting/shared-rooms.ts';
import type { DueTime } from './next-run.ts';

/** The access to schedules that running them requires. */
export interface ScheduleBook {
  list(creatorId: string | null, after: string): Iterable<ScheduleDefinition>;
  get(scheduleId: string): Schedule | null;
  definition(scheduleId: string): ScheduleDefinition | null;
  /** True if this durable definition is current and no change is pending. */
  isSettled(definition: ScheduleDefinition): boolean;
  delete(scheduleId: string): Promise<unknown>;
}

export type ScheduleOpenerNeeds = Pick<SharedRooms, 'clock' | 'store' | 'registry' | 'sessions'> & {
  readonly opening: Opening;
};

export interface OpeningTime {
  readonly nowMs: number;
  /** The session opened by the last run. */
  readonly lastSessionId: string | null;
  /** Called before the session is opened; its write is durable no later than the session. */
  readonly beforeOpening: (scheduledAt: string) => Promise<void>;
}

/** 'known': opened before the clock was set back. 'later': try again. */
export type RunResult = ScheduleRun | 'known' | 'later';

export class ScheduleOpener {
  private readonly needs: ScheduleOpenerNeeds;
  private readonly schedules: ScheduleBook;

  constructor(needs: ScheduleOpenerNeeds, schedules: ScheduleBook) {
    this.needs = needs;
    this.schedules = schedules;
  }

  /** Runs one due time: opens its session, or tells why not. */
  async run(
    definition: ScheduleDefinition,
    due: DueTime,
    { nowMs, lastSessionId, beforeOpening }: OpeningTime,
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
    if ((await this.find(definition, scheduled_at)) !== null) return 'known';
    if (!due.runs) return run('missed', null);
    if (!definition.overlap && (await this.isLive(lastSessionId))) return run('overlap', null);
    await beforeOpening(scheduled_at);
    try {
      return run('opened', await this.open(definition, scheduled_at));
    } catch (thrown) {
      const { code, message } = toWireError(thrown, 'opening a scheduled session');
      return code === 'unavailable' ? 'later' : run('failed', null, { code, message });
    }
  }

  /** The id of the session opened for this time, however long ago; null if there is none. */
  async find({ schedule_id, creator_id }: ScheduleDefinition, scheduledAt: string): Promise<string | null> {
    return (await this.needs.store.createdUnder(creator_id, runKey(schedule_id, scheduledAt)))?.session_id ?? null;
  }

  private async open(definition: ScheduleDefinition, scheduledAt: string): Promise<string> {
    const { creator_id, schedule_id, template } = definition;
    const passport = this.needs.registry.byAgentId(creator_id);
    if (passport === null) {
      // The schedule should have been deleted with its creator.
      await this.schedules.delete(schedule_id);
      throw new WireError('not_found', `the creator of the schedule is no longer registered`);
    }
    const params = {
      ...template,
      labels: { ...template.labels, ...runLabels(definition, scheduledAt) },
      idempotency_key: runKey(schedule_id, scheduledAt),
      wait: 'created' as const,
    };
    // The schedule may be deleted, paused or changed while the arbiter is asked.
    const refusal = () => (this.schedules.isSettled(definition) ? null : isChanging(schedule_id));
    const creator = { agentId: creator_id, name: passport.name, refusal };
    const { session } = await this.needs.opening.create(creator, params);
    return session.session_id;
  }

  /** False for a session past its ttl or CLOSING: after a downtime it may not have ended yet. */
  private async isLive(sessionId: string | null): Promise<boolean> {
    if (sessionId === null) return false;
    const current = await this.needs.sessions.currentHead(sessionId);
    if (current === null) return false;
    const { state, expires_at } = current.head;
    if (isTerminal(state) || state === 'CLOSING') return false;
    return expires_at === null || msFromIso(expires_at) > this.needs.clock.now();
  }
}

/** For a schedule that is changing: it is checked again when the change is durable. */
function isChanging(scheduleId: string): WireError {
  return new WireError('unavailable', `schedule ${scheduleId} changed since its time came`);
}

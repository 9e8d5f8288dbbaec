/** Opening the session of a scheduled time, in the name of who made the schedule, under a key that is made of the time. */

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
import type { Ground } from '../log/ground.ts';
import type { Opening } from '../opening/opening.ts';
import type { Registry } from '../registry/registry.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { DueTime } from './next-run.ts';

/** The schedules there are, as far as running them needs to know. */
export interface ScheduleBook {
  list(creatorId: string | null, after: string): Iterable<ScheduleDefinition>;
  get(scheduleId: string): Schedule | null;
  definition(scheduleId: string): ScheduleDefinition | null;
  /** It is durably as it was when its time came. */
  isSettled(definition: ScheduleDefinition): boolean;
  delete(scheduleId: string): Promise<unknown>;
}

export interface ScheduleOpenerNeeds extends Pick<Ground, 'clock' | 'store'> {
  readonly registry: Pick<Registry, 'byAgentId'>;
  readonly sessions: Sessions;
  readonly opening: Pick<Opening, 'create'>;
}

export interface OpeningTime {
  readonly nowMs: number;
  /** The session opened last. */
  readonly lastSessionId: string | null;
  /** Called before it is opened; what it keeps is durable no later than the session. */
  readonly beforeOpening: (scheduledAt: string) => Promise<void>;
}

/** known: it was opened before the clock was set back. later: it cannot be said now. */
export type RunResult = ScheduleRun | 'known' | 'later';

export class ScheduleOpener {
  private readonly needs: ScheduleOpenerNeeds;
  private readonly schedules: ScheduleBook;

  constructor(needs: ScheduleOpenerNeeds, schedules: ScheduleBook) {
    this.needs = needs;
    this.schedules = schedules;
  }

  /** What the time comes to. */
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

  /** The session that was opened for this time, however long ago. */
  async find({ schedule_id, creator_id }: ScheduleDefinition, scheduledAt: string): Promise<string | null> {
    return (await this.needs.store.createdUnder(creator_id, runKey(schedule_id, scheduledAt)))?.session_id ?? null;
  }

  private async open(definition: ScheduleDefinition, scheduledAt: string): Promise<string> {
    const { creator_id, schedule_id, template } = definition;
    const passport = this.needs.registry.byAgentId(creator_id);
    if (passport === null) {
      // It should have gone with its creator.
      await this.schedules.delete(schedule_id);
      throw new WireError('not_found', `the creator of the schedule is no longer registered`);
    }
    const params = {
      ...template,
      labels: { ...template.labels, ...runLabels(definition, scheduledAt) },
      idempotency_key: runKey(schedule_id, scheduledAt),
      wait: 'created' as const,
    };
    // It may be deleted, paused or changed while others are asked whether it may be opened.
    const refusal = () => (this.schedules.isSettled(definition) ? null : isChanging(schedule_id));
    const creator = { agentId: creator_id, name: passport.name, refusal };
    const { session } = await this.needs.opening.create(creator, params);
    return session.session_id;
  }

  /** After a downtime what has run out, or was closing, may not have been looked at yet: nobody can say anything in it any more. */
  private async isLive(sessionId: string | null): Promise<boolean> {
    if (sessionId === null) return false;
    const current = await this.needs.sessions.currentHead(sessionId);
    if (current === null) return false;
    const { state, expires_at } = current.head;
    if (isTerminal(state) || state === 'CLOSING') return false;
    return expires_at === null || msFromIso(expires_at) > this.needs.clock.now();
  }
}

/** What it has become is looked at when that is known. */
function isChanging(scheduleId: string): WireError {
  return new WireError('unavailable', `schedule ${scheduleId} is another than it was when its time came`);
}

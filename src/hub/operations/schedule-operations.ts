/** Handles the operations on schedules. A schedule belongs to its creator; operators may read, pause and delete it. */

import { WireError } from '../../core/lib/errors.ts';
import { copyJsonObject, invalidValueError } from '../../core/lib/json.ts';
import type { ScheduleOperations } from '../../core/protocol/operations/schedules.ts';
import type { SessionTemplate } from '../../core/records/session/create-params.ts';
import type { Schedule, ScheduleDefinition } from '../../core/records/work/schedule.ts';
import { runLabels } from '../../core/records/work/schedule-schema.ts';
import type { Binding } from '../bindings/binding.ts';
import { countFitting, DEFAULT_PAGE_SIZE } from '../lib/fit-page.ts';
import type { Opening } from '../opening/opening.ts';
import type { SharedRooms } from '../posting/shared-rooms.ts';
import { checkTiming, runAfter } from '../schedules/next-run.ts';
import { noScheduleError, type ScheduleGuard, type Schedules } from '../schedules/schedules.ts';
import { guardOf, type Handlers, withoutUndefined } from './run-operation.ts';

type ScheduleOperationsNeeds = Pick<SharedRooms, 'wall' | 'limits' | 'backlog' | 'bindings' | 'registry'> & {
  readonly opening: Opening;
  readonly schedules: Schedules;
};

export function scheduleOperations(needs: ScheduleOperationsNeeds): Handlers<keyof ScheduleOperations> {
  const { wall, limits, backlog, bindings, registry, opening, schedules } = needs;
  const operates = ({ agentId, credential }: Binding): boolean => registry.hasGrant(agentId, 'operate', credential);

  /** The schedule, for its creator and operators; to everybody else it does not exist. */
  const visible = (by: Binding, scheduleId: string): Schedule => {
    const schedule = schedules.get(scheduleId);
    const isSeen = schedule?.creator_id === by.agentId || operates(by);
    if (schedule === null || !isSeen) throw noScheduleError(scheduleId);
    return schedule;
  };

  /** Checked when the change is decided: the connection may be replaced, or the grant revoked, before that. */
  const changeGuard = (by: Binding): ScheduleGuard => {
    const stillBound = guardOf(bindings, by);
    return ({ schedule_id, creator_id }: ScheduleDefinition) => {
      const mayChange = creator_id === by.agentId || operates(by);
      return stillBound() ?? (mayChange ? null : noScheduleError(schedule_id));
    };
  };

  const checkTimes = (expression: string, zone: string): void => {
    checkTiming(expression, zone, 'params.');
    if (runAfter(expression, zone, wall.now()) === null) {
      throw invalidValueError('params.expression', 'a time within ten years', expression);
    }
  };

  /** Copies the template; rejects one that `create_session` would not accept. */
  const checkTemplate = async (by: Binding, template: SessionTemplate, name: string): Promise<SessionTemplate> => {
    // The copy of a parsed template has the same members, except undefined ones.
    const kept = copyJsonObject(withoutUndefined(template), 'params.template', {
      maxDepth: limits.maxJsonDepth + 2,
      maxBytes: limits.maxTemplateBytes,
    }) as unknown as SessionTemplate;
    const origin = runLabels({ name, schedule_id: '0'.repeat(32) }, '0000-00-00T00:00:00.000Z');
    for (const label of Object.keys(origin)) {
      if (kept.labels?.[label] === undefined) continue;
      const field = `params.template.labels.${label}`;
      const message = `${field}: expected another label; this one is the hub's, for scheduled sessions`;
      throw new WireError('invalid_create', message, { field });
    }
    try {
      await opening.check(by, { ...kept, labels: { ...kept.labels, ...origin } });
    } catch (thrown) {
      throw thrown instanceof WireError ? inTemplate(thrown) : thrown;
    }
    return kept;
  };

  return {
    async create_schedule(by, { name, template, expression, zone, missed = 'skip', overlap = false }) {
      backlog.check();
      checkTimes(expression, zone);
      const kept = await checkTemplate(by, template, name);
      const claim = { name, template: kept, expression, zone, missed, overlap };
      return schedules.create(by.agentId, claim, guardOf(bindings, by));
    },

    get_schedule: (by, { schedule_id }) => visible(by, schedule_id),

    list_schedules(by, { all = false, after = '', limit = DEFAULT_PAGE_SIZE }) {
      if (all && !operates(by)) {
        throw new WireError('forbidden', 'params.all: the schedules of others require the grant "operate"');
      }
      const listed = schedules.list(all ? null : by.agentId, after);
      const page = listed.slice(0, limit).map((definition) => schedules.runs.withRuns(definition));
      const shown = page.slice(0, countFitting(page, limits.maxResponseBytes));
      return { schedules: shown, next: shown.length < listed.length ? (shown.at(-1)?.schedule_id ?? null) : null };
    },

    async update_schedule(by, { schedule_id, ...change }) {
      const before = visible(by, schedule_id);
      const { paused: _paused, ...others } = change;
      const isPauseOnly = Object.values(others).every((value) => value === undefined);
      if (!isPauseOnly && before.creator_id !== by.agentId) {
        const message = 'the grant "operate" only allows pausing, resuming and deleting the schedules of others';
        throw new WireError('forbidden', message);
      }
      backlog.check();
      const { expression = before.expression, zone = before.zone, name = before.name } = change;
      checkTimes(expression, zone);
      const template = change.template === undefined ? undefined : await checkTemplate(by, change.template, name);
      return schedules.update(schedule_id, { ...change, template }, changeGuard(by));
    },

    delete_schedule(by, { schedule_id }) {
      visible(by, schedule_id);
      backlog.check();
      return schedules.delete(schedule_id, changeGuard(by));
    },
  };
}

/** The same error with the field path as the caller wrote it. */
function inTemplate({ code, message, details }: WireError): WireError {
  const field = details?.field;
  const where = (text: string): string => text.replace(/^params\./, 'params.template.');
  return new WireError(code, where(message), typeof field === 'string' ? { ...details, field: where(field) } : details);
}

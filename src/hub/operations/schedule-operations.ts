/** The operations on schedules: each is its creator's; who operates the hub may look, pause and delete. */

import { WireError } from '../../core/lib/errors.ts';
import { copyJsonObject, invalidValueError } from '../../core/lib/json.ts';
import type { SessionTemplate } from '../../core/records/session/create-params.ts';
import type { Schedule, ScheduleDefinition } from '../../core/records/work/schedule.ts';
import { runLabels } from '../../core/records/work/schedule-schema.ts';
import type { Binding } from '../bindings/binding.ts';
import type { Bindings } from '../bindings/bindings.ts';
import { countFitting, DEFAULT_PAGE_SIZE } from '../lib/fit-page.ts';
import type { Ground } from '../log/ground.ts';
import type { Opening } from '../opening/opening.ts';
import type { Registry } from '../registry/registry.ts';
import { checkTiming, runAfter } from '../schedules/next-run.ts';
import { noScheduleError, type ScheduleGuard, type Schedules } from '../schedules/schedules.ts';
import { boundCaller, guardOf, type Handlers } from './handler.ts';

export interface ScheduleOperationsNeeds extends Pick<Ground, 'wall' | 'limits' | 'backlog'> {
  readonly bindings: Pick<Bindings, 'mayAct'>;
  readonly registry: Pick<Registry, 'hasGrant'>;
  readonly opening: Pick<Opening, 'check'>;
  readonly schedules: Schedules;
}

type Name = 'create_schedule' | 'get_schedule' | 'list_schedules' | 'update_schedule' | 'delete_schedule';

export function scheduleOperations({
  wall,
  limits,
  backlog,
  bindings,
  registry,
  opening,
  schedules,
}: ScheduleOperationsNeeds): Handlers<Name> {
  const operates = ({ agentId, credential }: Binding): boolean => registry.hasGrant(agentId, 'operate', credential);

  /** To who may not see it there is none. */
  const visible = (by: Binding, scheduleId: string): Schedule => {
    const schedule = schedules.get(scheduleId);
    const isSeen = schedule?.creator_id === by.agentId || operates(by);
    if (schedule === null || !isSeen) throw noScheduleError(scheduleId);
    return schedule;
  };

  /** Another connection may have taken over, or the grant been taken back, by the time it is judged. */
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
      throw invalidValueError('params.expression', 'a time that comes within ten years', expression);
    }
  };

  /** A copy of what is kept, once create_session would take it. */
  const checkTemplate = async (by: Binding, template: SessionTemplate, name: string): Promise<SessionTemplate> => {
    // What was parsed has the same members after the copy, but for those that were undefined.
    const kept = copyJsonObject(withoutUndefined(template), 'params.template', {
      maxDepth: limits.maxJsonDepth + 2,
      maxBytes: limits.maxTemplateBytes,
    }) as unknown as SessionTemplate;
    const origin = runLabels({ name, schedule_id: '0'.repeat(32) }, '0000-00-00T00:00:00.000Z');
    for (const label of Object.keys(origin)) {
      if (kept.labels?.[label] === undefined) continue;
      const field = `params.template.labels.${label}`;
      const message = `${field}: expected another label; this one is the hub's, for what a schedule opens`;
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
    async create_schedule(caller, { name, template, expression, zone, missed = 'skip', overlap = false }) {
      const by = boundCaller(caller);
      backlog.check();
      checkTimes(expression, zone);
      const kept = await checkTemplate(by, template, name);
      const claim = { name, template: kept, expression, zone, missed, overlap };
      return schedules.create(by.agentId, claim, guardOf(bindings, by));
    },

    get_schedule: (caller, { schedule_id }) => visible(boundCaller(caller), schedule_id),

    list_schedules(caller, { all = false, after = '', limit = DEFAULT_PAGE_SIZE }) {
      const by = boundCaller(caller);
      if (all && !operates(by)) {
        throw new WireError('forbidden', 'params.all: the schedules of others need the grant "operate"');
      }
      const listed = schedules.list(all ? null : by.agentId, after);
      const page = listed.slice(0, limit).map((definition) => schedules.runs.withRuns(definition));
      const shown = page.slice(0, countFitting(page, limits.maxResponseBytes));
      return { schedules: shown, next: shown.length < listed.length ? (shown.at(-1)?.schedule_id ?? null) : null };
    },

    async update_schedule(caller, { schedule_id, ...change }) {
      const by = boundCaller(caller);
      const before = visible(by, schedule_id);
      const { paused: _paused, ...others } = change;
      const isPauseOnly = Object.values(others).every((value) => value === undefined);
      if (!isPauseOnly && before.creator_id !== by.agentId) throw creatorsOnly();
      backlog.check();
      const { expression = before.expression, zone = before.zone, name = before.name } = change;
      checkTimes(expression, zone);
      const template = change.template === undefined ? undefined : await checkTemplate(by, change.template, name);
      return schedules.update(schedule_id, { ...change, template }, changeGuard(by));
    },

    delete_schedule(caller, { schedule_id }) {
      const by = boundCaller(caller);
      visible(by, schedule_id);
      backlog.check();
      return schedules.delete(schedule_id, changeGuard(by));
    },
  };
}

function creatorsOnly(): WireError {
  return new WireError(
    'forbidden',
    'with the grant "operate" the schedule of another can be paused, resumed or deleted',
  );
}

function withoutUndefined(template: SessionTemplate): object {
  return Object.fromEntries(Object.entries(template).filter(([, value]) => value !== undefined));
}

/** The same refusal with the field as the caller wrote it. */
function inTemplate({ code, message, details }: WireError): WireError {
  const field = details?.field;
  const where = (text: string): string => text.replace(/^params\./, 'params.template.');
  return new WireError(code, where(message), typeof field === 'string' ? { ...details, field: where(field) } : details);
}

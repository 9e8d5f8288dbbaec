/** The operations on schedules: each is its creator's; who operates the hub may look, pause and delete. */

import { WireError } from '../core/lib/errors.ts';
import { badValue, copyJsonObject } from '../core/lib/json.ts';
import { runLabels, type Schedule, type ScheduleDefinition, type SessionTemplate } from '../core/records/work/schedule.ts';
import type { Binding } from './bindings.ts';
import { boundCaller } from './caller.ts';
import { countWithin, PAGE } from './lib/fit-page.ts';
import { checkCreate } from './create-session.ts';
import type { Handler } from './handler.ts';
import { guardOf } from './identity-operations.ts';
import { checkTiming, runAfter } from './schedules/next-run.ts';
import type { HubParts } from './parts.ts';
import { noSchedule } from './schedule-entries.ts';
import type { ScheduleGuard } from './schedules/schedules.ts';

type Name = 'create_schedule' | 'get_schedule' | 'list_schedules' | 'update_schedule' | 'delete_schedule';

export const scheduleOperations: { readonly [N in Name]: Handler<N> } = {
  async create_schedule(parts, caller, { name, template, expression, zone, missed = 'skip', overlap = false }) {
    const by = boundCaller(caller);
    parts.backlog.check();
    checkTimes(parts, expression, zone);
    const kept = await checkTemplate(parts, by, template, name);
    const claim = { name, template: kept, expression, zone, missed, overlap };
    return parts.schedules.create(by.agentId, claim, guardOf(parts, by));
  },

  get_schedule(parts, caller, { schedule_id }) {
    return visible(parts, boundCaller(caller), schedule_id);
  },

  list_schedules(parts, caller, { all = false, after = '', limit = PAGE }) {
    const { agentId } = boundCaller(caller);
    if (all && !parts.registry.holds(agentId, 'operate')) {
      throw new WireError('forbidden', 'params.all: the schedules of others need the grant "operate"');
    }
    const listed = parts.schedules.list(all ? null : agentId, after);
    const page = listed.slice(0, limit).map((definition) => parts.schedules.runs.withRuns(definition));
    const schedules = page.slice(0, countWithin(page, parts.limits.maxResponseBytes));
    return { schedules, next: schedules.length < listed.length ? (schedules.at(-1)?.schedule_id ?? null) : null };
  },

  async update_schedule(parts, caller, { schedule_id, ...change }) {
    const by = boundCaller(caller);
    const before = visible(parts, by, schedule_id);
    const { paused: _paused, ...others } = change;
    const isPauseOnly = Object.values(others).every((value) => value === undefined);
    if (!isPauseOnly && before.creator_id !== by.agentId) throw creatorsOnly();
    parts.backlog.check();
    const { expression = before.expression, zone = before.zone, name = before.name } = change;
    checkTimes(parts, expression, zone);
    const template = change.template === undefined ? undefined : await checkTemplate(parts, by, change.template, name);
    return parts.schedules.update(schedule_id, { ...change, template }, changeGuard(parts, by));
  },

  delete_schedule(parts, caller, { schedule_id }) {
    const by = boundCaller(caller);
    visible(parts, by, schedule_id);
    parts.backlog.check();
    return parts.schedules.delete(schedule_id, changeGuard(parts, by));
  },
};

/** To who may not see it there is none. */
function visible(parts: HubParts, { agentId }: Binding, scheduleId: string): Schedule {
  const schedule = parts.schedules.get(scheduleId);
  const isSeen = schedule?.creator_id === agentId || parts.registry.holds(agentId, 'operate');
  if (schedule === null || !isSeen) throw noSchedule(scheduleId);
  return schedule;
}

/** Another connection may have taken over, or the grant been taken back, by the time it is judged. */
function changeGuard(parts: HubParts, by: Binding): ScheduleGuard {
  const stillBound = guardOf(parts, by);
  return ({ schedule_id, creator_id }: ScheduleDefinition) => {
    const mayChange = creator_id === by.agentId || parts.registry.holds(by.agentId, 'operate');
    return stillBound() ?? (mayChange ? null : noSchedule(schedule_id));
  };
}

function creatorsOnly(): WireError {
  return new WireError(
    'forbidden',
    'with the grant "operate" the schedule of another can be paused, resumed or deleted',
  );
}

function checkTimes({ wall }: HubParts, expression: string, zone: string): void {
  checkTiming(expression, zone, 'params.');
  if (runAfter(expression, zone, wall.now()) === null) {
    throw badValue('params.expression', 'a time that comes within ten years', expression);
  }
}

/** A copy of what is kept, once create_session would take it. */
async function checkTemplate(
  parts: HubParts,
  by: Binding,
  template: SessionTemplate,
  name: string,
): Promise<SessionTemplate> {
  const { maxJsonDepth, maxTemplateBytes } = parts.limits;
  // What was parsed has the same members after the copy, but for those that were undefined.
  const kept = copyJsonObject(withoutUndefined(template), 'params.template', {
    maxDepth: maxJsonDepth + 2,
    maxBytes: maxTemplateBytes,
  }) as unknown as SessionTemplate;
  const origin = runLabels({ name, schedule_id: '0'.repeat(32) }, '0000-00-00T00:00:00.000Z');
  for (const label of Object.keys(origin)) {
    if (kept.labels?.[label] === undefined) continue;
    const field = `params.template.labels.${label}`;
    const message = `${field}: expected another label; this one is the hub's, for what a schedule opens`;
    throw new WireError('invalid_create', message, { field });
  }
  try {
    await checkCreate(parts, by, { ...kept, labels: { ...kept.labels, ...origin } });
  } catch (thrown) {
    throw thrown instanceof WireError ? inTemplate(thrown) : thrown;
  }
  return kept;
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

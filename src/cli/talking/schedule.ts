/** `parley schedule`. */

import type { AgentClient } from '../../client/agent-client.ts';
import type { ScheduledSession } from '../../client/operations/params.ts';
import type { Schedule } from '../../core/records/work/schedule.ts';
import { withHub } from '../connecting/connect.ts';
import { formatRelative, printTable, type Table } from '../terminal/columns.ts';
import type { Command, CommandArgs } from '../terminal/command.ts';
import { invalidValueError, usageError } from '../terminal/command-error.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { parseNames, parsePairs, readJsonOption } from '../terminal/parse-values.ts';
import { TYPES } from './open.ts';

const ACTIONS = ['list', 'create', 'pause', 'resume', 'delete'] as const;

export const schedule: Command = {
  name: 'schedule',
  summary: 'Sessions that the hub opens by the clock: list, create, pause, resume, delete.',
  details:
    'Lists, pauses and deletes as the operator, unless --as says for whom; what it creates is of --as, who opens those sessions.',
  args: [
    { name: 'action', help: `${ACTIONS.join(', ')}.`, values: ACTIONS },
    { name: 'what', help: 'create: what to call it. pause, resume, delete: its id.', isOptional: true },
  ],
  options: [
    { name: 'type', value: 'type', help: `create: the type of its sessions (${TYPES.join(', ')}, …).` },
    { name: 'to', value: 'names', help: 'create: with whom.', isMany: true },
    { name: 'cron', value: 'expression', help: 'create: when, such as "0 9 * * 1-5".' },
    { name: 'zone', value: 'zone', help: "create: whose clocks are meant, such as Europe/Berlin (this machine's)." },
    { name: 'knob', value: 'key=value', help: 'create: a setting of the type.', isMany: true },
    { name: 'graph', value: 'file', help: 'create: the graph of a workflow.', values: 'file' },
    {
      name: 'missed',
      value: 'what',
      help: 'create: of times the hub was down, none (skip) or the last (once).',
      values: ['skip', 'once'],
    },
    { name: 'overlap', help: 'create: open one also while the one before is under way.' },
  ],
  on: 'hub',
  acts: true,
  examples: [
    'parley schedule create stand-up --type discussion --to bob,carol --cron "0 9 * * 1-5" --zone Europe/Berlin',
    'parley schedule list',
  ],
  json: 'list: a line for each schedule. create, pause, resume: the schedule. delete: {"schedule_id"}.',
  async run(args, io) {
    const { action } = args.positionals;
    const work = await workOf(args, io);
    const isOwn = action === 'create' || args.values.as !== undefined;
    return withHub(args, io, isOwn ? 'speaker' : 'reader', async (client) => {
      await work(client);
      return EXIT.done;
    });
  },
};

type Work = (client: AgentClient) => Promise<void>;

async function workOf(args: CommandArgs, io: Io): Promise<Work> {
  const { action, what } = args.positionals;
  if (action === 'list') {
    if (what !== undefined)
      throw usageError('extra_argument', `"schedule list" takes nothing more, got "${what}"`, HELP);
    return (client) => printTable(io, client.schedules({ all: args.values.as === undefined }), SCHEDULE_TABLE);
  }
  if (what === undefined) throw usageError('missing_argument', `"schedule ${action}" needs <what>`, HELP);
  if (action === 'create') {
    const options = await scheduleOptions(args);
    return async (client) => reportSchedule(io, await client.schedule(what, options));
  }
  if (!/^[0-9a-f]{32}$/.test(what))
    throw invalidValueError('<what>', 'the id of a schedule', what, '"parley schedule list" shows the ids.');
  if (action !== 'delete') {
    return async (client) => reportSchedule(io, await client.updateSchedule(what, { paused: action === 'pause' }));
  }
  return async (client) => {
    await client.deleteSchedule(what);
    io.put({ schedule_id: what });
    io.say(`${what} is deleted; the sessions it opened go on`);
  };
}

const HELP = '"parley schedule --help" says more.';

async function scheduleOptions({ values, lists, switches }: CommandArgs) {
  const participants = parseNames(lists.to ?? []);
  const { type, cron, graph, missed } = values;
  const missing =
    type === undefined ? '--type' : cron === undefined ? '--cron' : participants.length === 0 ? '--to' : null;
  if (type === undefined || cron === undefined || missing !== null) {
    throw usageError('missing_option', `"schedule create" needs ${missing}`, HELP);
  }
  const knobs = {
    ...parsePairs('--knob', lists.knob ?? []),
    ...(graph === undefined ? {} : { graph: await readJsonOption('--graph', graph) }),
  };
  const session: ScheduledSession = { type, participants, ...(Object.keys(knobs).length === 0 ? {} : { knobs }) };
  return {
    expression: cron,
    zone: values.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    session,
    ...(missed === undefined ? {} : { missed: missed as 'skip' | 'once' }),
    ...(switches.has('overlap') ? { overlap: true } : {}),
  };
}

async function reportSchedule(io: Io, schedule: Schedule): Promise<void> {
  await printTable(io, [schedule], SCHEDULE_TABLE);
}

const SCHEDULE_TABLE: Table<Schedule> = {
  heads: ['schedule', 'name', 'type', 'when', 'zone', 'next', 'last'],
  empty: 'no schedules; "parley schedule create" makes one',
  row: ({ schedule_id, name, template, expression, zone, paused, next_run_at, last_run }) => {
    const next = paused ? 'paused' : next_run_at === null ? 'never' : formatRelative(next_run_at, Date.now());
    const last = last_run === null ? '' : `${last_run.outcome} ${formatRelative(last_run.at, Date.now())}`;
    return [schedule_id, name, template.type, expression, zone, next, last];
  },
};

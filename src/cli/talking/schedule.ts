/** `parley schedule`: manages scheduled sessions. */

import type { AgentClient } from '../../client/agent-client.ts';
import type { ScheduledSession } from '../../client/operations/params.ts';
import type { Schedule } from '../../core/records/work/schedule.ts';
import { withHub } from '../connecting/connect.ts';
import { formatRelative, printTable, type Table } from '../terminal/columns.ts';
import { type Command, type CommandArgs, inGroup } from '../terminal/command.ts';
import { invalidValueError, usageError } from '../terminal/command-error.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { parseNames, parsePairs, readJsonOption } from '../terminal/parse-values.ts';
import { TYPES } from './open.ts';

const ACTIONS = ['list', 'create', 'pause', 'resume', 'delete'] as const;

export const schedule: Command = {
  name: 'schedule',
  summary: 'List, create, pause, resume and delete scheduled sessions',
  details:
    'Schedules belong to the --as identity. It opens their sessions and usually has the first turn in them: choose an agent that will be connected at those times, and create the schedule before it connects: a name in use is rejected. Without --as, every action except create runs as the operator.',
  args: [
    { name: 'action', help: ACTIONS.join(', '), values: ACTIONS },
    { name: 'what', help: 'create: a name; pause, resume, delete: the schedule id', isOptional: true },
  ],
  options: [
    ...inGroup('Options of create', [
      { name: 'type', value: 'type', help: `Session type (${TYPES.join(', ')}, …)` },
      { name: 'to', value: 'names', help: 'Participants to invite: a,b', isMany: true },
      { name: 'cron', value: 'expression', help: 'Cron expression, such as "0 9 * * 1-5"' },
      { name: 'zone', value: 'zone', help: "Time zone, such as Europe/Berlin (default: this machine's)" },
      { name: 'knob', value: 'key=value', help: 'Setting of the type, such as rounds=2', isMany: true },
      { name: 'graph', value: 'file', help: 'Graph of a workflow, in JSON or YAML', values: 'file' },
      {
        name: 'missed',
        value: 'what',
        help: 'Handling of runs missed while the hub was down: skip them, or run the last once (default: skip)',
        values: ['skip', 'once'],
      },
      { name: 'overlap', help: 'Open a session even if the previous one has not ended' },
    ]),
  ],
  on: 'hub',
  acts: true,
  examples: [
    [
      'Hold a stand-up on weekdays at nine; the agent alice, which joins later, opens it',
      'parley schedule create stand-up --as alice --type discussion --to bob,carol --cron "0 9 * * 1-5" --zone Europe/Berlin',
    ],
    ['List all schedules', 'parley schedule list'],
  ],
  json: 'list: one line per schedule. create, pause, resume: the schedule. delete: {"schedule_id"}.',
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
      throw usageError('extra_argument', `"schedule list" takes no argument, got "${what}"`, HELP);
    return (client) => printTable(io, client.schedules({ all: args.values.as === undefined }), SCHEDULE_TABLE);
  }
  if (what === undefined) throw usageError('missing_argument', `"schedule ${action}" requires <what>`, HELP);
  if (action === 'create') {
    const options = await scheduleOptions(args);
    return async (client) => reportSchedule(io, await client.schedule(what, options));
  }
  if (!/^[0-9a-f]{32}$/.test(what))
    throw invalidValueError('<what>', 'the id of a schedule', what, '"parley schedule list" lists the ids.');
  if (action !== 'delete') {
    return async (client) => reportSchedule(io, await client.updateSchedule(what, { paused: action === 'pause' }));
  }
  return async (client) => {
    await client.deleteSchedule(what);
    io.put({ schedule_id: what });
    io.say(`${what} is deleted; sessions it opened continue`);
  };
}

const HELP = 'Run "parley schedule --help" for details.';

async function scheduleOptions({ values, lists, switches }: CommandArgs) {
  const participants = parseNames(lists.to ?? []);
  const { type, cron, graph, missed } = values;
  const missing =
    type === undefined ? '--type' : cron === undefined ? '--cron' : participants.length === 0 ? '--to' : null;
  if (type === undefined || cron === undefined || missing !== null) {
    throw usageError('missing_option', `"schedule create" requires ${missing}`, HELP);
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
  empty: 'no schedules; "parley schedule create" adds one',
  row: ({ schedule_id, name, template, expression, zone, paused, next_run_at, last_run }) => {
    const next = paused ? 'paused' : next_run_at === null ? 'never' : formatRelative(next_run_at, Date.now());
    const last = last_run === null ? '' : `${last_run.outcome} ${formatRelative(last_run.at, Date.now())}`;
    return [schedule_id, name, template.type, expression, zone, next, last];
  },
};

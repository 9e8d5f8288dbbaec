/** `parley schedule`. */

import type { AgentClient } from '../../client/agent-client.ts';
import type { ScheduledSession } from '../../client/schedule.ts';
import type { Schedule } from '../../core/records/work/schedule.ts';
import { fromNow, writeColumns } from '../../node/commands/columns.ts';
import type { Asked, Command } from '../terminal/command.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { namesIn, objectInFile, pairsIn } from '../terminal/parse-values.ts';
import type { Io } from '../terminal/io.ts';
import { TYPES } from './open.ts';
import { acting, looking } from '../../node/commands/reach.ts';
import { Trouble, wrongValue } from '../terminal/command-error.ts';

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
  async run(asked, io) {
    const { action } = asked.args;
    const work = await workOf(asked, io);
    const isOwn = action === 'create' || asked.values.as !== undefined;
    return (isOwn ? acting : looking)(asked, io, async (client) => {
      await work(client);
      return EXIT.done;
    });
  },
};

type Work = (client: AgentClient) => Promise<void>;

async function workOf(asked: Asked, io: Io): Promise<Work> {
  const { action, what } = asked.args;
  if (action === 'list') {
    if (what !== undefined)
      throw new Trouble('wrong', 'extra_argument', `"schedule list" takes nothing more, got "${what}"`, HELP);
    return (client) => list(client, io, asked.values.as === undefined);
  }
  if (what === undefined) throw new Trouble('wrong', 'missing_argument', `"schedule ${action}" needs <what>`, HELP);
  if (action === 'create') {
    const wanted = await claimOf(asked);
    return async (client) => tell(io, await client.schedule(what, wanted));
  }
  if (!/^[0-9a-f]{32}$/.test(what))
    throw wrongValue('<what>', 'the id of a schedule', what, '"parley schedule list" shows the ids.');
  if (action !== 'delete') {
    return async (client) => tell(io, await client.updateSchedule(what, { paused: action === 'pause' }));
  }
  return async (client) => {
    await client.deleteSchedule(what);
    io.put({ schedule_id: what });
    io.say(`${what} is deleted; the sessions it opened go on`);
  };
}

const HELP = '"parley schedule --help" says more.';

async function claimOf({ values, lists, switches }: Asked) {
  const participants = namesIn(lists.to ?? []);
  const { type, cron, graph, missed } = values;
  const missing =
    type === undefined ? '--type' : cron === undefined ? '--cron' : participants.length === 0 ? '--to' : null;
  if (type === undefined || cron === undefined || missing !== null) {
    throw new Trouble('wrong', 'missing_option', `"schedule create" needs ${missing}`, HELP);
  }
  const knobs = {
    ...pairsIn('--knob', lists.knob ?? []),
    ...(graph === undefined ? {} : { graph: await objectInFile('--graph', graph) }),
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

function tell(io: Io, made: Schedule): void {
  io.put(made);
  if (!io.isJson) writeColumns(io.terminal, HEADS, [rowOf(made)]);
}

async function list(client: AgentClient, io: Io, all: boolean): Promise<void> {
  const found: Schedule[] = [];
  for await (const one of client.schedules({ all })) {
    io.put(one);
    found.push(one);
  }
  if (io.isJson) return;
  if (found.length === 0) io.say('no schedules; "parley schedule create" makes one');
  else writeColumns(io.terminal, HEADS, found.map(rowOf));
}

const HEADS = ['schedule', 'name', 'type', 'when', 'zone', 'next', 'last'];

function rowOf({ schedule_id, name, template, expression, zone, paused, next_run_at, last_run }: Schedule) {
  const next = paused ? 'paused' : next_run_at === null ? 'never' : fromNow(next_run_at, Date.now());
  const last = last_run === null ? '' : `${last_run.outcome} ${fromNow(last_run.at, Date.now())}`;
  return [schedule_id, name, template.type, expression, zone, next, last].map((text) => ({ text }));
}

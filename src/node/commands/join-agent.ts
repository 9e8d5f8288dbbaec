/** `parley join` for an agent: takes its turns, shows what it does, and ends what it started when it ends. */

import { joinHub } from '../../participants/node.ts';
import { runningPrograms } from '../run/running.ts';
import { systemClock } from '../../system/clock.ts';
import type { ChosenAgent } from '../../cli/agent-options/select-agent.ts';
import type { Asked } from '../../cli/terminal/command.ts';
import { EXIT } from '../../cli/terminal/exit-codes.ts';
import { interrupted } from './interrupted.ts';
import type { Io } from '../../cli/terminal/io.ts';
import { agentWay } from './reach.ts';
import type { RoleFile } from '../../cli/agent-options/role-file.ts';
import { sentAway } from './sent-away.ts';
import { wrongValue } from '../../cli/terminal/command-error.ts';
import { TurnDisplay } from '../../cli/joining/turn-display.ts';

export async function joinAgent(asked: Asked, io: Io, role: RoleFile, chosen: ChosenAgent): Promise<number> {
  const given = asked.values.name ?? role.name ?? (io.env.PARLEY_NAME || undefined);
  const { name, url, connect } = await agentWay(asked, io, { given, usual: chosen.name });
  const display = new TurnDisplay(io, name, systemClock);
  // Asked for before anything is started: nothing that was is left behind.
  const stop = interrupted();
  const participant = await joinHub(connect, {
    name,
    register: { kind: 'agent', provider: chosen.provider, ...modelOf(asked, role, chosen) },
    agent: chosen.agent,
    systemPrompt: role.prompt,
    handlers: display,
    maxParallelTurns: parallelOf(asked),
    ...(role.description === undefined ? {} : { resume: { summary: role.description } }),
    onState(state) {
      io.put({ event: state });
      if (state === 'away') io.note('the hub is out of reach; trying again');
      if (state === 'open') io.note('the hub is there again');
    },
  });
  io.put({ event: 'joined', name, agent_id: participant.client.agentId, url });
  io.say(`${name} has joined ${url} and takes its turns; Ctrl-C ends it.`);
  const over = await Promise.race([participant.closed, stop.then(() => null)]);
  // One that does not listen is given a while: nobody should wonder meanwhile.
  for (const { tool } of runningPrograms()) io.note(`ending ${tool} …`);
  await participant.close();
  if (over?.by === 'hub') throw sentAway(name, over.reason);
  if (over?.by === 'refusal') throw over.error;
  io.put({ event: 'left', name });
  io.say(`${name} is no longer connected; turns that are open wait for its next run.`);
  return EXIT.done;
}

function modelOf(asked: Asked, role: RoleFile, chosen: ChosenAgent): { readonly model?: string } {
  const model = chosen.model ?? asked.values.model ?? role.model;
  return model === undefined ? {} : { model };
}

function parallelOf({ values }: Asked): number {
  const given = values.parallel ?? '4';
  const count = Number(given);
  if (Number.isInteger(count) && count >= 1 && count <= 1_000) return count;
  throw wrongValue('--parallel', 'a whole number from 1 to 1000', given);
}

/** The table of all commands. */

import { createCompletion } from './completion.ts';
import { demo } from './demo/demo.ts';
import { run } from './governed/run.ts';
import type { CommandGroups } from './help.ts';
import { join } from './joining/join.ts';
import { mcp } from './joining/mcp.ts';
import { archive } from './maintenance/archive.ts';
import { backup, restore } from './maintenance/backup.ts';
import { repair, verify } from './maintenance/verify.ts';
import { conformance } from './operating/conformance.ts';
import { doctor } from './operating/doctor.ts';
import { token } from './operating/token.ts';
import { up } from './operating/up.ts';
import { exportSession } from './reading/export.ts';
import { inbox } from './reading/inbox.ts';
import { agents, sessions } from './reading/lists.ts';
import { search } from './reading/search.ts';
import { show } from './reading/show.ts';
import { tail } from './reading/tail.ts';
import { graph } from './talking/graph.ts';
import { open } from './talking/open.ts';
import { redact } from './talking/redact.ts';
import { schedule } from './talking/schedule.ts';
import { close, send } from './talking/send.ts';
import type { Command } from './terminal/command.ts';

/** Groups of commands, in the order of help. To add a command, write its file and add it here. */
export const COMMAND_GROUPS: CommandGroups = [
  ['Run a hub', [up, doctor, token, demo]],
  ['Take part in sessions', [open, send, close, join, mcp, inbox]],
  ['Read sessions', [sessions, agents, show, tail, search, exportSession]],
  ['Govern and automate', [run, schedule, graph, redact, conformance]],
  ['Maintain a data folder', [backup, restore, archive, verify, repair]],
  ['Set up your shell', [createCompletion(() => COMMANDS)]],
];

export const COMMANDS: readonly Command[] = COMMAND_GROUPS.flatMap(([, commands]) => commands);

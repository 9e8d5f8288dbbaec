/** Every command there is, in the order in which help shows them. A new one is one file and one line here. */

import { createCompletion } from './completion.ts';
import { demo } from './demo/demo.ts';
import { run } from './governed/run.ts';
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

export const COMMANDS: readonly Command[] = [
  up,
  demo,
  open,
  send,
  close,
  join,
  mcp,
  sessions,
  agents,
  show,
  inbox,
  tail,
  search,
  exportSession,
  redact,
  graph,
  schedule,
  run,
  token,
  backup,
  restore,
  archive,
  verify,
  repair,
  doctor,
  conformance,
  createCompletion(() => COMMANDS),
];

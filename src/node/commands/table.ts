/** Every command there is, in the order in which help shows them. A new one is one file and one line here. */

import { agents } from './agents.ts';
import { archive } from './archive.ts';
import { backup } from './backup.ts';
import { close } from './close.ts';
import type { Command } from './command.ts';
import { completionOf } from './completion.ts';
import { conformance } from './conformance.ts';
import { demo } from './demo.ts';
import { doctor } from './doctor.ts';
import { exportSession } from './export.ts';
import { run } from './governed/run.ts';
import { graph } from './graph.ts';
import { inbox } from './inbox.ts';
import { join } from './join.ts';
import { mcp } from './mcp.ts';
import { open } from './open.ts';
import { redact } from './redact.ts';
import { repair } from './repair.ts';
import { restore } from './restore.ts';
import { schedule } from './schedule.ts';
import { search } from './search.ts';
import { send } from './send.ts';
import { sessions } from './sessions.ts';
import { show } from './show.ts';
import { tail } from './tail.ts';
import { token } from './token.ts';
import { up } from './up.ts';
import { verify } from './verify.ts';

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
  completionOf(() => COMMANDS),
];

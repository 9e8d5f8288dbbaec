/** Every command there is, in the order in which help shows them. A new one is one file and one line here. */

import { agents } from './agents.ts';
import { archive } from '../../cli/maintenance/archive.ts';
import { backup } from './backup.ts';
import { close } from './close.ts';
import type { Command } from '../../cli/terminal/command.ts';
import { completionOf } from './completion.ts';
import { conformance } from '../../cli/operating/conformance.ts';
import { demo } from '../../cli/demo/demo.ts';
import { doctor } from './doctor.ts';
import { exportSession } from '../../cli/reading/export.ts';
import { run } from '../../cli/governed/run.ts';
import { graph } from '../../cli/talking/graph.ts';
import { inbox } from '../../cli/reading/inbox.ts';
import { join } from '../../cli/joining/join.ts';
import { mcp } from './mcp.ts';
import { open } from '../../cli/talking/open.ts';
import { redact } from '../../cli/talking/redact.ts';
import { repair } from './repair.ts';
import { restore } from './restore.ts';
import { schedule } from '../../cli/talking/schedule.ts';
import { search } from '../../cli/reading/search.ts';
import { send } from '../../cli/talking/send.ts';
import { sessions } from './sessions.ts';
import { show } from '../../cli/reading/show.ts';
import { tail } from '../../cli/reading/tail.ts';
import { token } from '../../cli/operating/token.ts';
import { up } from '../../cli/operating/up.ts';
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

/** Every tool there is, in the order in which they are listed. */

import type { Tool } from '../../mcp/tools/tool.ts';
import { delegate } from './tools/delegate.ts';
import { acceptInvite, close, declineInvite, leave } from './tools/membership.ts';
import { peers } from './tools/peers.ts';
import { finish, handoff, say } from '../../mcp/tools/turn-tools.ts';
import { sessionOpen } from '../../mcp/tools/session-tools.ts';
import { sessionRead } from './tools/session-read.ts';
import { sessions } from './tools/sessions.ts';
import { taskProgress } from '../../mcp/tools/work-tools.ts';
import { waitTurn } from './tools/wait-turn.ts';

export const TOOLS: readonly Tool[] = [
  waitTurn,
  say,
  sessions,
  sessionRead,
  sessionOpen,
  acceptInvite,
  declineInvite,
  peers,
  handoff,
  finish,
  delegate,
  taskProgress,
  leave,
  close,
];

/** Every tool there is, in the order in which they are listed. */

import type { Tool } from './tool.ts';
import { delegate } from './tools/delegate.ts';
import { acceptInvite, close, declineInvite, leave } from './tools/membership.ts';
import { peers } from './tools/peers.ts';
import { finish, handoff, say } from './tools/say.ts';
import { sessionOpen } from './tools/session-open.ts';
import { sessionRead } from './tools/session-read.ts';
import { sessions } from './tools/sessions.ts';
import { taskProgress } from './tools/task-progress.ts';
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

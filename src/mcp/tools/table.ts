/** All tools, in listing order. */

import { peers, sessionRead, sessions } from './reading-tools.ts';
import { acceptInvite, close, declineInvite, leave, sessionOpen } from './session-tools.ts';
import type { Tool } from './tool.ts';
import { finish, handoff, say, waitTurn } from './turn-tools.ts';
import { delegate, taskProgress } from './work-tools.ts';

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

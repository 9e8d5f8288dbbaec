/** Every tool there is, in the order in which they are listed. */

import type { Tool } from './tool.ts';
import { finish, handoff, say } from './tools/say.ts';
import { sessionRead } from './tools/session-read.ts';
import { sessions } from './tools/sessions.ts';
import { waitTurn } from './tools/wait-turn.ts';

export const TOOLS: readonly Tool[] = [waitTurn, say, sessions, sessionRead, handoff, finish];

/** The tool `sessions`. */

import { z } from 'zod';
import { ownSessions } from '../../../participants/tools/own-sessions.ts';
import { next } from '../fields.ts';
import { listCursor, parseListCursor } from '../list-cursor.ts';
import { type Tool, tool } from '../../../mcp/tools/tool.ts';

export const sessions: Tool = tool({
  name: 'sessions',
  title: 'List your sessions',
  description:
    'Lists the sessions you are in or invited to, newest first. Call it when you do not know a session id, or to see what is open. ' +
    'Gives back id, type, state, topic and whose turn it is (`your_turn`). Then: accept_invite where `invited` is true, session_read to catch up, wait_turn to take part.',
  effect: 'reads',
  input: z.object({
    ended: z.boolean().optional().describe('Also those that have ended.'),
    cursor: z.string().max(300).optional().describe('The cursor of the page before.'),
  }),
  output: z.object({
    sessions: z.array(
      z.object({
        session: z.string(),
        type: z.string(),
        state: z.string(),
        topic: z.string().nullable(),
        your_turn: z.boolean(),
        invited: z.boolean().describe('You are asked, and have not answered: call accept_invite or decline_invite.'),
        from: z.string().describe('Who opened it.'),
        participants: z.array(z.string()).describe('The first ten.'),
        expected: z.string().nullable().describe('Whose turn it is; null = nobody in particular.'),
        closed: z.string().nullable().describe('Why it ended.'),
      }),
    ),
    cursor: z.string().nullable().describe('For the next page; null = that was all.'),
    next,
  }),
  async run({ ended, cursor }, { participant }) {
    const after = parseListCursor('sessions', cursor);
    const { sessions: listed, next: more } = await ownSessions(participant, { ended, after });
    const hint =
      listed.length === 0
        ? 'You are in none: call wait_turn to be invited, or session_open to open one.'
        : more !== null
          ? 'There are more: call sessions again with this cursor.'
          : listed.some(({ invited }) => invited)
            ? 'Call accept_invite or decline_invite where you are invited; wait_turn to take part.'
            : 'Call wait_turn to take part, or session_read to catch up.';
    return { sessions: listed, cursor: listCursor('sessions', more), next: hint };
  },
});

/** The tool `sessions`. */

import { z } from 'zod';
import { next } from '../fields.ts';
import { type Tool, tool } from '../tool.ts';

const PAGE = 20;

export const sessions: Tool = tool({
  name: 'sessions',
  title: 'List your sessions',
  description:
    'Lists the sessions you are in or invited to, newest first. Call it when you do not know a session id, or to see what is open. ' +
    'Gives back id, type, state, topic and whose turn it is (`your_turn`). Then: accept_invite where state is INVITED and you are asked, session_read to catch up, wait_turn to take part.',
  effect: 'reads',
  input: z.object({
    ended: z.boolean().optional().describe('Also those that have ended.'),
    cursor: z.string().max(256).optional().describe('The cursor of the page before.'),
  }),
  output: z.object({
    sessions: z.array(
      z.object({
        session: z.string(),
        type: z.string(),
        state: z.string(),
        topic: z.string().nullable(),
        your_turn: z.boolean(),
        closed: z.string().nullable().describe('Why it ended.'),
      }),
    ),
    cursor: z.string().nullable().describe('For the next page; null = that was all.'),
    next,
  }),
  async run({ ended, cursor }, { participant }) {
    const agentId = await participant.agentId;
    const states = ended === true ? undefined : (['INVITED', 'ACTIVE', 'CLOSING'] as const);
    const page = await participant.call('list_sessions', { states, after: cursor, limit: PAGE });
    const listed = page.sessions.map((one) => ({
      session: one.session_id,
      type: one.type,
      state: one.state,
      topic: one.labels.intent ?? null,
      your_turn: one.state === 'ACTIVE' && one.turn?.agent_id === agentId,
      closed: one.close_reason,
    }));
    const hint =
      listed.length === 0
        ? 'You are in none: call wait_turn to be invited, or session_open to open one.'
        : 'Call wait_turn to take part, or session_read to catch up.';
    return { sessions: listed, cursor: page.next, next: hint };
  },
});

/** The tool `sessions`. */

import { z } from 'zod';
import type { SessionSummary } from '../../../core/operations.ts';
import { nameOf } from '../../../core/session.ts';
import { next } from '../fields.ts';
import { listCursor, parseListCursor } from '../list-cursor.ts';
import type { Participant } from '../participant.ts';
import { isOver, standingIn } from '../standing.ts';
import { type Tool, tool } from '../tool.ts';
import { topicOf } from '../topic.ts';

const PAGE = 20;

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
    const agentId = await participant.agentId;
    const states = ended === true ? undefined : (['INVITED', 'ACTIVE', 'CLOSING'] as const);
    const page = await participant.call('list_sessions', {
      states,
      after: parseListCursor('sessions', cursor),
      limit: PAGE,
    });
    const listed = await Promise.all(
      page.sessions.map(async (one) => ({
        session: one.session_id,
        type: one.type,
        state: one.state,
        your_turn: one.state === 'ACTIVE' && one.turn?.agent_id === agentId,
        closed: one.close_reason,
        ...(await whoIsIn(participant, one)),
      })),
    );
    const hint =
      listed.length === 0
        ? 'You are in none: call wait_turn to be invited, or session_open to open one.'
        : page.next !== null
          ? 'There are more: call sessions again with this cursor.'
          : listed.some(({ invited }) => invited)
            ? 'Call accept_invite or decline_invite where you are invited; wait_turn to take part.'
            : 'Call wait_turn to take part, or session_read to catch up.';
    return { sessions: listed, cursor: listCursor('sessions', page.next), next: hint };
  },
});

const MOST_NAMED = 10;

async function whoIsIn(participant: Participant, { session_id }: SessionSummary) {
  const standing = await standingIn(participant, session_id);
  const { session, status, turn } = standing;
  return {
    invited: status === 'invited' && !isOver(standing),
    topic: topicOf(session.labels, nameOf(session, session.creator_id)),
    from: nameOf(session, session.creator_id),
    participants: session.participants.slice(0, MOST_NAMED).map(({ name }) => name),
    expected: turn === null || session.state !== 'ACTIVE' ? null : nameOf(session, turn.agent_id),
  };
}

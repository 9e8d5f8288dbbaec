/** The tool `wait_turn`. */

import { z } from 'zod';
import { AROUND_CHARS } from '../../../mcp/session/all-sessions-cursor.ts';
import { parseCursor } from '../../../mcp/session/cursor.ts';
import { next, said } from '../fields.ts';
import { lookAround } from '../../../mcp/session/check-all-sessions.ts';
import { type FoundIn, lookIn } from '../../../mcp/session/check-session.ts';
import { type Call, type Tool, tool } from '../../../mcp/tools/tool.ts';
import { waitFor } from '../../../mcp/tools/wait-for.ts';

export const waitTurn: Tool = tool({
  name: 'wait_turn',
  title: 'Wait for your turn',
  description:
    'Waits until something is for you to do, and answers within {max_wait} at most. Call it after you joined a session, after every say, and whenever you have nothing else to do while you take part. ' +
    '`status` is: your_turn (with `turn` and what was said since you last spoke: answer with say), invited (call accept_invite or decline_invite), closed (the session is over for you), or waiting: then call it again at once with the `cursor` it gave, as often as it takes. ' +
    'Give a session to wait for that one alone; without it, it waits for any of yours and for invites.',
  effect: 'reads',
  input: z.object({
    session: z.string().min(1).max(128).optional().describe('Wait in this session alone.'),
    cursor: z
      .string()
      .max(AROUND_CHARS)
      .optional()
      .describe('The cursor of your last wait_turn or say. Leave it out the first time.'),
  }),
  output: z.object({
    status: z.enum(['your_turn', 'invited', 'closed', 'waiting']),
    session: z.string().optional(),
    type: z.string().optional(),
    from: z.string().optional().describe('Who invites you.'),
    topic: z.string().nullable().optional(),
    reason: z.string().optional().describe('Why it is closed, or what is waited for.'),
    turn: z.number().optional().describe('Give it to say.'),
    messages: z.array(said).optional().describe('What was said since you last spoke.'),
    more: z
      .boolean()
      .optional()
      .describe('Not all of it: read on with session_read and read_cursor before you answer.'),
    read_cursor: z.string().optional(),
    cursor: z.string().describe('For the next wait_turn.'),
    call_again: z.boolean(),
    next,
  }),
  run: ({ session, cursor }, call) =>
    session === undefined
      ? waitFor(call, null, around(call, cursor))
      : waitFor(call, session, () =>
          lookIn(call.participant, session, cursor === undefined ? null : parseCursor(cursor).seq),
        ),
});

/** Each look goes on where the one before it ended: what it looked at need not be looked at again. */
function around({ participant }: Call, given: string | undefined): () => Promise<FoundIn> {
  let cursor = given;
  return async () => {
    const found = await lookAround(participant, cursor);
    cursor = found.cursor;
    return found;
  };
}

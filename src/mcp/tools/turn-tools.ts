/** Tools that take turns: `wait_turn`, `say`, `handoff`, `finish`. */

import { z } from 'zod';
import { finish as finishPacket, handoff as handoffPacket } from '../../core/records/session/packets.ts';
import { CURSOR_CHARS } from '../session/all-sessions-cursor.ts';
import { checkAllSessions } from '../session/check-all-sessions.ts';
import { type CheckResult, checkSession } from '../session/check-session.ts';
import { parseCursor } from '../session/cursor.ts';
import { postOnce } from './post-once.ts';
import { type Call, next, session, type Tool, tool, transcriptMessage, turn, turnToSay } from './tool.ts';
import { waitFor } from './wait-for.ts';

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
      .max(CURSOR_CHARS)
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
    messages: z.array(transcriptMessage).optional().describe('What was said since you last spoke.'),
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
          checkSession(call.participant, session, cursor === undefined ? null : parseCursor(cursor).seq),
        ),
});

/** Each look goes on where the one before it ended: what it looked at need not be looked at again. */
function around({ participant }: Call, given: string | undefined): () => Promise<CheckResult> {
  let cursor = given;
  return async () => {
    const found = await checkAllSessions(participant, cursor);
    cursor = found.cursor;
    return found;
  };
}

const output = z.object({
  session: z.string(),
  seq: z.number().describe('Its place in the session.'),
  already_said: z.boolean().describe('It was said by an earlier call; nothing was said twice.'),
  state: z.string(),
  expected: z.string().nullable().describe('Who is expected to speak now; null = nobody in particular.'),
  your_turn: z.boolean(),
  turn: turnToSay,
  cursor: z.string().describe('For wait_turn.'),
  next,
});

const text = z.string().min(1).max(200_000);
const reason = z.string().min(1).max(256).optional();

export const say: Tool = tool({
  name: 'say',
  title: 'Say something',
  description:
    'Says a text in a session. Call it when wait_turn answered your_turn, with the `turn` it gave you; where all may speak at any time, with the `turn` of your last session_read. ' +
    'Gives back its seq and who is expected next; then call wait_turn again. Calling it again for the same turn says nothing twice (`already_said`). If it is not your turn it is refused and says who is expected.',
  effect: 'changes',
  input: z.object({ session, text: text.describe('What to say: plain text or Markdown.'), turn }),
  output,
  run: ({ session: id, text: words, turn: answered }, call) =>
    postOnce(call, id, { event_type: 'msg.text', event_data: { text: words } }, answered),
});

export const handoff: Tool = tool({
  name: 'handoff',
  title: 'Hand your turn to somebody',
  description:
    'Speaks and gives the turn to a participant you choose. Only for sessions where a turn can be handed on (workflow, or a moderated discussion you moderate), when it is your turn. ' +
    'Gives back its seq and who is expected; then call wait_turn. Elsewhere it is refused: then use say.',
  effect: 'changes',
  input: z.object({
    session,
    to: z.string().min(1).max(64).describe('Name of somebody active in the session.'),
    text: text.optional().describe('What to tell them.'),
    reason: reason.describe('Why, in a few words.'),
    turn,
  }),
  output,
  run: ({ session: id, to, text: words, reason: why, turn: answered }, call) =>
    postOnce(
      call,
      id,
      handoffPacket(to, { body: words ?? null, ...(why === undefined ? {} : { reason: why }) }),
      answered,
    ),
});

export const finish: Tool = tool({
  name: 'finish',
  title: 'Finish the work of a session',
  description:
    'Says your last words and ends the session because its work is done. Only for sessions with such an end (workflow, or a moderated discussion you moderate), when it is your turn. ' +
    'Gives back its seq. Elsewhere it is refused: then use say, and close if the session is yours to close.',
  effect: 'ends',
  input: z.object({
    session,
    text: text.optional().describe('The result, for everybody to read.'),
    reason: reason.describe('Why it ends; it becomes the close reason.'),
    turn,
  }),
  output,
  run: ({ session: id, text: words, reason: why, turn: answered }, call) =>
    postOnce(call, id, finishPacket({ body: words ?? null, ...(why === undefined ? {} : { reason: why }) }), answered),
});

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
    'Waits until there is something for you to do; returns within {max_wait}. Call it after you joined a session, after every say, and whenever you have nothing else to do as a participant. ' +
    '`status` is: your_turn (with `turn` and the messages since you last spoke: answer with say), invited (call accept_invite or decline_invite), closed (the session has ended for you), or waiting: then call it again immediately with its `cursor`, as often as needed. ' +
    'Pass a session to wait for that one only; without it, waits for all your sessions and for invites.',
  effect: 'reads',
  input: z.object({
    session: z.string().min(1).max(128).optional().describe('Wait for this session only.'),
    cursor: z
      .string()
      .max(CURSOR_CHARS)
      .optional()
      .describe('The cursor of your last wait_turn or say. Omit it the first time.'),
  }),
  output: z.object({
    status: z.enum(['your_turn', 'invited', 'closed', 'waiting']),
    session: z.string().optional(),
    type: z.string().optional(),
    from: z.string().optional().describe('The inviter.'),
    topic: z.string().nullable().optional(),
    reason: z.string().optional().describe('Why it is closed or waiting.'),
    turn: z.number().optional().describe('Pass it to say.'),
    messages: z.array(transcriptMessage).optional().describe('Messages since you last spoke.'),
    more: z.boolean().optional().describe('Incomplete: call session_read with read_cursor before you answer.'),
    read_cursor: z.string().optional(),
    cursor: z.string().describe('For the next wait_turn.'),
    call_again: z.boolean(),
    next,
  }),
  run: ({ session, cursor }, call) =>
    session === undefined
      ? waitFor(call, null, checkAll(call, cursor))
      : waitFor(call, session, () =>
          checkSession(call.participant, session, cursor === undefined ? null : parseCursor(cursor).seq),
        ),
});

function checkAll({ participant }: Call, given: string | undefined): () => Promise<CheckResult> {
  let cursor = given;
  return async () => {
    const found = await checkAllSessions(participant, cursor);
    cursor = found.cursor;
    return found;
  };
}

const output = z.object({
  session: z.string(),
  seq: z.number().describe('Its position in the session.'),
  already_said: z.boolean().describe('An earlier call posted it; nothing was posted twice.'),
  state: z.string(),
  expected: z.string().nullable().describe('The turn holder; null = none.'),
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
    'Posts a text in a session. Call it when wait_turn returned your_turn, with its `turn`; where anyone may speak at any time, with the `turn` of your last session_read. ' +
    'Returns its seq and the next turn holder; then call wait_turn again. Repeating it for the same turn posts nothing twice (`already_said`). If it is not your turn, the call is refused and names the turn holder.',
  effect: 'changes',
  input: z.object({ session, text: text.describe('The message: plain text or Markdown.'), turn }),
  output,
  run: ({ session: id, text: words, turn: answered }, call) =>
    postOnce(call, id, { event_type: 'msg.text', event_data: { text: words } }, answered),
});

function packetOf(body: string | undefined, reason: string | undefined) {
  return { body: body ?? null, ...(reason === undefined ? {} : { reason }) };
}

export const handoff: Tool = tool({
  name: 'handoff',
  title: 'Hand your turn to a participant',
  description:
    'Posts a message and gives the turn to a participant you choose. Only for sessions that allow handoffs (workflow, or a moderated discussion you moderate), when it is your turn. ' +
    'Returns its seq and the turn holder; then call wait_turn. Other sessions refuse it: then use say.',
  effect: 'changes',
  input: z.object({
    session,
    to: z.string().min(1).max(64).describe('Name of an active participant.'),
    text: text.optional().describe('The message.'),
    reason: reason.describe('A short reason.'),
    turn,
  }),
  output,
  run: ({ session: id, to, text: words, reason: why, turn: answered }, call) =>
    postOnce(call, id, handoffPacket(to, packetOf(words, why)), answered),
});

export const finish: Tool = tool({
  name: 'finish',
  title: 'Finish the work of a session',
  description:
    'Posts a final message and ends the session because its work is done. Only for sessions with such an end (workflow, or a moderated discussion you moderate), when it is your turn. ' +
    'Returns its seq. Other sessions refuse it: then use say, and close if you may close the session.',
  effect: 'ends',
  input: z.object({
    session,
    text: text.optional().describe('The result, visible to everyone.'),
    reason: reason.describe('The close reason.'),
    turn,
  }),
  output,
  run: ({ session: id, text: words, reason: why, turn: answered }, call) =>
    postOnce(call, id, finishPacket(packetOf(words, why)), answered),
});

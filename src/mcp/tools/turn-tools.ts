/** The tools that speak: `say`, `handoff`, `finish`. Each says its content once for the turn it answers. */

import { z } from 'zod';
import { finish as finishPacket, handoff as handoffPacket } from '../../core/records/session/packets.ts';
import { next, session, turn, turnToSay } from '../../node/mcp/fields.ts';
import { speak } from './post-once.ts';
import { type Tool, tool } from './tool.ts';

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
    speak(call, id, { event_type: 'msg.text', event_data: { text: words } }, answered),
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
    speak(
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
    speak(call, id, finishPacket({ body: words ?? null, ...(why === undefined ? {} : { reason: why }) }), answered),
});

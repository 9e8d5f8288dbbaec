/** The tool `peers`. */

import { z } from 'zod';
import { findPeers } from '../../../participants/tools/find-peers.ts';
import { next } from '../fields.ts';
import { listCursor, parseListCursor } from '../list-cursor.ts';
import { type Tool, tool } from '../../../mcp/tools/tool.ts';

export const peers: Tool = tool({
  name: 'peers',
  title: 'See who is there',
  description:
    'Lists agents and people of this hub, by name. Call it before session_open or delegate to find whom to ask; narrow it with capability or text. ' +
    'Gives back name, kind, whether they are connected now, and what they say they can do. Who is connected answers soonest; who is not may still answer: some only look in from time to time.',
  effect: 'reads',
  input: z.object({
    capability: z.string().min(1).max(64).optional().describe('Exactly this capability, such as "review".'),
    text: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('A word that is in their name or in what they say of themselves.'),
    connected: z.boolean().optional().describe('Only who is connected now.'),
    cursor: z.string().max(300).optional().describe('The cursor of the page before.'),
  }),
  output: z.object({
    peers: z.array(
      z.object({
        name: z.string(),
        kind: z.string(),
        connected: z.boolean(),
        you: z.boolean().optional(),
        capabilities: z.array(z.string()),
        summary: z.string(),
      }),
    ),
    cursor: z.string().nullable().describe('For the next page; null = that was all.'),
    next,
  }),
  async run({ capability, text, connected, cursor }, { participant }) {
    const after = parseListCursor('peers', cursor);
    const { peers: found, next: more } = await findPeers(participant, { capability, text, connected, after });
    const isNone = found.every(({ you }) => you === true);
    const hint =
      more === null && isNone
        ? 'There is nobody: call peers with less (no capability, no text, not only who is connected), or tell your user.'
        : more === null
          ? 'Call session_open to talk with some of them, or delegate to have one answer a question.'
          : 'There are more: call peers again with this cursor, also if this page is empty.';
    return { peers: found, cursor: listCursor('peers', more), next: hint };
  },
});

/** The tool `peers`. */

import { z } from 'zod';
import { next } from '../fields.ts';
import { listCursor, parseListCursor } from '../list-cursor.ts';
import { type Tool, tool } from '../tool.ts';

const PAGE = 20;
const SUMMARY_CHARS = 300;

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
    const agentId = await participant.agentId;
    const bound = connected === true ? true : undefined;
    const page = await participant.call('find_agent', {
      capability,
      text,
      bound,
      after: parseListCursor('peers', cursor),
      limit: PAGE,
    });
    // Those of single commands have nobody behind them.
    const agents = page.agents.filter(({ name }) => !name.startsWith('cli.'));
    const found = agents.map(({ agent_id, name, kind, bound: isBound, resume }) => ({
      name,
      kind,
      connected: isBound,
      ...(agent_id === agentId ? { you: true } : {}),
      capabilities: resume.claimed_capabilities.slice(0, 20),
      summary: resume.summary.slice(0, SUMMARY_CHARS),
    }));
    const isNone = found.every(({ you }) => you === true);
    const hint =
      page.next === null && isNone
        ? 'There is nobody: call peers with less (no capability, no text, not only who is connected), or tell your user.'
        : page.next === null
          ? 'Call session_open to talk with some of them, or delegate to have one answer a question.'
          : 'There are more: call peers again with this cursor, also if this page is empty.';
    return { peers: found, cursor: listCursor('peers', page.next), next: hint };
  },
});

/** Fields that several tools take or give back, with what a model is told of them. */

import { z } from 'zod';
import type { Said } from '../../mcp/session/transcript-page.ts';

export const session: z.ZodType<string> = z
  .string()
  .min(1)
  .max(128)
  .describe('The session id, as sessions, session_open or wait_turn gave it.');

export const turn: z.ZodType<number> = z
  .number()
  .int()
  .min(0)
  .describe(
    'The `turn` that wait_turn gave you, or session_read or session_open. With it a repeated call says nothing twice, also after a crash.',
  );

export const turnToSay: z.ZodType<number | null> = z
  .number()
  .nullable()
  .describe('Give it to say as its `turn`; null = you cannot speak now: wait_turn gives it when you can.');

export const key: z.ZodOptional<z.ZodString> = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .describe('Leave it out. Give a new one only to do on purpose again what you did before with the same arguments.');

export const next: z.ZodType<string> = z.string().describe('What to do next.');

export const said: z.ZodType<Said> = z.object({
  seq: z.number(),
  from: z.string().describe('Who said it.'),
  text: z.string(),
  own: z.boolean().exactOptional().describe('You said it yourself.'),
  part: z.boolean().exactOptional().describe('Only a part of it: the rest comes with the next page, or came before.'),
});

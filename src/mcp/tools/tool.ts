/**
 * The type of a tool record, the source of tools/list, the calls and docs/reference/mcp.md; and fields that tools share.
 * To add a tool, add a record to one of the `*-tools.ts` files and to table.ts.
 */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { canonicalJson, type Json } from '../../core/lib/json.ts';
import type { Participant } from '../session/participant.ts';
import type { TranscriptMessage } from '../session/transcript-page.ts';

export interface Call {
  readonly participant: Participant;
  /** Maximum wait before a call returns `waiting`. */
  readonly maxWaitMs: number;
  readonly signal: AbortSignal;
  /** Notifies the caller of progress, if the caller asked for it. */
  progress(message: string): void;
}

/** `reads` changes nothing; `changes` is idempotent; `ends` is irreversible. */
export type Effect = 'reads' | 'changes' | 'ends';

export interface Tool {
  readonly name: string;
  readonly title: string;
  /** For a model: when to call it, what it returns, what to do next. */
  readonly description: string;
  readonly effect: Effect;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** `input` has parsed `args`. Errors become text with the next step. */
  run(args: Readonly<Record<string, unknown>>, call: Call): Promise<Readonly<Record<string, unknown>>>;
}

interface Definition<In extends z.ZodObject, Out extends z.ZodObject> extends Omit<Tool, 'input' | 'output' | 'run'> {
  readonly input: In;
  readonly output: Out;
  run(args: z.output<In>, call: Call): Promise<z.output<Out>>;
}

/** Checks the definition's types, then erases them: the table holds tools of every type. */
export function tool<In extends z.ZodObject, Out extends z.ZodObject>(definition: Definition<In, Out>): Tool {
  // The server parses arguments with this tool's schema before it calls run.
  return definition as unknown as Tool;
}

export const session: z.ZodType<string> = z
  .string()
  .min(1)
  .max(128)
  .describe('The session id from sessions, session_open or wait_turn.');

export const turn: z.ZodType<number> = z
  .number()
  .int()
  .min(0)
  .describe(
    'The `turn` from wait_turn, session_read or session_open. It makes a repeated call safe, even after a crash.',
  );

export const turnToSay: z.ZodType<number | null> = z
  .number()
  .nullable()
  .describe('Pass it to say as `turn`; null = you cannot post now: wait_turn returns it when you can.');

export const key: z.ZodOptional<z.ZodString> = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .describe('Omit it. Use a new one only to repeat an earlier request with the same arguments on purpose.');

export const next: z.ZodType<string> = z.string().describe('What to do next.');

export const transcriptMessage: z.ZodType<TranscriptMessage> = z.object({
  seq: z.number(),
  from: z.string().describe('The sender.'),
  text: z.string(),
  own: z.boolean().exactOptional().describe('You posted it.'),
  part: z.boolean().exactOptional().describe('A part: the rest is on the next or an earlier page.'),
});

/** Derives an idempotency key from the arguments, so that a repeated call is the same request. */
export function deriveKey(what: string, ...parts: readonly (Json | undefined)[]): string {
  const text = canonicalJson(parts.map((part) => part ?? null));
  return `mcp ${what} ${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}

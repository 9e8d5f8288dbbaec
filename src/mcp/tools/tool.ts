/**
 * What a tool is: one record with its name, texts, schemas and handler. tools/list, the calls and docs/reference/mcp.md are made from it.
 * Below are the fields that several tools share. To add a tool, add a record to one of the `*-tools.ts` files and to table.ts.
 */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { canonicalJson, type Json } from '../../core/lib/json.ts';
import type { Participant } from '../session/participant.ts';
import type { TranscriptMessage } from '../session/transcript-page.ts';

/** What a call may use beside its arguments. */
export interface Call {
  readonly participant: Participant;
  /** The longest a call may take before it answers that it still waits. */
  readonly maxWaitMs: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Tells whoever waits that it goes on; nothing where nobody asked to be told. */
  progress(message: string): void;
}

/** `reads` changes nothing; `changes` does, once however often it is called; `ends` takes something away for good. */
export type Effect = 'reads' | 'changes' | 'ends';

export interface Tool {
  readonly name: string;
  readonly title: string;
  /** For a model: when to call it, what comes back, what to do next. */
  readonly description: string;
  readonly effect: Effect;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** `args` is what `input` made of them. What it throws is told as how to go on. */
  run(args: Readonly<Record<string, unknown>>, call: Call): Promise<Readonly<Record<string, unknown>>>;
}

interface Definition<In extends z.ZodObject, Out extends z.ZodObject> extends Omit<Tool, 'input' | 'output' | 'run'> {
  readonly input: In;
  readonly output: Out;
  run(args: z.output<In>, call: Call): Promise<z.output<Out>>;
}

/** Checks what it says of itself, and forgets it: the table holds tools of every kind. */
export function tool<In extends z.ZodObject, Out extends z.ZodObject>(definition: Definition<In, Out>): Tool {
  // The arguments were parsed by its own schema before it is run.
  return definition as unknown as Tool;
}

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

export const transcriptMessage: z.ZodType<TranscriptMessage> = z.object({
  seq: z.number(),
  from: z.string().describe('Who said it.'),
  text: z.string(),
  own: z.boolean().exactOptional().describe('You said it yourself.'),
  part: z.boolean().exactOptional().describe('Only a part of it: the rest comes with the next page, or came before.'),
});

/** A key made of the arguments: the same request, asked again, is the same request. */
export function deriveKey(what: string, ...parts: readonly (Json | undefined)[]): string {
  const text = canonicalJson(parts.map((part) => part ?? null));
  return `mcp ${what} ${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}

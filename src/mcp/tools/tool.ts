/** What a tool is: one record, from which tools/list, the calls and docs/mcp.md are made. */

import type { z } from 'zod';
import type { Participant } from '../../node/mcp/participant.ts';

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

/**
 * What there is to know about one CLI: how it is called, what it may be let do, and how what it writes is read. A record
 * has no effects; `cli-agent.ts` makes an agent of it.
 */

import type { Usage } from '../../agent/agent-fn.ts';
import type { CliOutput, ParsedLine } from '../output/cli-output.ts';
import type { Ending } from '../output/finish-turn.ts';

/** How the prompt reaches the program. Only small ones travel as an argument, which everybody on the machine can see. */
export type Transport = 'stdin' | 'file' | 'arg';

/**
 * `safe`: it reads and answers. `write`: it may change files where it runs. `full`: it asks nobody, whatever it does.
 * As near as the tool's own switches come to that.
 */
export type Permissions = 'safe' | 'write' | 'full';

export interface Permit {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** What one call is made of. Of `prompt` and `promptFile` at most one is given; without both it comes on stdin. */
export interface Ask {
  readonly model?: string | undefined;
  /** The conversation of the tool to go on with. */
  readonly resume?: string | undefined;
  /** What to call a new conversation, for tools that let us choose. */
  readonly newSession?: string | undefined;
  readonly promptFile?: string | undefined;
  readonly prompt?: string | undefined;
  readonly budgetUsd?: number | undefined;
  /** What the permissions ask for, then what the caller wants besides. */
  readonly extra: readonly string[];
}

/** The conversation that is gone on with, and what it had used before, where that is known. */
export interface Resumed {
  readonly sessionId: string;
  readonly threadUsage: Usage | null;
}

export interface CliRecord<State extends CliOutput = CliOutput> extends Ending<State> {
  readonly command: string;
  readonly transport: Transport;
  readonly output: 'text' | 'json' | 'jsonl';
  args(ask: Ask): readonly string[];
  readonly permits: Readonly<Record<Permissions, Permit>>;
  readonly env: {
    /** Taken over from our environment when they are there: credentials, and where its service is. */
    readonly pass: readonly string[];
    /** Where it keeps its files; not taken over for a participant with a home of its own. */
    readonly home: readonly string[];
    readonly set: Readonly<Record<string, string>>;
  };
  /** null: it cannot go on with a conversation, and is told everything every time. */
  readonly resume: {
    /** How it says that it does not know the conversation. */
    readonly unknownSession: RegExp;
    /** Who names a new conversation. */
    readonly namedBy: 'tool' | 'caller';
  } | null;
  /** The lines of stderr in which it says that it tries again, and after what; for tools that do so for longer than a turn. */
  readonly retryLines?: RegExp;
  begin(resumed: Resumed | null): State;
  /** Never throws: what it does not know it passes over. */
  read(line: string, state: State): ParsedLine<State>;
  /** Has been run by us, not only read about. */
  readonly isRunForReal: boolean;
}

/** A record describes one CLI without side effects: how to call it, its permissions, and how to read its output. */

import type { Usage } from '../../agent/agent-fn.ts';
import type { CliOutput, ParsedLine } from '../output/cli-output.ts';
import type { Ending } from '../output/finish-turn.ts';

/** How the prompt reaches the program. Arguments are visible to every user of the machine, so only small ones. */
export type Transport = 'stdin' | 'file' | 'arg';

/**
 * The permissions of the tool, as closely as its switches allow. `safe`: reads and answers. `write`: may change files in its folder.
 * `full`: acts without confirmation.
 */
export type Permissions = 'safe' | 'write' | 'full';

interface Permit {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The input of one call. At most one of `prompt` and `promptFile` is set; without both the prompt is on stdin. */
export interface Ask {
  readonly model?: string | undefined;
  /** The tool's session to resume. */
  readonly resume?: string | undefined;
  /** Id for a new session, for tools that let the caller choose. */
  readonly newSession?: string | undefined;
  readonly promptFile?: string | undefined;
  readonly prompt?: string | undefined;
  readonly budgetUsd?: number | undefined;
  /** Arguments of the permissions, then the caller's arguments. */
  readonly extra: readonly string[];
}

/** The resumed session and its earlier token count; null if the count is unknown. */
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
    /** Environment variables passed if set: credentials and service addresses. */
    readonly pass: readonly string[];
    /** Variables that name the tool's folders; not passed to a participant with its own home. */
    readonly home: readonly string[];
    readonly set: Readonly<Record<string, string>>;
  };
  /** null if the tool cannot resume: every turn then sends the whole thread. */
  readonly resume: {
    /** Matches the CLI's message for an unknown conversation. */
    readonly unknownSession: RegExp;
    /** Who chooses the id of a new session. */
    readonly namedBy: 'tool' | 'caller';
  } | null;
  /** Matches retry messages on stderr, for tools that retry longer than a turn lasts. */
  readonly retryLines?: RegExp;
  begin(resumed: Resumed | null): State;
  /** Never throws; ignores unknown lines. */
  read(line: string, state: State): ParsedLine<State>;
  /** True if we have run this tool, not only read about it. */
  readonly isRunForReal: boolean;
}

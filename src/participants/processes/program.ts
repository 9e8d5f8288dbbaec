/** What is run, within which bounds, and what came of it. */

import type { OwnSignal } from '../../core/ports/platform.ts';

export interface Program {
  /** What errors call it: the name its users know. */
  readonly tool: string;
  /** A path, or a name that is looked up in PATH. No shell sees it. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
  /** Set on top of everything else. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Names taken over from our own environment beside the safe list. */
  readonly passEnv?: readonly string[] | undefined;
  /** A home folder of its own; made (0700) when it is not there. */
  readonly home?: string | undefined;
  /** Written while its output is read. Without it, its stdin is empty. */
  readonly stdin?: string | undefined;
}

/** null = no bound. */
export interface RunLimits {
  /** From start to end. */
  readonly wallMs: number | null;
  /** Until it has written anything at all. */
  readonly firstOutputMs: number | null;
  /** Between two outputs, from the first on. */
  readonly idleMs: number | null;
  /** Without output after its result, before it is ended; that is no error. */
  readonly afterResultMs: number | null;
  /** From SIGTERM to SIGKILL. */
  readonly graceMs: number;
  /** What is kept of each stream: its head and its tail. */
  readonly maxCapturedBytes: number;
  /** What it may write to both streams together. */
  readonly maxOutputBytes: number | null;
  /** A longer line is cut there. */
  readonly maxLineBytes: number;
}

/** As they are given: what is not there, or undefined, is as usual. */
export type RunLimitOptions = { readonly [Name in keyof RunLimits]?: RunLimits[Name] | undefined };

export const DEFAULT_RUN_LIMITS: RunLimits = {
  wallMs: 300_000,
  firstOutputMs: null,
  idleMs: null,
  afterResultMs: 5_000,
  graceMs: 5_000,
  maxCapturedBytes: 1024 * 1024,
  maxOutputBytes: 64 * 1024 * 1024,
  maxLineBytes: 8 * 1024 * 1024,
};

/** Who looks on. What a function here throws ends the program, and is what the run rejects with. */
export interface RunWatch {
  /** A line of stdout, without its end, its text whole and without terminal sequences. */
  onLine?(line: string): void;
  /** What was read of stdout, as it came. */
  onText?(text: string): void;
  /** Asked after each chunk and its lines: has the terminal event come? */
  isDone?(): boolean;
  /** Asked with it: nothing can come of it any more, so that it is ended now and not waited for. That is no error here either. */
  isHopeless?(): boolean;
  readonly signal?: OwnSignal | undefined;
}

export interface Ran {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Something of stdout, stderr or a line was left out. */
  readonly truncated: boolean;
  /** A line of stdout was cut; absent when none was. */
  readonly hasCutLine?: true | undefined;
  /** after_result = it had shown its result and did not end, so it was ended. */
  readonly endedBy: 'exit' | 'after_result';
  /** What `isDone` said in the end: false with exit code 0 is an end without a result. Absent when nobody asked. */
  readonly hasResult?: boolean | undefined;
}

/** A program to run, the bounds of its run, and the result; with the checks of what callers pass in. */

import {
  checkOptions,
  isObject,
  type OptionCheck,
  type OptionChecks,
  optional,
} from '../../client/lib/option-checks.ts';
import { asError } from '../../core/lib/errors.ts';
import { describeValue } from '../../core/lib/json.ts';
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
export interface RunListener {
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

export interface ProgramResult {
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

export const textListCheck: OptionCheck = {
  expected: 'a list of texts',
  holds: (value) => Array.isArray(value) && value.every(isText),
};
export const variablesCheck: OptionCheck = {
  expected: 'texts by names without =',
  holds: (value) => isObject(value) && Object.entries(value).every(([name, text]) => isName(name) && isText(text)),
};
export const timeBoundCheck: OptionCheck = {
  expected: 'a number of milliseconds over 0, or null for no bound',
  holds: (value) => value === null || (isAtLeast(0, value) && value !== 0),
};

function isAtLeast(least: number, value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= least;
}

/** Throws TypeError, which names the field. */
export function checkRunOptions<Options>(given: unknown, rules: OptionChecks<Options>, where = ''): void {
  try {
    checkOptions(given, rules, where);
  } catch (error) {
    throw new TypeError(asError(error).message);
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isName(name: string): boolean {
  return name !== '' && !/[=\0]/.test(name);
}

/** What is kept is one text in the end, and those are not of any length. */
const MAX_KEPT_BYTES = 256 * 1024 * 1024;

const orNone = ({ expected, holds }: OptionCheck): OptionCheck => ({
  expected: `${expected}, or null for no bound`,
  holds: (value) => value === null || holds(value),
});

const milliseconds: OptionCheck = {
  expected: 'a number of milliseconds from 0 on',
  holds: (value) => isAtLeast(0, value),
};
const bytes: OptionCheck = {
  expected: 'a whole number of bytes from 0 on',
  holds: (value) => isAtLeast(0, value) && Number.isInteger(value),
};
const keptBytes = (least: number): OptionCheck => ({
  expected: `a whole number of bytes from ${least} to ${MAX_KEPT_BYTES}`,
  holds: (value) => isAtLeast(least, value) && Number.isInteger(value) && value <= MAX_KEPT_BYTES,
});

/** Without a grace nothing would ever be ended, and memory is bounded always. */
const RULES: OptionChecks<RunLimits> = {
  wallMs: optional(timeBoundCheck),
  firstOutputMs: optional(timeBoundCheck),
  idleMs: optional(timeBoundCheck),
  afterResultMs: optional(orNone(milliseconds)),
  graceMs: optional(milliseconds),
  maxCapturedBytes: optional(keptBytes(0)),
  maxOutputBytes: optional(orNone(bytes)),
  maxLineBytes: optional(keptBytes(1)),
};

/** Of several the last that is given counts, and undefined is not given. Throws TypeError. */
export function runLimits(...given: readonly RunLimitOptions[]): RunLimits {
  let limits = DEFAULT_RUN_LIMITS;
  for (const some of given) {
    if (!isObject(some)) throw new TypeError(`limits: expected an object, got ${describeValue(some)}`);
    checkRunOptions(some, RULES, 'limits.');
    limits = { ...limits, ...Object.fromEntries(Object.entries(some).filter(([, value]) => value !== undefined)) };
  }
  return limits;
}

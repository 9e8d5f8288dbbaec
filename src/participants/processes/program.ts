/** Defines a program, the limits of its run and the result, with the option checks. */

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
  /** Name in errors. */
  readonly tool: string;
  /** A path, or a name in PATH; run without a shell. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
  /** Overrides all other variables. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Environment variables to pass in addition to the safe ones. */
  readonly passEnv?: readonly string[] | undefined;
  /** A separate home folder, created with mode 0700 if missing. */
  readonly home?: string | undefined;
  /** Written while the output is read (default: empty stdin). */
  readonly stdin?: string | undefined;
}

/** Limits of a run; null means no limit. */
export interface RunLimits {
  /** Total run time. */
  readonly wallMs: number | null;
  /** Time until the first output. */
  readonly firstOutputMs: number | null;
  /** Time between two outputs. */
  readonly idleMs: number | null;
  /** Silence after the result before the program is stopped, which is not an error. */
  readonly afterResultMs: number | null;
  /** Time from SIGTERM to SIGKILL. */
  readonly graceMs: number;
  /** Bytes kept of each stream: head and tail. */
  readonly maxCapturedBytes: number;
  /** Bytes of both streams together. */
  readonly maxOutputBytes: number | null;
  /** Longer lines are truncated. */
  readonly maxLineBytes: number;
}

/** Limits to override; missing and undefined ones keep their default. */
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

/** An exception in a listener ends the program and rejects the run. */
export interface RunListener {
  /** A line of stdout, without its end and terminal sequences. */
  onLine?(line: string): void;
  /** A chunk of stdout. */
  onText?(text: string): void;
  /** Polled after each chunk and its lines: true once the final event has arrived. */
  isDone?(): boolean;
  /** Polled like `isDone`: true ends the program immediately, without an error. */
  isHopeless?(): boolean;
  readonly signal?: OwnSignal | undefined;
}

export interface ProgramResult {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Part of stdout, stderr or a line was omitted. */
  readonly truncated: boolean;
  /** A line of stdout was truncated. */
  readonly hasCutLine?: true | undefined;
  /** `after_result`: stopped because it kept running after its result. */
  readonly endedBy: 'exit' | 'after_result';
  /** The last value of `isDone`; false with exit code 0 means no result. Absent without `isDone`. */
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
  expected: 'a number of milliseconds > 0, or null for no limit',
  holds: (value) => value === null || (isAtLeast(0, value) && value !== 0),
};

function isAtLeast(least: number, value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= least;
}

/** Throws TypeError with the name of the field. */
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

/** Output ends up in one string, whose length is limited. */
const MAX_KEPT_BYTES = 256 * 1024 * 1024;

const orNone = ({ expected, holds }: OptionCheck): OptionCheck => ({
  expected: `${expected}, or null for no limit`,
  holds: (value) => value === null || holds(value),
});

const milliseconds: OptionCheck = {
  expected: 'a number of milliseconds >= 0',
  holds: (value) => isAtLeast(0, value),
};
const bytes: OptionCheck = {
  expected: 'a whole number of bytes >= 0',
  holds: (value) => isAtLeast(0, value) && Number.isInteger(value),
};
const keptBytes = (least: number): OptionCheck => ({
  expected: `a whole number of bytes from ${least} to ${MAX_KEPT_BYTES}`,
  holds: (value) => isAtLeast(least, value) && Number.isInteger(value) && value <= MAX_KEPT_BYTES,
});

/** The grace period and the memory limits cannot be null. */
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

/** Later arguments override earlier ones; undefined fields are ignored. Throws TypeError. */
export function runLimits(...given: readonly RunLimitOptions[]): RunLimits {
  let limits = DEFAULT_RUN_LIMITS;
  for (const some of given) {
    if (!isObject(some)) throw new TypeError(`limits: expected an object, got ${describeValue(some)}`);
    checkRunOptions(some, RULES, 'limits.');
    limits = { ...limits, ...Object.fromEntries(Object.entries(some).filter(([, value]) => value !== undefined)) };
  }
  return limits;
}

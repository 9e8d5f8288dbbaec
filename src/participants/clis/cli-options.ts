/** Options of CLI agents, checked on creation rather than at the first turn. Throws TypeError. */

import { type OptionCheck, type OptionChecks, optional, textCheck } from '../../client/lib/option-checks.ts';
import {
  checkRunOptions,
  type RunLimitOptions,
  runLimits,
  textListCheck,
  timeBoundCheck,
  variablesCheck,
} from '../processes/program.ts';
import type { Permissions } from './records/cli-record.ts';
import type { GenericOptions } from './records/generic.ts';

export interface CliOptions {
  /** A path or a name in PATH (default: the tool's own name). */
  readonly command?: string | undefined;
  /** Extra arguments. */
  readonly args?: readonly string[] | undefined;
  readonly model?: string | undefined;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Environment variables to pass, in addition to those the tool is known to need. */
  readonly passEnv?: readonly string[] | undefined;
  /** A separate home folder. */
  readonly home?: string | undefined;
  /** Maximum run time (default: 300 s); null means no limit. */
  readonly timeoutMs?: number | null | undefined;
  readonly limits?: RunLimitOptions | undefined;
  /** Default: `safe`, which allows reading and answering only. */
  readonly permissions?: Permissions | undefined;
  /** Resume the tool's own session from turn to turn (default: true); false sends the whole thread every time. */
  readonly resume?: boolean | undefined;
}

/** Any program: how to call it, pass the prompt and read the answer. It gets the whole thread every turn. */
export type CliAdapterOptions = Omit<CliOptions, 'command' | 'args' | 'permissions' | 'resume'> & GenericOptions;

const aProgram: OptionCheck = {
  expected: 'the name or path of a program',
  holds: (value) => typeof value === 'string' && value.trim() !== '',
};
/** The model becomes an argument: a role file must not inject options. */
const aModel: OptionCheck = {
  expected: 'the name of a model, not beginning with -',
  holds: (value) => typeof value === 'string' && !value.trimStart().startsWith('-'),
};

function oneOf(first: string, second: string, third: string): OptionCheck {
  return {
    expected: `${first}, ${second} or ${third}`,
    holds: (value) => value === first || value === second || value === third,
  };
}

const common: OptionChecks<Omit<CliOptions, 'command' | 'permissions' | 'resume'>> = {
  args: optional(textListCheck),
  model: optional(aModel),
  cwd: optional(textCheck),
  env: optional(variablesCheck),
  passEnv: optional(textListCheck),
  home: optional(textCheck),
  timeoutMs: optional(timeBoundCheck),
  limits: null,
};

const ofCli: OptionChecks<CliOptions> = {
  command: optional(aProgram),
  ...common,
  permissions: optional(oneOf('safe', 'write', 'full')),
  resume: optional({ expected: 'true or false', holds: (value) => typeof value === 'boolean' }),
};

const ofAny: OptionChecks<CliAdapterOptions> = {
  command: aProgram,
  ...common,
  tool: optional(textCheck),
  transport: optional(oneOf('stdin', 'file', 'arg')),
  output: optional(oneOf('text', 'json', 'jsonl')),
  answerAt: optional(textCheck),
};

export function checkCliOptions(options: CliOptions): void {
  check(options, ofCli);
}

export function checkAdapterOptions(options: CliAdapterOptions): void {
  check(options, ofAny);
}

function check<Options extends Pick<CliOptions, 'limits'>>(options: Options, rules: OptionChecks<Options>): void {
  checkRunOptions(options, rules);
  if (options.limits !== undefined) runLimits(options.limits);
}

/** What an adapter is made with, looked at when it is made: at the first turn it would be too late. Throws TypeError. */

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
  /** A path or a name in PATH; without it, the tool's own name. */
  readonly command?: string | undefined;
  /** Arguments beside those the adapter gives. */
  readonly args?: readonly string[] | undefined;
  readonly model?: string | undefined;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Names taken over from our environment, beside those the tool is known to need. */
  readonly passEnv?: readonly string[] | undefined;
  /** A home folder of its own. */
  readonly home?: string | undefined;
  /** 300 s unless told otherwise; null = no bound. */
  readonly timeoutMs?: number | null | undefined;
  readonly limits?: RunLimitOptions | undefined;
  /** `safe` unless told otherwise: it may read and answer. */
  readonly permissions?: Permissions | undefined;
  /** Go on with the tool's own conversation from turn to turn, as is usual; false tells it everything every time. */
  readonly resume?: boolean | undefined;
}

/** Any program: how it is called, how it gets the prompt, how it answers. It is told everything at every turn. */
export type CliAdapterOptions = Omit<CliOptions, 'command' | 'args' | 'permissions' | 'resume'> & GenericOptions;

const aProgram: OptionCheck = {
  expected: 'the name or path of a program',
  holds: (value) => typeof value === 'string' && value.trim() !== '',
};
/** It becomes an argument: a role file must not be able to give the tool an option. */
const aModel: OptionCheck = {
  expected: 'the name of a model, which does not begin with -',
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

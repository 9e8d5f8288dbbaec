/** What an adapter is made with, looked at when it is made: at the first turn it would be too late. Throws TypeError. */

import { aText, optional, type Rule, type Rules } from '../../client/lib/option-checks.ts';
import { aBoundInTime, checkGiven, someTexts, variables } from '../run/given.ts';
import { runLimits } from '../run/run-limits.ts';
import type { CliAdapterOptions } from '../../participants/clis/cli-agents.ts';
import type { CliOptions } from '../../participants/clis/cli-agent.ts';

const aProgram: Rule = {
  expected: 'the name or path of a program',
  holds: (value) => typeof value === 'string' && value.trim() !== '',
};
/** It becomes an argument: a role file must not be able to give the tool an option. */
const aModel: Rule = {
  expected: 'the name of a model, which does not begin with -',
  holds: (value) => typeof value === 'string' && !value.trimStart().startsWith('-'),
};

function oneOf(first: string, second: string, third: string): Rule {
  return {
    expected: `${first}, ${second} or ${third}`,
    holds: (value) => value === first || value === second || value === third,
  };
}

const common: Rules<Omit<CliOptions, 'command' | 'permissions' | 'resume'>> = {
  args: optional(someTexts),
  model: optional(aModel),
  cwd: optional(aText),
  env: optional(variables),
  passEnv: optional(someTexts),
  home: optional(aText),
  timeoutMs: optional(aBoundInTime),
  limits: null,
};

const ofCli: Rules<CliOptions> = {
  command: optional(aProgram),
  ...common,
  permissions: optional(oneOf('safe', 'write', 'full')),
  resume: optional({ expected: 'true or false', holds: (value) => typeof value === 'boolean' }),
};

const ofAny: Rules<CliAdapterOptions> = {
  command: aProgram,
  ...common,
  tool: optional(aText),
  transport: optional(oneOf('stdin', 'file', 'arg')),
  output: optional(oneOf('text', 'json', 'jsonl')),
  answerAt: optional(aText),
};

export function checkCliOptions(options: CliOptions): void {
  check(options, ofCli);
}

export function checkAdapterOptions(options: CliAdapterOptions): void {
  check(options, ofAny);
}

function check<Options extends Pick<CliOptions, 'limits'>>(options: Options, rules: Rules<Options>): void {
  checkGiven(options, rules);
  if (options.limits !== undefined) runLimits(options.limits);
}

/** The agent CLIs there are, by the names one types. */

import type { CliName } from '../../participants/clis/cli-agents.ts';

export const CLI_NAMES: readonly CliName[] = [
  'claude',
  'codex',
  'gemini',
  'opencode',
  'cursor-agent',
  'hermes',
  'aider',
  'goose',
];

/** Options of `parley join` that would do nothing beside the others: they are refused, because somebody counts on them. */

import type { Asked } from '../../cli/terminal/command.ts';
import type { RoleFile } from '../../cli/agent-options/role-file.ts';
import { Trouble } from '../../cli/terminal/command-error.ts';

export type Way = 'cli' | 'command' | 'script' | 'model' | 'person';

const PROGRAMS: readonly Way[] = ['cli', 'command'];

/** Who has a use for it. */
const USERS: Readonly<Record<string, readonly Way[]>> = {
  model: [...PROGRAMS, 'model'],
  'base-url': ['model'],
  'key-env': ['model'],
  'max-tokens': ['model'],
  permissions: ['cli'],
  transport: ['command'],
  output: ['command'],
  timeout: [...PROGRAMS, 'model'],
  'pass-env': PROGRAMS,
  cwd: PROGRAMS,
  parallel: ['cli', 'command', 'script', 'model'],
};

export function refuseIdle(way: Way, { values, lists }: Asked, role: RoleFile): void {
  for (const [option, users] of Object.entries(USERS)) {
    if (values[option] === undefined && lists[option] === undefined) continue;
    if (!users.includes(way)) throw idle(option, way, users);
  }
  if (way === 'command' && values.model !== undefined && values.command?.includes('{model}') !== true) {
    throw wrong(
      '--model does nothing: {model} is not in the command line',
      'Say where it goes: "my-agent -m {model}".',
    );
  }
  if ((way === 'command' || way === 'script') && role.cli !== undefined) {
    const hint = `Leave out --${way}, or "cli" in the front matter of the role.`;
    throw wrong(`--${way} and "cli: ${role.cli}" of the role exclude each other`, hint);
  }
}

function idle(option: string, way: Way, users: readonly Way[]): Trouble {
  const who = way === 'person' ? 'for a person' : `with --${way}`;
  const list = users.map((one) => `--${one}`).join(' or ');
  return wrong(`--${option} does nothing ${who}`, `Leave it out; it is for ${list}.`);
}

function wrong(message: string, hint: string): Trouble {
  return new Trouble('wrong', 'wrong_option', message, hint);
}

/** `parley run`: manages a governed run. */

import type { Command, CommandArgs } from '../terminal/command.ts';
import { usageError } from '../terminal/command-error.ts';
import type { Io } from '../terminal/io.ts';
import { TEMPLATE_NAMES } from './templates.ts';

const ACTIONS = [
  'init',
  'status',
  'assign',
  'accept',
  'reject',
  'approve',
  'block',
  'resolve',
  'loop',
  'ledger',
  'history',
  'take-back',
] as const;
type Action = (typeof ACTIONS)[number];

export const run: Command = {
  name: 'run',
  summary: 'Manage a governed run: roles take turns through phases and gates',
  details:
    'init starts a run and creates agentxchain.json if missing. assign dispatches a turn; accept and reject judge its staged result. approve opens a gate, block stops the run, resolve continues it. loop does all of this with the runtimes of agentxchain.json. status, history and ledger show the run. No hub is required. If a hub serves the project ("parley up --run"), commands go through it. If that hub is gone, take-back continues without it. See docs/guides/governed-run.md.',
  args: [
    { name: 'action', help: ACTIONS.join(', '), values: ACTIONS },
    {
      name: 'what',
      help: 'assign: the role (default: the next one). accept, reject, block: the turn (default: the active one)',
      isOptional: true,
    },
  ],
  options: [
    {
      name: 'root',
      value: 'folder',
      help: 'Project folder (default: the nearest parent with an agentxchain.json)',
      values: 'folder',
    },
    {
      name: 'template',
      value: 'name',
      help: 'init: team (people plan, implement and test), agents (programs do) or solo (one role, one gate) (default: team)',
      values: TEMPLATE_NAMES,
    },
    { name: 'new', help: 'init, loop: start another run after a completed or blocked one' },
    { name: 'reason', value: 'text', help: 'reject, block: the reason' },
    { name: 'note', value: 'text', help: 'approve, resolve: a note for the record' },
    { name: 'merged', help: 'accept: the conflict with another turn was merged by hand' },
    { name: 'max-turns', value: 'number', help: 'loop: stop after this many turns (default: 50)' },
    { name: 'timeout', value: 'time', help: 'loop: time limit of a turn, such as 90s or 20m' },
    { name: 'approve-gates', help: 'loop: approve gates automatically, except those that require a credential' },
  ],
  examples: [
    ['Start a run, and dispatch the first turn', 'parley run init'],
    ['Dispatch a turn to a role', 'parley run assign pm'],
    ['Accept the staged result', 'parley run accept'],
    ['Reject it', 'parley run reject --reason "The plan names no acceptance tests."'],
    ['Open the gate that awaits approval', 'parley run approve'],
    ['Run turns with the configured runtimes', 'parley run loop --approve-gates --max-turns 20'],
    ['List accepted turns in a script', 'parley run history --json'],
  ],
  json: 'init: {"root", "made", "state"}. status: {"root", "run_id", "status", "phase", "turns", "waits_for", "served", "next", "state"}. assign: {"turn", "bundle", "staging", "state"}. accept: {"accepted", "state", …}. reject: {"turn", "escalated", "state"}. approve, block, resolve: {"state"}. loop: one line per event, then {"event": "ended", "stop_reason", …}. history, ledger: one line per entry.',
  async run(args, io) {
    const action = args.positionals.action as Action;
    checkOptions(args, action);
    return (await WORK[action]())(args, io);
  },
};

type Work = (args: CommandArgs, io: Io) => Promise<number>;

/** Modules are loaded on use, so that help starts fast. */
const WORK: { readonly [A in Action]: () => Promise<Work> } = {
  init: async () => (await import('./init.ts')).init,
  status: async () => (await import('./status.ts')).status,
  assign: async () => (await import('./turns.ts')).assign,
  accept: async () => (await import('./turns.ts')).accept,
  reject: async () => (await import('./turns.ts')).reject,
  approve: async () => (await import('./turns.ts')).approve,
  block: async () => (await import('./turns.ts')).block,
  resolve: async () => (await import('./turns.ts')).resolve,
  loop: async () => (await import('./loop.ts')).loop,
  ledger: async () => (await import('./status.ts')).ledger,
  history: async () => (await import('./status.ts')).history,
  'take-back': async () => (await import('./turns.ts')).takeBack,
};

/** Arguments and options of each action, in addition to --root. */
const TAKES: { readonly [A in Action]: readonly string[] } = {
  init: ['template', 'new'],
  status: [],
  assign: ['what'],
  accept: ['what', 'merged'],
  reject: ['what', 'reason'],
  approve: ['note'],
  block: ['what', 'reason'],
  resolve: ['note'],
  loop: ['max-turns', 'timeout', 'approve-gates', 'new'],
  ledger: [],
  history: [],
  'take-back': [],
};
const NEEDS: Partial<Record<Action, string>> = { reject: 'reason', block: 'reason' };
const HELP = 'Run "parley run --help" for details.';

/** Rejects options that the action would ignore. */
function checkOptions({ positionals: args, values, switches }: CommandArgs, action: Action): void {
  const names = [...Object.keys(values), ...switches].filter((name) => !['root', 'json', 'help'].includes(name));
  const extra = names.find((name) => !TAKES[action].includes(name));
  if (extra !== undefined) throw usageError('extra_option', `"run ${action}" does not take --${extra}`, HELP);
  if (args.what !== undefined && !TAKES[action].includes('what')) {
    throw usageError('extra_argument', `"run ${action}" takes no argument, got "${args.what}"`, HELP);
  }
  const needed = NEEDS[action];
  if (needed !== undefined && (values[needed] ?? '').trim() === '') {
    throw usageError('missing_option', `"run ${action}" requires --${needed}`, HELP);
  }
}

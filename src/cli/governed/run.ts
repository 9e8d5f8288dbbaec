/** `parley run`. */

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
  summary: 'A governed run: roles take turns through phases, and gates stand between them.',
  details:
    'init begins a run, and makes agentxchain.json for it if there is none. assign gives a role its turn; its result is written to the file that is named, and accept takes it in, or reject sends it back. approve opens a gate that waits. block stops the run, resolve goes on. loop does all of it with the runtimes of agentxchain.json. status, history and ledger tell how it stands. No hub is needed; one that serves the project ("parley up --run") is asked, and take-back ends that when it is stopped. docs/guides/governed-run.md goes through one.',
  args: [
    { name: 'action', help: `${ACTIONS.join(', ')}.`, values: ACTIONS },
    {
      name: 'what',
      help: 'assign: the role; without it, whose turn it is. accept, reject, block: the turn; without it, the one that is out.',
      isOptional: true,
    },
  ],
  options: [
    {
      name: 'root',
      value: 'folder',
      help: 'The project. Without it, the nearest folder from here upwards with an agentxchain.json.',
      values: 'folder',
    },
    {
      name: 'template',
      value: 'name',
      help: 'init: what agentxchain.json is made from: team (planning, implementation and qa by people; usual), agents (the same by programs) or solo (one role, one gate).',
      values: TEMPLATE_NAMES,
    },
    { name: 'new', help: 'init, loop: begin another run although the last one is completed or blocked.' },
    { name: 'reason', value: 'text', help: 'reject, block: why.' },
    { name: 'note', value: 'text', help: 'approve, resolve: what is to be remembered of it.' },
    { name: 'merged', help: 'accept: a person has merged what clashed with another turn.' },
    { name: 'max-turns', value: 'number', help: 'loop: after so many turns it ends (50).' },
    { name: 'timeout', value: 'time', help: 'loop: how long a turn may take, such as 90s or 20m.' },
    {
      name: 'approve-gates',
      help: 'loop: open gates by itself, except those that need a credential. Without it the loop ends at a gate.',
    },
  ],
  examples: [
    'parley run init',
    'parley run assign pm',
    'parley run accept',
    'parley run reject --reason "The plan names no acceptance tests."',
    'parley run approve',
    'parley run loop --approve-gates --max-turns 20',
    'parley run history --json',
  ],
  json: 'init: {"root", "made", "state"}. status: {"root", "run_id", "status", "phase", "turns", "waits_for", "served", "next", "state"}. assign: {"turn", "bundle", "staging", "state"}. accept: {"accepted", "state", …}. reject: {"turn", "escalated", "state"}. approve, block, resolve: {"state"}. loop: a line for each event, then {"event": "ended", "stop_reason", …}. history, ledger: a line for each entry.',
  async run(args, io) {
    const action = args.positionals.action as Action;
    checkOptions(args, action);
    return (await WORK[action]())(args, io);
  },
};

type Work = (args: CommandArgs, io: Io) => Promise<number>;

/** Loaded when it is needed: help comes at once. */
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

/** What each takes beside --root. */
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
const HELP = '"parley run --help" says more.';

/** An option that does nothing would be taken for one that did. */
function checkOptions({ positionals: args, values, switches }: CommandArgs, action: Action): void {
  const names = [...Object.keys(values), ...switches].filter((name) => !['root', 'json', 'help'].includes(name));
  const extra = names.find((name) => !TAKES[action].includes(name));
  if (extra !== undefined) throw usageError('extra_option', `"run ${action}" takes no --${extra}`, HELP);
  if (args.what !== undefined && !TAKES[action].includes('what')) {
    throw usageError('extra_argument', `"run ${action}" takes nothing more, got "${args.what}"`, HELP);
  }
  const needed = NEEDS[action];
  if (needed !== undefined && (values[needed] ?? '').trim() === '') {
    throw usageError('missing_option', `"run ${action}" needs --${needed}`, HELP);
  }
}

/** `parley join`: joins a person in this terminal, or an agent that takes turns. */

import type { HumanClient } from '../../client/human-client.ts';
import { joinHub } from '../../participants/node.ts';
import { runningPrograms } from '../../participants/processes/tree/running.ts';
import { systemClock } from '../../system/clock.ts';
import { CLI_NAMES } from '../agent-options/programs.ts';
import { NO_ROLE, type RoleFile, readRole } from '../agent-options/role-file.ts';
import { type SelectedAgent, selectAgent } from '../agent-options/select-agent.ts';
import { agentConnector, connectPerson } from '../connecting/connect.ts';
import { goodbyeError } from '../connecting/refusals.ts';
import { type Command, type CommandArgs, inGroup, TAKE_OVER_OPTION } from '../terminal/command.ts';
import { invalidValueError, usageError } from '../terminal/command-error.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { type Io, waitForInterrupt } from '../terminal/io.ts';
import { Chat } from './chat.ts';
import { plainScreen, terminalScreen } from './chat-screen.ts';
import { TurnDisplay } from './turn-display.ts';

export const join: Command = {
  name: 'join',
  summary: 'Join sessions as a person, or run an agent that takes turns',
  details:
    'Accepts all invites. Without an agent option you chat here: your lines go to the session named in the prompt, and Ctrl-D or /quit ends the chat. An agent (--cli, --command, --script or --model) takes its turns until Ctrl-C stops it; an open turn waits for the next run.',
  options: [
    {
      name: 'name',
      value: 'name',
      help: "Your name, registered if new [env: PARLEY_NAME] (default: the token's name, else your login name)",
    },
    { name: 'human', help: 'Register a new name as a person instead of an agent' },
    TAKE_OVER_OPTION,
    ...inGroup('Agent options', [
      { name: 'cli', value: 'cli', help: 'Run an agent CLI', values: CLI_NAMES },
      { name: 'command', value: 'line', help: 'Run any program: prompt in, answer out (no shell)' },
      {
        name: 'script',
        value: 'file',
        help: 'Module that exports a function or a list of answers, or a JSON list',
        values: 'file',
      },
      {
        name: 'model',
        value: 'model',
        help: 'Ask an API: anthropic:<model>, openai:<model> (or compatible), responses:<model>; or set the model of --cli or the {model} of --command',
      },
      {
        name: 'role',
        value: 'file',
        help: 'Markdown role with name, description, model and cli in its front matter',
        values: 'file',
      },
      {
        name: 'timeout',
        value: 'time',
        help: 'Time limit of a turn (default: 5m; with an API 15m, including retries)',
      },
      { name: 'parallel', value: 'count', help: 'Turns to take concurrently (default: 4)' },
      {
        name: 'base-url',
        value: 'url',
        help: "URL of a compatible API, including its version (default: the vendor's)",
      },
      {
        name: 'key-env',
        value: 'name',
        help: 'Variable with the API key (default: ANTHROPIC_API_KEY, OPENAI_API_KEY)',
      },
      { name: 'max-tokens', value: 'count', help: 'Maximum tokens of an answer' },
    ]),
    ...inGroup('Program options', [
      {
        name: 'permissions',
        value: 'permissions',
        help: 'Permissions of the CLI: safe (read and answer only), write or full (default: safe)',
        values: ['safe', 'write', 'full'],
      },
      {
        name: 'transport',
        value: 'transport',
        help: 'How --command gets the prompt: stdin, file or arg (default: stdin)',
        values: ['stdin', 'file', 'arg'],
      },
      {
        name: 'output',
        value: 'output',
        help: 'How --command answers: text, json or jsonl (default: text)',
        values: ['text', 'json', 'jsonl'],
      },
      {
        name: 'pass-env',
        value: 'names',
        help: 'Variables to pass, in addition to PATH, HOME, locale and those of a known CLI',
        isMany: true,
      },
      { name: 'cwd', value: 'folder', help: 'Working folder of the program (default: this folder)', values: 'folder' },
    ]),
  ],
  on: 'hub',
  examples: [
    ['Chat in this terminal', 'parley join --name bob --human'],
    ['Send one line from a script', 'echo "It works." | parley join --name bob --json'],
    ['Let Claude Code take turns as a reviewer', 'parley join --name reviewer --cli claude --role reviewer.md'],
    ['Ask a model over its API', 'parley join --name sonnet --model anthropic:claude-sonnet-5 --role reviewer.md'],
    ['Ask a local server', 'parley join --name local --model openai:llama3.2 --base-url http://127.0.0.1:11434/v1'],
    ['Run any program', 'parley join --name llama --command "ollama run llama3.2" --timeout 10m'],
    [
      'Pass it a model, a key and a folder',
      'parley join --name helper --command "./my-agent --model {model}" --model small --pass-env MY_API_KEY --cwd project',
    ],
  ],
  json: 'One line per event: {"event": "joined" | "invited" | "message" | "event" | "delta" | "turn" | "sent" | "refused" | "away" | "open" | "closed", …}; for an agent "joined", "turn", "delta", "progress", "reply", "failed", "cancelled", "over", "away", "open", "closed", "left".',
  async run(args, io) {
    const role = args.values.role === undefined ? NO_ROLE : await readRole(args.values.role);
    const chosen = await selectAgent(args, role, io.env);
    if (chosen !== null) {
      if (!args.switches.has('human')) return joinAgent(args, io, role, chosen);
      const hint = 'Join as a person, or let the agent take the turns; use two names for both.';
      throw usageError('wrong_option', '--human and an agent exclude each other', hint);
    }
    if (args.values.role !== undefined) {
      const hint =
        'Add "--cli", "--command", "--script" or "--model", or "cli: claude" to the front matter of the role.';
      throw usageError('wrong_option', 'the role names no agent to take the turns', hint);
    }
    const chat = new Chat(io, () => systemClock.now());
    const client = await connectPerson(args, io, {
      register: { kind: args.switches.has('human') ? 'human' : 'agent' },
      onInvite: (invite) => chat.invited(invite),
      onEvent: (envelope, session) => chat.happened(envelope, session),
      onDelta: (delta, session) => chat.showed(delta, session),
      onState: (state) => chat.reached(state),
    });
    return talk(client, chat, io);
  },
};

async function talk(client: HumanClient, chat: Chat, io: Io): Promise<number> {
  const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true && !io.isJson;
  const onLine = (line: string): void => chat.typed(line);
  const screen = isTerminal ? terminalScreen(process, onLine) : plainScreen(process, onLine, io.isJson);
  const timer = setInterval(() => chat.refresh(), 1_000);
  try {
    await chat.begin(client, screen);
    const over = await Promise.race([client.closed, screen.ended.then(() => null)]);
    if (over?.by === 'hub') throw goodbyeError(client.name, over.reason);
    if (over?.by === 'refusal') throw over.error;
    await chat.settled();
    return EXIT.done;
  } finally {
    clearInterval(timer);
    screen.close();
    client.close();
  }
}

async function joinAgent(args: CommandArgs, io: Io, role: RoleFile, chosen: SelectedAgent): Promise<number> {
  const requested = args.values.name ?? role.name ?? (io.env.PARLEY_NAME || undefined);
  const { name, url, connect } = await agentConnector(args, io, { requested, fallback: chosen.name });
  const display = new TurnDisplay(io, name, systemClock);
  // Listen before starting anything, so that an early Ctrl-C leaves nothing behind.
  const stop = waitForInterrupt();
  const participant = await joinHub(connect, {
    name,
    register: { kind: 'agent', provider: chosen.provider, ...modelOf(args, role, chosen) },
    agent: chosen.agent,
    systemPrompt: role.prompt,
    handlers: display,
    maxParallelTurns: parallelOf(args),
    ...(role.description === undefined ? {} : { resume: { summary: role.description } }),
    onState(state) {
      io.put({ event: state });
      if (state === 'away') io.note('hub unreachable; retrying');
      if (state === 'open') io.note('hub connected again');
    },
  });
  io.put({ event: 'joined', name, agent_id: participant.client.agentId, url });
  io.say(`${name} joined ${url}; press Ctrl-C to stop`);
  const over = await Promise.race([participant.closed, stop.then(() => null)]);
  // Stopping a program may take a while: say so.
  for (const { tool } of runningPrograms()) io.note(`ending ${tool} …`);
  await participant.close();
  if (over?.by === 'hub') throw goodbyeError(name, over.reason);
  if (over?.by === 'refusal') throw over.error;
  io.put({ event: 'left', name });
  io.say(`${name} left; its open turns wait for the next run`);
  return EXIT.done;
}

function modelOf(args: CommandArgs, role: RoleFile, chosen: SelectedAgent): { readonly model?: string } {
  const model = chosen.model ?? args.values.model ?? role.model;
  return model === undefined ? {} : { model };
}

function parallelOf({ values }: CommandArgs): number {
  const value = values.parallel ?? '4';
  const count = Number(value);
  if (Number.isInteger(count) && count >= 1 && count <= 1_000) return count;
  throw invalidValueError('--parallel', 'a whole number from 1 to 1000', value);
}

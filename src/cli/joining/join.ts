/** `parley join`. */

import type { HumanClient } from '../../client/human-client.ts';
import { joinHub } from '../../participants/node.ts';
import { runningPrograms } from '../../participants/processes/tree/running.ts';
import { systemClock } from '../../system/clock.ts';
import { CLI_NAMES } from '../agent-options/programs.ts';
import { NO_ROLE, type RoleFile, readRole } from '../agent-options/role-file.ts';
import { type SelectedAgent, selectAgent } from '../agent-options/select-agent.ts';
import { agentConnector, connectPerson } from '../connecting/connect.ts';
import { goodbyeError } from '../connecting/refusals.ts';
import type { Command, CommandArgs } from '../terminal/command.ts';
import { type CommandError, invalidValueError, usageError } from '../terminal/command-error.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { type Io, waitForInterrupt } from '../terminal/io.ts';
import { Chat } from './chat.ts';
import { plainScreen, terminalScreen } from './chat-screen.ts';
import { TurnDisplay } from './turn-display.ts';

export const join: Command = {
  name: 'join',
  summary: 'Take part in sessions: you in this terminal, or an agent that takes its turns.',
  details:
    'Invites are accepted. What you type goes to the session of the prompt, which also says whose turn it is and how much time is left; above it is what others are writing. End it with Ctrl-D or /quit: what comes meanwhile waits for you. Without a terminal it reads lines and writes lines. With --cli, --command, --script or a --model of an API an agent takes part in your place: for each of its turns the program is run, or the model is asked, with what it sees of the session, its answer is posted, and what it does is shown; if it fails the session is told, and nothing is made up. Ctrl-C ends it and what it started; a turn that is open waits for the next run.',
  options: [
    {
      name: 'name',
      value: 'name',
      help: 'Who you are (PARLEY_NAME, the name your token is for, or your login name); a new name is registered.',
    },
    { name: 'human', help: 'You are a person; else a new name is registered as an agent.' },
    { name: 'cli', value: 'cli', help: 'An agent CLI takes the turns.', values: CLI_NAMES },
    {
      name: 'command',
      value: 'command line',
      help: 'Any program does: it gets the prompt, and writes the answer. No shell reads it.',
    },
    {
      name: 'script',
      value: 'file',
      help: 'A module does, with a function or a list of answers; or a JSON list.',
      values: 'file',
    },
    {
      name: 'role',
      value: 'file',
      help: 'Who the agent is: markdown, with name, description, model and cli in its front matter.',
      values: 'file',
    },
    {
      name: 'model',
      value: 'model',
      help: 'A model does: anthropic:<model>, openai:<model> (or any server that is compatible) or responses:<model>. With --cli, the model it is told; of --command, what {model} in it stands for.',
    },
    { name: 'base-url', value: 'url', help: 'Where the model is served, up to the version; at its maker unless told.' },
    {
      name: 'key-env',
      value: 'name',
      help: 'The variable that has the key of the model (ANTHROPIC_API_KEY, OPENAI_API_KEY); on this machine it may need none.',
    },
    { name: 'max-tokens', value: 'count', help: 'What an answer of the model may have at most.' },
    {
      name: 'permissions',
      value: 'permissions',
      help: 'What the CLI may do; safe unless told: read and answer.',
      values: ['safe', 'write', 'full'],
    },
    {
      name: 'transport',
      value: 'transport',
      help: 'How --command gets the prompt; stdin unless told.',
      values: ['stdin', 'file', 'arg'],
    },
    {
      name: 'output',
      value: 'output',
      help: 'How --command answers; text unless told.',
      values: ['text', 'json', 'jsonl'],
    },
    {
      name: 'timeout',
      value: 'time',
      help: 'How long a turn may take, such as 10m; 5m unless told, of a model 15m with every try.',
    },
    {
      name: 'pass-env',
      value: 'names',
      help: 'Variables that the program gets too, such as OPENAI_API_KEY,HTTPS_PROXY: of the environment it sees little else than PATH, HOME, the language and, of a CLI, what that is known to need.',
      isMany: true,
    },
    { name: 'cwd', value: 'folder', help: 'Where the program runs; here unless told.', values: 'folder' },
    { name: 'parallel', value: 'count', help: 'Turns that an agent takes at once; 4 unless told.' },
    { name: 'take-over', help: 'Also if that name is connected elsewhere: it is sent away there.' },
  ],
  on: 'hub',
  examples: [
    'parley join --name bob --human',
    'echo "It works." | parley join --name bob --json',
    'parley join --name reviewer --cli claude --role reviewer.md',
    'parley join --name sonnet --model anthropic:claude-sonnet-5 --role reviewer.md',
    'parley join --name local --model openai:llama3.2 --base-url http://127.0.0.1:11434/v1',
    'parley join --name llama --command "ollama run llama3.2" --timeout 10m',
    'parley join --name helper --command "./my-agent --model {model}" --model small --pass-env MY_API_KEY --cwd project',
  ],
  json: 'A line for each thing that happens: {"event": "joined" | "invited" | "message" | "event" | "delta" | "turn" | "sent" | "refused" | "away" | "open" | "closed", …}; of an agent "joined", "turn", "delta", "progress", "reply", "failed", "cancelled", "over", "away", "open", "closed", "left".',
  async run(args, io) {
    const role = args.values.role === undefined ? NO_ROLE : await readRole(args.values.role);
    const chosen = await selectAgent(args, role, io.env);
    if (chosen !== null && args.switches.has('human')) throw bothAtOnce();
    if (chosen !== null) return joinAgent(args, io, role, chosen);
    if (args.values.role !== undefined) throw nobody();
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

function bothAtOnce(): CommandError {
  const hint = 'Join as a person, or let the agent take the turns: each under a name of its own.';
  return usageError('wrong_option', '--human and an agent exclude each other', hint);
}

function nobody(): CommandError {
  const hint = 'Add "--cli", "--command", "--script" or "--model", or "cli: claude" to the front matter of the role.';
  return usageError('wrong_option', 'nothing says what takes the turns of that role', hint);
}

async function joinAgent(args: CommandArgs, io: Io, role: RoleFile, chosen: SelectedAgent): Promise<number> {
  const requested = args.values.name ?? role.name ?? (io.env.PARLEY_NAME || undefined);
  const { name, url, connect } = await agentConnector(args, io, { requested, fallback: chosen.name });
  const display = new TurnDisplay(io, name, systemClock);
  // Asked for before anything is started: nothing that was is left behind.
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
      if (state === 'away') io.note('the hub is out of reach; trying again');
      if (state === 'open') io.note('the hub is there again');
    },
  });
  io.put({ event: 'joined', name, agent_id: participant.client.agentId, url });
  io.say(`${name} has joined ${url} and takes its turns; Ctrl-C ends it.`);
  const over = await Promise.race([participant.closed, stop.then(() => null)]);
  // One that does not listen is given a while: nobody should wonder meanwhile.
  for (const { tool } of runningPrograms()) io.note(`ending ${tool} …`);
  await participant.close();
  if (over?.by === 'hub') throw goodbyeError(name, over.reason);
  if (over?.by === 'refusal') throw over.error;
  io.put({ event: 'left', name });
  io.say(`${name} is no longer connected; turns that are open wait for its next run.`);
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

/** `parley join`. */

import type { HumanClient } from '../../client/human-client.ts';
import { systemClock } from '../system-clock.ts';
import { Chat } from './chat.ts';
import { plainScreen, terminalScreen } from './chat-screen.ts';
import type { Command } from './command.ts';
import { EXIT } from './exit-codes.ts';
import type { Io } from './io.ts';
import { joining } from './reach.ts';
import { Trouble } from './trouble.ts';

export const join: Command = {
  name: 'join',
  summary: 'Take part in sessions from this terminal: a chat that shows whose turn it is.',
  details:
    'Invites are accepted. What you type goes to the session of the prompt, which also says whose turn it is and how much time is left; above it is what others are writing. End it with Ctrl-D or /quit: what comes meanwhile waits for you. Without a terminal it reads lines and writes lines.',
  options: [
    {
      name: 'name',
      value: 'name',
      help: 'Who you are (PARLEY_NAME, the name your token is for, or your login name); a new name is registered.',
    },
    { name: 'human', help: 'You are a person; else a new name is registered as an agent.' },
    { name: 'take-over', help: 'Also if that name is connected elsewhere: it is sent away there.' },
  ],
  on: 'hub',
  examples: ['parley join --name bob --human', 'echo "It works." | parley join --name bob --json'],
  json: 'A line for each thing that happens: {"event": "joined" | "invited" | "message" | "event" | "delta" | "turn" | "sent" | "refused" | "away" | "open" | "closed", …}.',
  async run(asked, io) {
    const chat = new Chat(io, () => systemClock.now());
    const client = await joining(asked, io, {
      register: { kind: asked.switches.has('human') ? 'human' : 'agent' },
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
    if (over?.by === 'hub') throw sentAway(client.name, over.reason);
    if (over?.by === 'refusal') throw over.error;
    await chat.settled();
    return EXIT.done;
  } finally {
    clearInterval(timer);
    screen.close();
    client.close();
  }
}

function sentAway(name: string, reason: string): Trouble {
  if (reason !== 'replaced')
    return new Trouble(
      'unreachable',
      reason,
      `the hub said goodbye (${reason})`,
      'Is it still running? "parley doctor" says more.',
    );
  const hint = `It goes on there; "parley join --name ${name} --take-over" brings it back here.`;
  return new Trouble('inUse', 'replaced', `${name} was connected elsewhere, and is no longer connected here`, hint);
}

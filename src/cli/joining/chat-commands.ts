/** What can be typed in a chat beside what one says. */

import { findNearest } from '../terminal/nearest.ts';
import type { ChatRoom } from './chat-room.ts';

/** What the commands need of the chat. */
export interface ChatCommands {
  send(text: string, to?: readonly string[]): Promise<void>;
  needCurrent(): ChatRoom;
  all(): readonly ChatRoom[];
  choose(room: ChatRoom): void;
  note(text: string): void;
  wordsOf(room: ChatRoom): string;
  quit(): void;
}

interface ChatCommand {
  readonly help: string;
  run(chat: ChatCommands, rest: string): Promise<void> | void;
}

const COMMANDS: Readonly<Record<string, ChatCommand>> = {
  help: { help: 'what can be typed', run: (chat) => chat.note(HELP) },
  sessions: { help: 'your sessions, and whose turn it is', run: (chat) => chat.note(list(chat)) },
  use: { help: 'to which session you speak: its number in /sessions, or the end of its id', run: use },
  who: { help: 'who is in it', run: (chat) => chat.note(chat.needCurrent().names.join(', ')) },
  to: { help: 'only for some: /to bob,carol text', run: sendTo },
  close: { help: 'close it, with a reason if you like', run: (chat, reason) => closeIt(chat, reason) },
  leave: { help: 'leave it for good', run: async (chat) => void (await chat.needCurrent().session.leave()) },
  back: {
    help: 'come back after you were hidden',
    run: async (chat) => void (await chat.needCurrent().session.comeBack()),
  },
  quit: { help: 'end the chat; what comes meanwhile waits for you', run: (chat) => chat.quit() },
};

const HELP = Object.entries(COMMANDS)
  .map(([name, { help }]) => `  /${name.padEnd(10)}${help}`)
  .join('\n');

/** A line that begins with two slashes is said with one. */
export async function runLine(text: string, chat: ChatCommands): Promise<void> {
  if (!text.startsWith('/')) return chat.send(text);
  if (text.startsWith('//')) return chat.send(text.slice(1));
  const [, name = '', rest = ''] = /^\/(\S*)\s*(.*)$/s.exec(text) ?? [];
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command !== undefined) return command.run(chat, rest);
  const meant = findNearest(name, Object.keys(COMMANDS));
  throw new Error(`there is no /${name}; ${meant === null ? '/help shows what there is' : `did you mean /${meant}?`}`);
}

function list(chat: ChatCommands): string {
  const rooms = chat.all();
  if (rooms.length === 0) return 'you are in no session';
  return rooms.map((room, i) => `  ${i + 1}  ${room.label}  ${chat.wordsOf(room)}`).join('\n');
}

function use(chat: ChatCommands, rest: string): void {
  const rooms = chat.all();
  const room = rooms[Number(rest) - 1] ?? rooms.find(({ session }) => rest !== '' && session.id.endsWith(rest));
  if (room === undefined) throw new Error(`there is no session "${rest}"; /sessions shows which there are`);
  chat.choose(room);
}

async function sendTo(chat: ChatCommands, rest: string): Promise<void> {
  const [, names = '', text = ''] = /^(\S+)\s+(.+)$/s.exec(rest) ?? [];
  if (text === '') throw new Error('expected names and a text: /to bob,carol hello');
  await chat.send(text, names.split(','));
}

async function closeIt(chat: ChatCommands, reason: string): Promise<void> {
  await chat.needCurrent().session.close(reason === '' ? undefined : reason);
}

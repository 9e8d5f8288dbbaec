/** Runs the slash commands of a chat. */

import { findNearest } from '../terminal/nearest.ts';
import type { ChatRoom } from './chat-room.ts';

/** The part of a chat that commands use. */
export interface ChatCommands {
  send(text: string, to?: readonly string[]): Promise<void>;
  needCurrent(): ChatRoom;
  all(): readonly ChatRoom[];
  choose(room: ChatRoom): void;
  note(text: string): void;
  turnTextOf(room: ChatRoom): string;
  quit(): void;
}

interface ChatCommand {
  readonly help: string;
  run(chat: ChatCommands, rest: string): Promise<void> | void;
}

const COMMANDS: Readonly<Record<string, ChatCommand>> = {
  help: { help: 'list these commands', run: (chat) => chat.note(HELP) },
  sessions: { help: 'list your sessions and whose turn it is', run: (chat) => chat.note(list(chat)) },
  use: { help: 'switch to a session: its number in /sessions, or the end of its id', run: use },
  who: { help: 'list the participants', run: (chat) => chat.note(chat.needCurrent().names.join(', ')) },
  to: { help: 'whisper: /to bob,carol text', run: sendTo },
  close: { help: 'close the session, with an optional reason', run: closeSession },
  leave: { help: 'leave the session permanently', run: (chat) => chat.needCurrent().session.leave().then(ignore) },
  back: { help: 'return after you were hidden', run: (chat) => chat.needCurrent().session.comeBack().then(ignore) },
  quit: { help: 'end the chat; new messages wait for you', run: (chat) => chat.quit() },
};

const ignore = (): void => {};

const HELP = Object.entries(COMMANDS)
  .map(([name, { help }]) => `  /${name.padEnd(10)}${help}`)
  .join('\n');

/** Runs one typed line. Two leading slashes send a text that begins with one slash. */
export async function runLine(text: string, chat: ChatCommands): Promise<void> {
  if (!text.startsWith('/')) return chat.send(text);
  if (text.startsWith('//')) return chat.send(text.slice(1));
  const [, name = '', rest = ''] = /^\/(\S*)\s*(.*)$/s.exec(text) ?? [];
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command !== undefined) return command.run(chat, rest);
  const meant = findNearest(name, Object.keys(COMMANDS));
  throw new Error(`unknown command /${name}; ${meant === null ? 'try /help' : `did you mean /${meant}?`}`);
}

function list(chat: ChatCommands): string {
  const rooms = chat.all();
  if (rooms.length === 0) return 'you are in no session';
  return rooms.map((room, i) => `  ${i + 1}  ${room.label}  ${chat.turnTextOf(room)}`).join('\n');
}

function use(chat: ChatCommands, rest: string): void {
  const rooms = chat.all();
  const room = rooms[Number(rest) - 1] ?? rooms.find(({ session }) => rest !== '' && session.id.endsWith(rest));
  if (room === undefined) throw new Error(`session "${rest}" not found; /sessions lists yours`);
  chat.choose(room);
}

async function sendTo(chat: ChatCommands, rest: string): Promise<void> {
  const [, names = '', text = ''] = /^(\S+)\s+(.+)$/s.exec(rest) ?? [];
  if (text === '') throw new Error('expected names and a text: /to bob,carol hello');
  await chat.send(text, names.split(','));
}

async function closeSession(chat: ChatCommands, reason: string): Promise<void> {
  await chat.needCurrent().session.close(reason === '' ? undefined : reason);
}

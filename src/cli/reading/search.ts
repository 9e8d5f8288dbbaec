/** `parley search`: searches messages. */

import type { TextMatch } from '../../core/lib/find-text.ts';
import type { SearchMatch } from '../../core/records/session/search.ts';
import { withHub } from '../connecting/connect.ts';
import { type Command, READER_OPTION } from '../terminal/command.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { parseInteger } from '../terminal/parse-values.ts';
import { printableLine } from '../terminal/printable.ts';
import { agentNames } from './lists.ts';

export const search: Command = {
  name: 'search',
  summary: 'Search messages, newest sessions first',
  details: 'With the observe grant, searches all sessions; without it, those of the --as identity.',
  args: [{ name: 'text', help: 'Text to search for', isRest: true }],
  options: [
    {
      name: 'match',
      value: 'how',
      help: 'substring: anywhere; words: whole words only (default: substring)',
      values: ['substring', 'words'],
    },
    { name: 'type', value: 'type', help: 'Only sessions of this type' },
    { name: 'participant', value: 'name', help: 'Only sessions with this participant' },
    { name: 'limit', value: 'number', help: 'Maximum number of matches (default: 20)' },
    READER_OPTION,
  ],
  on: 'hub',
  examples: [
    ['Find a word', 'parley search export'],
    ['Find a phrase in a script', 'parley search "api key" --json'],
  ],
  json: 'One line per match: {"session_id", "seq", "envelope_id", "sender_id", "snippet", "at", "length", …}.',
  run(args, io) {
    const { type, participant, match, limit } = args.values;
    const max = limit === undefined ? 20 : parseInteger('--limit', limit, 1);
    const options = { type, participant, match: match as TextMatch | undefined };
    return withHub(args, io, 'reader', async (client) => {
      const names = io.isJson ? String : await agentNames(client);
      let left = max;
      for await (const found of client.search(args.positionals.text ?? '', options)) {
        io.put(found);
        if (!io.isJson) print(io, found, names);
        left -= 1;
        if (left === 0) break;
      }
      if (left === max) io.say('no matches');
      return EXIT.done;
    });
  },
};

function print(
  io: Io,
  { session_id, seq, sender_id, snippet, at, length }: SearchMatch,
  names: (id: string) => string,
): void {
  const [before, found, after] = [snippet.slice(0, at), snippet.slice(at, at + length), snippet.slice(at + length)];
  const words = [before, found, after].map((part) => printableLine(part));
  const text = `${words[0]}${io.terminal.paint(words[1] ?? '', 'bold', 'yellow')}${words[2]}`;
  io.say(`${io.terminal.paint(`${session_id} ${String(seq).padStart(4)}`, 'dim')}  ${names(sender_id)}: ${text}`);
}

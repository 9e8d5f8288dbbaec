/** `parley send`. */

import type { Content } from '../../client/session/session.ts';
import type { Asked, Command } from '../terminal/command.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { findSession } from '../connecting/find-session.ts';
import { jsonObjectIn, namesIn } from '../terminal/parse-values.ts';
import { readStdin } from './open.ts';
import { acting } from '../../node/commands/reach.ts';
import { Transcript } from '../transcript/transcript.ts';
import { Trouble } from '../terminal/command-error.ts';

export const send: Command = {
  name: 'send',
  summary: 'Say something in a session.',
  args: [
    { name: 'session', help: 'Its id, four or more digits of its beginning or end, or "last".' },
    { name: 'text', help: 'What to say; "-" reads it from stdin.', isOptional: true, isRest: true },
  ],
  options: [
    { name: 'to', value: 'names', help: 'Only for these: a,b.', isMany: true },
    { name: 'type', value: 'event type', help: 'Something else than text; it takes --data-json.' },
    { name: 'data-json', value: 'object', help: 'What is said, as JSON.' },
    { name: 'key', value: 'key', help: 'The same key and text count once, however often you send them.' },
  ],
  on: 'hub',
  acts: true,
  examples: ['parley send last "It works."', 'git diff | parley send 3f2a - --as reviewer'],
  json: '{"session_id", "envelope_id", "seq", "created_at", "turn"}; with "duplicate": true if its key was used before.',
  async run(asked, io) {
    const content = await contentOf(asked);
    return acting(asked, io, async (client) => {
      const session_id = await findSession(client, asked.args.session ?? '');
      const session = client.session(session_id);
      const { lists, values } = asked;
      const to = lists.to === undefined ? {} : { to: namesIn(lists.to) };
      const posted = await session.send(content, { ...to, ...(values.key === undefined ? {} : { key: values.key }) });
      io.put({ session_id, ...posted });
      if (io.isJson) return EXIT.done;
      const { session: metadata } = await session.info();
      const turn = new Transcript(io.terminal, metadata).turnOf(posted.turn);
      io.say(
        `seq ${posted.seq}${posted.duplicate === true ? ' (sent before)' : ''}  ${metadata.state}${turn === '' ? '' : `  ▸ ${turn}`}`,
      );
      return EXIT.done;
    });
  },
};

async function contentOf({ args, values }: Asked): Promise<string | Content> {
  const data = values['data-json'];
  if (values.type !== undefined || data !== undefined) {
    if (args.text !== undefined || data === undefined) throw oneOfThem();
    return { event_type: values.type ?? 'msg.text', event_data: jsonObjectIn('--data-json', data) };
  }
  const text = args.text === '-' ? await readStdin() : args.text;
  if (text === undefined || text === '') throw oneOfThem();
  return text;
}

function oneOfThem(): Trouble {
  const hint = 'parley send <session> "text", or --type and --data-json; "parley send --help" says more.';
  return new Trouble('wrong', 'missing_argument', '"send" needs something to say: a text, or --data-json', hint);
}

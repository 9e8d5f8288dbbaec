/** `parley send` and `parley close`. */

import type { Content } from '../../client/session/session-options.ts';
import { withHub } from '../connecting/connect.ts';
import { findSession } from '../connecting/find-session.ts';
import { type Command, type CommandArgs, SESSION_ARGUMENT } from '../terminal/command.ts';
import { type CommandError, usageError } from '../terminal/command-error.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { parseJsonOption, parseNames } from '../terminal/parse-values.ts';
import { printableLine } from '../terminal/printable.ts';
import { Transcript } from '../transcript/transcript.ts';
import { readStdin } from './open.ts';

export const send: Command = {
  name: 'send',
  summary: 'Say something in a session.',
  args: [
    SESSION_ARGUMENT,
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
  async run(args, io) {
    const content = await contentOf(args);
    return withHub(args, io, 'speaker', async (client) => {
      const session_id = await findSession(client, args.positionals.session ?? '');
      const session = client.session(session_id);
      const { lists, values } = args;
      const to = lists.to === undefined ? {} : { to: parseNames(lists.to) };
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

async function contentOf({ positionals: args, values }: CommandArgs): Promise<string | Content> {
  const data = values['data-json'];
  if (values.type !== undefined || data !== undefined) {
    if (args.text !== undefined || data === undefined) throw oneOfThem();
    return { event_type: values.type ?? 'msg.text', event_data: parseJsonOption('--data-json', data) };
  }
  const text = args.text === '-' ? await readStdin() : args.text;
  if (text === undefined || text === '') throw oneOfThem();
  return text;
}

function oneOfThem(): CommandError {
  const hint = 'parley send <session> "text", or --type and --data-json; "parley send --help" says more.';
  return usageError('missing_argument', '"send" needs something to say: a text, or --data-json', hint);
}

export const close: Command = {
  name: 'close',
  summary: 'Close a session; those present still get what was said.',
  details: 'As the operator of the hub, unless --as says who closes it.',
  args: [SESSION_ARGUMENT],
  options: [
    { name: 'reason', value: 'text', help: 'Why, for everyone in it to read.' },
    { name: 'wait', help: 'Until everyone present has heard it.' },
  ],
  on: 'hub',
  acts: true,
  examples: ['parley close last --reason "done for today"'],
  json: '{"session_id", "state", "close_reason"}.',
  run(args, io) {
    const role = args.values.as === undefined ? 'reader' : 'speaker';
    return withHub(args, io, role, async (client) => {
      const session_id = await findSession(client, args.positionals.session ?? '');
      const answer = await client.call('close_session', { session_id, reason: reasonOf(args), wait: waitOf(args) });
      io.put({ session_id, ...answer });
      io.say(`${session_id}  ${answer.state}  ${printableLine(answer.close_reason ?? '')}`);
      return EXIT.done;
    });
  },
};

function reasonOf({ values }: CommandArgs): string | undefined {
  return values.reason;
}

function waitOf({ switches }: CommandArgs): 'closing' | 'closed' {
  return switches.has('wait') ? 'closed' : 'closing';
}

/** `parley send` and `parley close`: send a message, and close a session. */

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
  summary: 'Send a message to a session',
  args: [
    SESSION_ARGUMENT,
    { name: 'text', help: 'Text to send; "-" reads it from stdin', isOptional: true, isRest: true },
  ],
  options: [
    { name: 'to', value: 'names', help: 'Whisper to these participants only: a,b', isMany: true },
    { name: 'type', value: 'event type', help: 'Event type; requires --data-json (default: msg.text)' },
    { name: 'data-json', value: 'object', help: 'Event data as JSON' },
    { name: 'key', value: 'key', help: 'Idempotency key; repeats with the same text are accepted once' },
  ],
  on: 'hub',
  acts: true,
  examples: [
    ['Answer in the latest session', 'parley send last "It works."'],
    ['Send the output of a command', 'git diff | parley send 3f2a - --as reviewer'],
  ],
  json: '{"session_id", "envelope_id", "seq", "created_at", "turn"}; with "duplicate": true for a repeated key.',
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
      const repeated = posted.duplicate === true ? ' (sent before)' : '';
      io.say(`seq ${posted.seq}${repeated}  ${metadata.state}${turn === '' ? '' : `  ▸ ${turn}`}`);
      return EXIT.done;
    });
  },
};

async function contentOf({ positionals: args, values }: CommandArgs): Promise<string | Content> {
  const data = values['data-json'];
  if (values.type !== undefined || data !== undefined) {
    if (args.text !== undefined || data === undefined) throw nothingToSend();
    return { event_type: values.type ?? 'msg.text', event_data: parseJsonOption('--data-json', data) };
  }
  const text = args.text === '-' ? await readStdin() : args.text;
  if (text === undefined || text === '') throw nothingToSend();
  return text;
}

function nothingToSend(): CommandError {
  const hint =
    'Usage: parley send <session> "text", or with --type and --data-json. Run "parley send --help" for details.';
  return usageError('missing_argument', '"send" requires a text or --data-json', hint);
}

export const close: Command = {
  name: 'close',
  summary: 'Close a session after its participants have received its messages',
  details: 'Closes it as the operator, unless --as names a participant.',
  args: [SESSION_ARGUMENT],
  options: [
    { name: 'reason', value: 'text', help: 'Reason, visible to all participants' },
    { name: 'wait', help: 'Wait until the bound participants have acked it' },
  ],
  on: 'hub',
  acts: true,
  examples: [['Close the latest session', 'parley close last --reason "done for today"']],
  json: '{"session_id", "state", "close_reason"}.',
  run(args, io) {
    const role = args.values.as === undefined ? 'reader' : 'speaker';
    return withHub(args, io, role, async (client) => {
      const session_id = await findSession(client, args.positionals.session ?? '');
      const wait = args.switches.has('wait') ? 'closed' : 'closing';
      const answer = await client.call('close_session', { session_id, reason: args.values.reason, wait });
      io.put({ session_id, ...answer });
      io.say(`${session_id}  ${answer.state}  ${printableLine(answer.close_reason ?? '')}`);
      return EXIT.done;
    });
  },
};

/** `parley open`: opens a session and sends its first message. */

import { consulting } from '../../../adapters/consulting.ts';
import type { AgentClient } from '../../client/agent-client.ts';
import type { OpenOptions } from '../../client/operations/params.ts';
import type { Session } from '../../client/session/session.ts';
import { durationMs } from '../../core/lib/time.ts';
import { systemIds } from '../../system/ids.ts';
import { withHub } from '../connecting/connect.ts';
import { followSession } from '../reading/tail.ts';
import type { Command, CommandArgs } from '../terminal/command.ts';
import { invalidValueError, usageError } from '../terminal/command-error.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { parseNames, parsePairs, parseTextPairs, readJsonOption } from '../terminal/parse-values.ts';

export const TYPES: readonly string[] = ['consulting', 'conversation', 'discussion', 'workflow'];

export const open: Command = {
  name: 'open',
  summary: 'Open a session and send its first message',
  details:
    'Waits until enough participants have accepted, then exits. Read the answers with "parley inbox", chat with "parley join", or stay with --follow.',
  args: [
    { name: 'type', help: 'consulting, conversation, discussion, workflow, or a custom type', suggests: TYPES },
    { name: 'text', help: 'First message; "-" reads it from stdin', isOptional: true, isRest: true },
  ],
  options: [
    { name: 'to', value: 'names', help: 'Participants to invite: a,b', isMany: true },
    { name: 'graph', value: 'file', help: 'Graph of a workflow, in JSON or YAML', values: 'file' },
    { name: 'knob', value: 'key=value', help: 'Setting of the type, such as rounds=2', isMany: true },
    { name: 'label', value: 'key=value', help: 'Label of the session', isMany: true },
    { name: 'ttl', value: 'time', help: 'Maximum lifetime, such as 30m' },
    { name: 'invite-timeout', value: 'time', help: 'Time to accept, such as 10m for a coding agent (default: 30s)' },
    { name: 'no-wait', help: 'Do not wait until others have accepted' },
    { name: 'follow', help: 'Stay and print messages until the session ends' },
  ],
  on: 'hub',
  acts: true,
  examples: [
    ['Ask bob a question', 'parley open consulting --to bob "Does the export work?"'],
    [
      'Start a discussion and watch it',
      'parley open discussion --to bob,carol --knob rounds=2 --follow "When do we release?"',
    ],
    [
      'Give a coding agent time to accept',
      'parley open consulting --to reviewer --invite-timeout 10m "Is this diff safe?"',
    ],
    ['Open a workflow', 'parley open workflow --to triage,billing --graph support.yaml'],
  ],
  json: '{"session", "warnings", "posted"}: session metadata, and {"seq", "turn"} of the first message or null. With --follow, one line per envelope follows.',
  async run(args, io) {
    const options = await openOptions(args);
    const text = await textOf(args);
    return withHub(args, io, 'speaker', (client) => openAndSay(client, args, io, options, text));
  },
};

async function openAndSay(
  client: AgentClient,
  args: CommandArgs,
  io: Io,
  options: OpenOptions,
  text: string | undefined,
) {
  const type = args.positionals.type ?? '';
  const session = await openSession(client, type, options, io);
  const posted = text === undefined ? null : await session.send(text);
  const { session: metadata } = await session.info();
  io.put({ session: metadata, warnings: session.warnings, posted });
  for (const warning of session.warnings) io.note(`warning: ${warning}`);
  io.say(`${session.id}  ${metadata.state}`);
  if (args.switches.has('follow')) {
    // Fails only if the connection ends, which followSession reports.
    takeAll(session).catch(() => {});
    return followSession(client, session.id, io);
  }
  if (!io.isJson) sayNext(io, client, session);
  return EXIT.done;
}

/** Acks every envelope, so that the session can end without waiting for this reader. */
async function takeAll(session: Session): Promise<void> {
  for await (const _ of session);
}

/** Creates the session before the wait, with the same key, so that errors appear immediately. */
async function openSession(client: AgentClient, type: string, options: OpenOptions, io: Io): Promise<Session> {
  if (options.wait !== 'active') return client.open(type, options);
  const key = systemIds.hex32();
  const session = await client.open(type, { ...options, key, wait: 'created' });
  io.note(`waiting for ${options.participants.join(', ')} to accept`);
  return client.open(type, { ...options, key }).then(() => session);
}

function sayNext(io: Io, { name }: AgentClient, { id }: Session): void {
  io.note(`parley show ${id}    show the session`);
  io.note(`parley inbox --as ${name}    list what waits for you`);
}

async function openOptions({ positionals: args, lists, values, switches }: CommandArgs): Promise<OpenOptions> {
  const participants = parseNames(lists.to ?? []);
  if (participants.length === 0) {
    throw usageError('missing_option', '"open" requires --to: who to invite', '"parley agents" lists names: --to a,b');
  }
  const graph = values.graph === undefined ? {} : { graph: await readJsonOption('--graph', values.graph) };
  const knobs = { ...parsePairs('--knob', lists.knob ?? []), ...graph };
  return {
    participants,
    ...(Object.keys(knobs).length === 0 ? {} : { knobs }),
    ...(lists.label === undefined ? {} : { labels: parseTextPairs('--label', lists.label) }),
    ...(values.ttl === undefined ? {} : { ttl: values.ttl }),
    ...inviteDeadlines(args.type ?? '', values['invite-timeout']),
    wait: switches.has('no-wait') ? 'created' : 'active',
  };
}

async function textOf({ positionals: args, switches }: CommandArgs): Promise<string | undefined> {
  if (args.text !== undefined && switches.has('no-wait')) {
    const hint = 'Omit one of them, or send it later with "parley send".';
    throw usageError('wrong_option', '--no-wait: a message can only be sent after others have accepted', hint);
  }
  return args.text === '-' ? readStdin() : args.text;
}

/** Reads all of stdin, without the last line end. */
export async function readStdin(): Promise<string> {
  let text = '';
  process.stdin.setEncoding('utf8');
  for await (const chunk of process.stdin) text += String(chunk);
  return text.replace(/\r?\n$/, '');
}

type Patience = Pick<OpenOptions, 'inviteTimeout' | 'expectations'>;

function inviteDeadlines(type: string, value: string | undefined): Patience {
  if (value === undefined) return {};
  const seconds = secondsOf(value);
  if (type !== 'consulting') return { inviteTimeout: seconds };
  const expectations = (consulting.manifest.expectations ?? []).map((one) =>
    one.name === 'acks_within' ? { ...one, params: { seconds } } : one,
  );
  return { inviteTimeout: seconds, expectations };
}

function secondsOf(text: string): number {
  try {
    const ms = durationMs(text, '--invite-timeout');
    if (ms > 0) return ms / 1000;
  } catch {
    // The invalid value is reported below.
  }
  throw invalidValueError('--invite-timeout', 'a duration such as 10m', text);
}

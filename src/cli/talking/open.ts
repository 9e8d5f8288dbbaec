/** `parley open`. */

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
  summary: 'Open a session with others, and say the first thing in it.',
  details:
    'It waits until enough have accepted. Then it ends, and what others say waits for you: "parley inbox" shows it, "parley join" takes part, --follow stays and prints it.',
  args: [
    { name: 'type', help: 'consulting, conversation, discussion, workflow, or one of your own.', suggests: TYPES },
    { name: 'text', help: 'What to say when it is open; "-" reads it from stdin.', isOptional: true, isRest: true },
  ],
  options: [
    { name: 'to', value: 'names', help: 'With whom: a,b.', isMany: true },
    { name: 'graph', value: 'file', help: 'The graph of a workflow, in JSON or YAML.', values: 'file' },
    { name: 'knob', value: 'key=value', help: 'A setting of the type, such as rounds=2.', isMany: true },
    { name: 'label', value: 'key=value', help: 'For whoever looks at it.', isMany: true },
    { name: 'ttl', value: 'time', help: 'How long it may last, such as 30m.' },
    {
      name: 'invite-timeout',
      value: 'time',
      help: 'How long they have to accept, such as 10m (30s): a coding agent has to be asked first.',
    },
    { name: 'no-wait', help: 'Do not wait until others have accepted.' },
    { name: 'follow', help: 'Stay, and print what is said, until it ends.' },
  ],
  on: 'hub',
  acts: true,
  examples: [
    'parley open consulting --to bob "Does the export work?"',
    'parley open discussion --to bob,carol --knob rounds=2 --follow "When do we release?"',
    'parley open consulting --to reviewer --invite-timeout 10m "Is this diff safe?"',
    'parley open workflow --to triage,billing --graph support.yaml',
  ],
  json: '{"session", "warnings", "posted"}: its metadata, and of the first message {"seq", "turn"} or null. With --follow, a line for each envelope follows.',
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
    // It fails only with the client, of whose end the following tells.
    takeAll(session).catch(() => {});
    return followSession(client, session.id, io);
  }
  if (!io.isJson) sayNext(io, client, session);
  return EXIT.done;
}

/** What is followed is read: it does not wait for its reader any more, and nor does the end of the session. */
async function takeAll(session: Session): Promise<void> {
  for await (const _ of session);
}

/** Under one key: what is refused is refused before anybody is told to wait. */
async function openSession(client: AgentClient, type: string, options: OpenOptions, io: Io): Promise<Session> {
  if (options.wait !== 'active') return client.open(type, options);
  const key = systemIds.hex32();
  const session = await client.open(type, { ...options, key, wait: 'created' });
  io.note(`waiting for ${options.participants.join(', ')} to accept`);
  return client.open(type, { ...options, key }).then(() => session);
}

function sayNext(io: Io, { name }: AgentClient, { id }: Session): void {
  io.note(`parley show ${id}    what was said`);
  io.note(`parley inbox --as ${name}    what waits for you`);
}

async function openOptions({ positionals: args, lists, values, switches }: CommandArgs): Promise<OpenOptions> {
  const participants = parseNames(lists.to ?? []);
  if (participants.length === 0) {
    throw usageError('missing_option', '"open" needs --to: with whom', '"parley agents" shows who there is: --to a,b');
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
    const hint = 'Leave one of them out; "parley send" says it later.';
    throw usageError('wrong_option', '--no-wait: nothing can be said before others have accepted', hint);
  }
  return args.text === '-' ? readStdin() : args.text;
}

/** All of it, without the line end that a pipe leaves behind. */
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
    // Said below, like every other value.
  }
  throw invalidValueError('--invite-timeout', 'a duration such as 10m', text);
}

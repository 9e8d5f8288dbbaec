/** `parley show`: shows a session, now or at a past seq. */

import type { AgentClient } from '../../client/agent-client.ts';
import { WireError } from '../../core/lib/errors.ts';
import type { Result } from '../../core/protocol/operations/operations.ts';
import type { Envelope, Turn } from '../../core/records/session/envelope.ts';
import type { LifecycleState } from '../../core/records/session/session.ts';
import { withHub } from '../connecting/connect.ts';
import { findSession } from '../connecting/find-session.ts';
import { formatRelative } from '../terminal/columns.ts';
import { type Command, type CommandArgs, SESSION_ARGUMENT } from '../terminal/command.ts';
import { invalidValueError } from '../terminal/command-error.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { parseInteger } from '../terminal/parse-values.ts';
import { printable, printableLine } from '../terminal/printable.ts';
import { pendingActions } from '../transcript/pending-actions.ts';
import { Transcript } from '../transcript/transcript.ts';

export const show: Command = {
  name: 'show',
  summary: 'Show a session: transcript, state, and who must act next',
  details:
    'Without --as it shows all envelopes and requires the observe grant; with --as, the view of that participant.',
  args: [SESSION_ARGUMENT],
  options: [
    { name: 'as', value: 'name', help: 'Show it as this participant sees it' },
    { name: 'at', value: 'seq', help: 'Show it as of this seq (default: the latest)' },
  ],
  on: 'hub',
  examples: [
    ['Show the latest session', 'parley show last'],
    ['Show what bob saw at seq 17', 'parley show 3f2a --as bob --at 17'],
  ],
  json: '{"session", "state", "at_seq", "turn", "awaited", "envelopes"}; with --as {"view": {"messages", …}} instead of envelopes.',
  run(args, io) {
    const at = args.values.at === undefined ? null : parseInteger('--at', args.values.at, 1);
    return withHub(args, io, 'reader', async (client) => {
      const sessionId = await findSession(client, args.positionals.session ?? '');
      const shown = await look(client, sessionId, args, at);
      io.put(shown);
      if (!io.isJson) print(io, shown, args.values.as);
      return EXIT.done;
    });
  },
};

interface Shown {
  readonly session: Result<'get_session'>['session'];
  /** The lifecycle state at `at_seq`. */
  readonly state: string;
  readonly at_seq: number;
  readonly turn: Turn | null;
  readonly awaited: ReturnType<typeof pendingActions>;
  readonly unavailable: string | null;
  readonly envelopes?: readonly Envelope[];
  readonly view?: Result<'read_view'>;
}

async function look(
  client: AgentClient,
  session_id: string,
  { values }: CommandArgs,
  at: number | null,
): Promise<Shown> {
  const info = await client.call('get_session', { session_id });
  const { session, unavailable } = info;
  const at_seq = at ?? session.head_seq;
  if (at_seq > session.head_seq)
    throw invalidValueError('--at', `a seq of the session, at most ${session.head_seq}`, String(at_seq));
  const envelopes = await logUpTo(client, session_id, at_seq);
  const isNow = at_seq === session.head_seq;
  const turn = isNow ? info.turn : await turnAt(client, session_id, at_seq);
  const awaited = pendingActions(session, turn, envelopes, isNow);
  const about = { session, state: isNow ? session.state : stateAfter(envelopes), at_seq, turn, awaited, unavailable };
  if (values.as === undefined) return { ...about, envelopes };
  return { ...about, view: await client.call('read_view', { session_id, at_seq, participant: values.as }) };
}

async function logUpTo(client: AgentClient, sessionId: string, atSeq: number): Promise<readonly Envelope[]> {
  const envelopes: Envelope[] = [];
  for await (const envelope of client.session(sessionId).log({ pageSize: 500 })) {
    if (envelope.seq > atSeq) break;
    envelopes.push(envelope);
  }
  return envelopes;
}

/** The turn at a past seq, which only observers receive. null if nobody had it, or without the observe grant. */
async function turnAt(client: AgentClient, sessionId: string, atSeq: number): Promise<Turn | null> {
  return new Promise((resolve, reject) => {
    client
      .observe(sessionId, (envelope, { turn }) => void (envelope.seq === atSeq && resolve(turn)), {
        afterSeq: atSeq - 1,
      })
      .then(({ ended }) => ended.then(() => resolve(null)))
      .catch((thrown: unknown) => (isForbidden(thrown) ? resolve(null) : reject(thrown)));
  });
}

function isForbidden(thrown: unknown): boolean {
  return thrown instanceof WireError && thrown.code === 'forbidden';
}

function print(io: Io, shown: Shown, as: string | undefined): void {
  const { session, state, at_seq, awaited, envelopes = [], view, unavailable } = shown;
  const transcript = new Transcript(io.terminal, session);
  const isNow = at_seq === session.head_seq;
  const { paint } = io.terminal;
  const participants = session.participants.map(({ name, role, status }) => {
    return `${printableLine(name)} (${printableLine(role)}${status === 'active' ? '' : `, ${status}`})`;
  });
  const { type, version } = session.manifest;
  io.say(`${paint(session.session_id, 'bold')}  ${type} ${version}  ${state} at seq ${at_seq}`);
  io.say(`  with     ${participants.join(', ')}`);
  for (const [key, value] of Object.entries(session.labels)) io.say(printableLine(`  ${key.padEnd(8)} ${value}`));
  if (session.expires_at !== null && session.closed_at === null && isNow) io.say(`  until    ${session.expires_at}`);
  if (session.close_reason !== null && state === session.state)
    io.say(`  ended    ${printableLine(session.close_reason)}`);
  if (unavailable !== null) io.say(paint(`  unavailable: ${printableLine(unavailable)}`, 'red'));
  io.say('');
  for (const envelope of envelopes) for (const line of transcript.linesOf(envelope)) io.say(line);
  if (view !== undefined) printView(io, view, as ?? '');
  const words = awaited.map(({ name, what, due_at }) => {
    const due = due_at === null ? '' : `, due ${isNow ? formatRelative(due_at, Date.now()) : due_at}`;
    return `${printableLine(name)} ${printableLine(what)}${due}`;
  });
  const label = isNow ? 'awaited' : 'awaited then';
  io.say(words.length === 0 ? '' : `\n${paint(`${label}: ${words.join('; ')}`, 'yellow')}`);
}

function printView(io: Io, { view, messages, earlier }: Result<'read_view'>, as: string): void {
  io.say(io.terminal.paint(`as ${as} sees it (${view.name})${earlier === 0 ? '' : `, after ${earlier} more`}:`, 'dim'));
  for (const { role, content, seq } of messages) {
    const left = io.terminal.paint(`${String(seq ?? '').padStart(4)} ${role.padEnd(9)}`, 'dim');
    io.say(`${left} ${printable(content).replaceAll('\n', `\n${' '.repeat(15)}`)}`);
  }
}

const BEGUN: Readonly<Record<string, LifecycleState>> = {
  'session.created': 'INVITED',
  'session.opened': 'ACTIVE',
  'session.closing': 'CLOSING',
  'session.closed': 'CLOSED',
  'session.expired': 'EXPIRED',
};

function stateAfter(envelopes: readonly Envelope[]): LifecycleState {
  return envelopes.reduce<LifecycleState>((state, { event_type }) => BEGUN[event_type] ?? state, 'INVITED');
}

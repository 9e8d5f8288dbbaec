/** `parley tail`: follows a session, or all live sessions. */

import type { AgentClient } from '../../client/agent-client.ts';
import { asError } from '../../core/lib/errors.ts';
import type { ForwardedDelta } from '../../core/protocol/frames/frames.ts';
import { withHub } from '../connecting/connect.ts';
import { allSessions, findSession } from '../connecting/find-session.ts';
import type { Command } from '../terminal/command.ts';
import { CommandError } from '../terminal/command-error.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { type Io, waitForInterrupt } from '../terminal/io.ts';
import { Transcript } from '../transcript/transcript.ts';

/** Interval of the search for new sessions. */
const LOOK_MS = 1_000;
/** Maximum number of observations of a connection. */
const MAX_SESSIONS = 200;

export const tail: Command = {
  name: 'tail',
  summary: 'Follow a session, or all live sessions, as they happen',
  details: 'Runs until the session ends, or Ctrl-C. Requires the observe grant.',
  args: [
    { name: 'session', help: 'Session id, a part of it, or "last" (default: all live sessions)', isOptional: true },
  ],
  options: [
    { name: 'all', help: 'Print the session from its beginning' },
    { name: 'deltas', help: 'With --json, include live fragments of text' },
  ],
  on: 'hub',
  examples: [
    ['Follow all live sessions', 'parley tail'],
    ['Follow the latest session from its beginning', 'parley tail last --all'],
    ['Print only texts', 'parley tail --json | jq .envelope.event_data.text'],
  ],
  json: 'One line per envelope: {"envelope", "turn"}; with --deltas also {"delta"}.',
  run(args, io) {
    const deltas = args.switches.has('deltas');
    return withHub(args, io, 'reader', async (client) => {
      if (args.positionals.session === undefined) return new LiveSessions(client, io, deltas).watch();
      const sessionId = await findSession(client, args.positionals.session);
      const { session } = await client.call('get_session', { session_id: sessionId });
      const afterSeq = args.switches.has('all') ? 0 : session.head_seq;
      return followSession(client, sessionId, io, { afterSeq, deltas });
    });
  },
};

/** Follows all live sessions, including new ones. */
class LiveSessions {
  private readonly client: AgentClient;
  private readonly io: Io;
  private readonly deltas: boolean;
  private readonly watched = new Set<string>();
  private isFirst = true;

  constructor(client: AgentClient, io: Io, deltas: boolean) {
    this.client = client;
    this.io = io;
    this.deltas = deltas;
  }

  async watch(): Promise<number> {
    let timer: NodeJS.Timeout | undefined;
    const failed = new Promise<never>((_, reject) => {
      const look = (): void => {
        this.look().then(() => {
          timer = setTimeout(look, LOOK_MS);
        }, reject);
      };
      look();
    });
    try {
      const end = await Promise.race([failed, this.client.closed, waitForInterrupt().then(() => null)]);
      return end === null ? EXIT.done : EXIT.unreachable;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Adds new live sessions. A session that appears later is printed from its beginning. */
  private async look(): Promise<void> {
    const live = { states: ['INVITED', 'ACTIVE', 'CLOSING'] as const };
    for await (const { session_id } of allSessions(this.client, live, MAX_SESSIONS)) {
      if (!this.watched.has(session_id) && this.watched.size < MAX_SESSIONS) await this.add(session_id);
    }
    if (this.isFirst) this.io.note(`watching ${this.watched.size} live sessions and new ones; press Ctrl-C to stop`);
    this.isFirst = false;
  }

  private async add(sessionId: string): Promise<void> {
    this.watched.add(sessionId);
    const { io } = this;
    const { session } = await this.client.call('get_session', { session_id: sessionId });
    const transcript = new Transcript(io.terminal, session);
    const label = io.terminal.paint(`${sessionId.slice(-6)} `, 'dim');
    const observation = await this.client
      .observe(
        sessionId,
        (envelope, { turn }) => {
          io.put({ envelope, turn });
          for (const line of transcript.linesOf(envelope)) io.say(`${label}${line}`);
        },
        {
          ...(this.isFirst ? {} : { afterSeq: 0 }),
          ...(this.deltas ? { onDelta: (delta: ForwardedDelta) => io.put({ delta }) } : {}),
        },
      )
      .catch((thrown: unknown) => {
        const hint = 'Pass a token with the grant observe: "--token".';
        throw new CommandError('notAllowed', 'forbidden', asError(thrown).message, hint);
      });
    void observation.ended.then(() => this.watched.delete(sessionId));
  }
}

interface FollowOptions {
  /** The seq after which to follow; 0 for the beginning (default). */
  readonly afterSeq?: number;
  readonly deltas?: boolean;
}

export async function followSession(
  client: AgentClient,
  sessionId: string,
  io: Io,
  { afterSeq = 0, deltas = false }: FollowOptions = {},
): Promise<number> {
  const { session } = await client.call('get_session', { session_id: sessionId });
  const transcript = new Transcript(io.terminal, session);
  const observation = await client.observe(
    sessionId,
    (envelope, { turn }) => {
      io.put({ envelope, turn });
      for (const line of transcript.linesOf(envelope)) io.say(line);
      const next = transcript.turnOf(turn);
      if (next !== '' && turn?.since_seq === envelope.seq) io.say(io.terminal.paint(`      ▸ ${next}`, 'dim'));
    },
    { afterSeq, ...(deltas ? { onDelta: (delta: ForwardedDelta) => io.put({ delta }) } : {}) },
  );
  const over = await Promise.race([observation.ended, client.closed, waitForInterrupt().then(() => null)]);
  observation.stop();
  if (over === null || over.by === 'session' || over.by === 'caller') return EXIT.done;
  if (over.by === 'refusal') throw over.error;
  return EXIT.unreachable;
}

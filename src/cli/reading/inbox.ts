/** `parley inbox`: lists invites, turns and new messages that wait for the caller. */

import type { AgentClient } from '../../client/agent-client.ts';
import type { Result } from '../../core/protocol/operations/operations.ts';
import { type Envelope, isContent } from '../../core/records/session/envelope.ts';
import { withHub } from '../connecting/connect.ts';
import type { Command } from '../terminal/command.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { Transcript } from '../transcript/transcript.ts';

type Info = Result<'get_session'>;
type Why = 'invite' | 'turn' | 'news';

/** The messages that wait for the caller in one session. */
interface Waiting {
  readonly session_id: string;
  readonly type: string;
  readonly why: Why;
  /** The last 50 messages since the caller's own latest one, oldest first. */
  readonly envelopes: readonly Envelope[];
}

const MAX_ENVELOPES = 50;

export const inbox: Command = {
  name: 'inbox',
  summary: 'List invites, turns and new messages waiting for you',
  details:
    'New messages are those since your own latest one. Listing does not ack anything: use "parley join" to accept invites and take part.',
  on: 'hub',
  acts: true,
  examples: [
    ['List what waits for you', 'parley inbox'],
    ['Check for bob in a script', 'parley inbox --as bob --json'],
  ],
  json: 'One line per session: {"session_id", "type", "why": "invite" | "turn" | "news", "envelopes"}.',
  run(args, io) {
    return withHub(args, io, 'speaker', async (client) => {
      let count = 0;
      for await (const { session_id } of client.sessions({ states: ['INVITED', 'ACTIVE', 'CLOSING'] })) {
        const info = await client.call('get_session', { session_id });
        const waiting = await waitingIn(client, info);
        if (waiting === null) continue;
        count += 1;
        io.put(waiting);
        if (!io.isJson) print(io, info, waiting);
      }
      if (count === 0) io.say(`nothing waits for ${client.name}`);
      return EXIT.done;
    });
  },
};

async function waitingIn(client: AgentClient, { session, turn }: Info): Promise<Waiting | null> {
  const { session_id, manifest, participants } = session;
  const { type } = manifest;
  const own = participants.find(({ agent_id }) => agent_id === client.agentId);
  if (own?.status === 'invited') return { session_id, type, why: 'invite', envelopes: [] };
  if (own?.status !== 'active' && own?.status !== 'hidden') return null;
  const envelopes = await newsOf(client, session_id);
  if (turn?.agent_id === client.agentId) return { session_id, type, why: 'turn', envelopes };
  return envelopes.length === 0 ? null : { session_id, type, why: 'news', envelopes };
}

async function newsOf(client: AgentClient, sessionId: string): Promise<readonly Envelope[]> {
  const news: Envelope[] = [];
  for await (const envelope of client.session(sessionId).log({ reverse: true, pageSize: MAX_ENVELOPES })) {
    if (envelope.sender_id === client.agentId || news.length === MAX_ENVELOPES) break;
    if (isContent(envelope.event_type)) news.unshift(envelope);
  }
  return news;
}

const WORDS: { readonly [W in Why]: string } = { invite: 'you are invited', turn: 'it is your turn', news: 'news' };

function print(io: Io, { session }: Info, { session_id, type, why, envelopes }: Waiting): void {
  const transcript = new Transcript(io.terminal, session);
  io.say(`${session_id}  ${type}  ${io.terminal.paint(WORDS[why], why === 'news' ? 'dim' : 'yellow')}`);
  for (const envelope of envelopes) for (const line of transcript.linesOf(envelope)) io.say(line);
}

/** Prints every envelope of a session as it comes, until it has ended. */

import type { AgentClient } from '../../client/agent-client.ts';
import type { ForwardedDelta } from '../../core/protocol/frames/frame-codec.ts';
import { EXIT } from '../../cli/terminal/exit-codes.ts';
import { interrupted } from './interrupted.ts';
import type { Io } from '../../cli/terminal/io.ts';
import { Transcript } from '../../cli/transcript/transcript.ts';

export interface FollowOptions {
  /** 0 = from its beginning; without it, from now on. */
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
  const over = await Promise.race([observation.ended, client.closed, interrupted().then(() => null)]);
  observation.stop();
  if (over === null || over.by === 'session' || over.by === 'caller') return EXIT.done;
  if (over.by === 'refusal') throw over.error;
  return EXIT.unreachable;
}

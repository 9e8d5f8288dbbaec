/** Who plays in the scenes: three agents and whoever runs the hub, and the book that what they show is written in. */

import { GRANTS, type Grant } from '../../src/core/records/access/grants.ts';
import { GoldenBook } from './golden-book.ts';
import type { Stage } from './stage.ts';
import type { Exchange, Frame, WirePeer } from './wire-peer.ts';

export interface Cast {
  readonly stage: Stage;
  readonly book: GoldenBook;
  readonly agentToken: string;
  readonly alice: WirePeer;
  readonly bob: WirePeer;
  readonly carol: WirePeer;
  readonly ops: WirePeer;
}

/** They join; how the first does it is shown. */
export async function joined(stage: Stage): Promise<Cast> {
  const book = new GoldenBook();
  const agentToken = await stage.token('agents', ['enrol']);
  const operatorToken = await stage.token('operator', Object.keys(GRANTS) as Grant[]);
  const alice = await stage.peer();
  book.frame('hello', alice.hello('alice', agentToken));
  book.frame('error', await alice.nextOf('error'));
  book.operation(await alice.ask('register', { name: 'alice', model: 'm-1' }));
  book.frame('welcome', await alice.nextOf('welcome'));
  book.frame('ping', { kind: 'ping' });
  book.frame('pong', await alice.settled());
  const join = async (name: string, token: string): Promise<WirePeer> => {
    const peer = await stage.peer();
    peer.hello(name, token);
    await peer.nextOf('error');
    await peer.ask('register', { name });
    return peer;
  };
  const bob = await join('bob', agentToken);
  const carol = await join('carol', agentToken);
  return { stage, book, agentToken, alice, bob, carol, ops: await join('ops', operatorToken) };
}

export function resultOf({ response }: Exchange): Frame {
  if (response.ok !== true) throw new Error(`refused: ${JSON.stringify(response)}`);
  return response.result as Frame;
}

/** Opens a session whose invitees accept at once; its id. */
export async function opened(
  creator: WirePeer,
  type: string,
  invitees: Readonly<Record<string, WirePeer>>,
): Promise<string> {
  const request = creator.request('create_session', { type, participants: Object.keys(invitees) });
  for (const invitee of Object.values(invitees)) {
    const { envelope } = await invitee.event('session.invite');
    const { session_id } = envelope as { session_id: string };
    await invitee.ask('ack_invite', { session_id });
  }
  const response = await creator.response(request);
  const { session } = resultOf({ request, response }) as unknown as { session: { session_id: string } };
  for (const one of [creator, ...Object.values(invitees)]) await one.event('session.opened');
  return session.session_id;
}

export const said = (session_id: string, text: string, more: object = {}): object => ({
  session_id,
  event_type: 'msg.text',
  event_data: { text },
  ...more,
});

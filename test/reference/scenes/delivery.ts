/** What happens to deliveries: nacked, missed, observed, shown early, and taken over. */

import { type Cast, opened, said } from '../cast.ts';
import type { Frame } from '../wire-peer.ts';

export async function delivery(cast: Cast): Promise<void> {
  const { book, alice, bob, ops, stage } = cast;
  const session_id = await opened(alice, 'conversation', { bob });
  await bob.settled();
  bob.acks = false;
  await alice.ask('post', said(session_id, 'Can you hear me?'));
  const first = await bob.event('msg.text');
  book.frame('receipt nack', bob.receipt(first, 'nack', { reason: 'no memory' }));
  await bob.settled();
  stage.pass(1);
  const again = book.frame('notify again', await bob.event('msg.text'));
  bob.receipt(again, 'ack');
  await bob.settled();

  book.operation(await ops.ask('subscribe', { session_id }));
  const delta = {
    kind: 'delta',
    session_id,
    sender_id: alice.agentId,
    turn_id: 't1',
    audience: null,
    index: 0,
    text: 'I wo',
  };
  book.frame('delta', alice.send(delta));
  book.frame('delta forwarded', await bob.nextOf('delta'));
  await alice.ask('post', said(session_id, 'I wonder.', { causation_id: 't1' }));
  book.frame('notify observed', await ops.next(({ observed }) => observed === true));
  book.operation(await ops.ask('unsubscribe', { session_id }));
  await comesBack(cast, await bob.event('msg.text'));
}

/** Bob missed something that ran out of its time, says where it is, and is taken over. */
async function comesBack({ book, alice, bob, stage, agentToken }: Cast, last: Frame): Promise<void> {
  const { session_id, seq } = last.envelope as { session_id: string; seq: number };
  bob.receipt(last, 'ack');
  await bob.settled();
  await bob.close();
  await alice.ask('post', said(session_id, 'Quick!', { ttl_seconds: 1 }));
  stage.pass(2);
  await alice.ask('post', said(session_id, 'Too late.'));
  const back = await stage.peer();
  book.frame(
    'hello to resume',
    back.hello('bob', agentToken, { resume: { [session_id]: { seq, epoch: last.epoch } } }),
  );
  book.frame('gap', await back.nextOf('gap'));
  await back.event('msg.text');
  const elsewhere = await stage.peer();
  elsewhere.hello('bob', agentToken);
  book.frame('goodbye replaced', await back.nextOf('goodbye'));
  await elsewhere.nextOf('welcome');
  const told = elsewhere.nextOf('goodbye');
  await stage.close();
  book.frame('goodbye', await told);
}

/** A session from its invite to its end: said, delivered, read, refused. */

import { type Cast, resultOf, said } from '../cast.ts';

export async function aSession(cast: Cast): Promise<void> {
  const { book, alice, bob, carol } = cast;
  const create = {
    type: 'conversation',
    participants: ['bob'],
    wait: 'created',
    intent: 'lunch',
    idempotency_key: 'k1',
  };
  const made = book.operation(await alice.ask('create_session', create));
  const { session_id } = (resultOf(made) as unknown as { session: { session_id: string } }).session;
  book.frame('notify of an invite', await bob.event('session.invite'));
  book.refusal(await bob.ask('post', said(session_id, 'Too early.')));
  book.operation(await bob.ask('ack_invite', { session_id }));
  for (const one of [alice, bob]) await one.event('session.opened');
  book.operation(await alice.ask('get_session', { session_id }));
  book.operation(await alice.ask('list_sessions', { states: ['ACTIVE'] }));
  book.operation(await alice.ask('can_send', { session_id }));

  const asked = alice.request('post', said(session_id, 'Soup?', { idempotency_key: 'k2' }));
  book.frame('request', asked);
  book.frame('response', await alice.response(asked));
  book.operation(await alice.ask('post', said(session_id, 'Or rice?', { idempotency_key: 'k3' })));
  await bob.event('msg.text');
  const notify = book.frame('notify', await bob.event('msg.text'));
  book.frame('receipt', bob.receipt(notify, 'ack'));
  await bob.settled();
  book.operation(await bob.ask('read_log', { session_id, from_seq: 5, limit: 1 }));
  book.operation(await bob.ask('read_view', { session_id, view: { name: 'full_transcript' } }));
  book.refusal(await bob.ask('read_view', { session_id }));
  await refusals(cast, session_id);

  book.operation(await alice.ask('close_session', { session_id, reason: 'done' }));
  for (const one of [alice, bob]) await one.event('session.closed');
  book.refusal(await alice.ask('post', said(session_id, 'One more thing.')));
  await carol.settled();
}

async function refusals({ book, alice, bob, stage }: Cast, session_id: string): Promise<void> {
  book.refusal(await alice.ask('post', said(session_id, 'Bread?', { idempotency_key: 'k3' })));
  book.refusal(await alice.ask('post', { ...said(session_id, 'Bread?'), event_type: 7 }));
  const create = { type: 'conversation', participants: ['bob'] };
  book.refusal(await alice.ask('create_session', { ...create, labels: { note: 'z'.repeat(1200) } }));
  book.refusal(await alice.ask('create_session', { ...create, type: 'quiz' }));
  const asked = alice.request('create_session', create, { deadline_ms: 1000 });
  const { envelope } = await bob.event('session.invite');
  stage.pass(1);
  book.refusal({ request: asked, response: await alice.response(asked) });
  book.operation(
    await bob.ask('reject_invite', { session_id: (envelope as { session_id: string }).session_id, reason: 'busy' }),
  );
  await alice.event('session.closed');
}

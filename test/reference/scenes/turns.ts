/** A discussion: turns, who comes and goes, who is taken out. */

import { type Cast, opened, said } from '../cast.ts';

export async function turns({ book, alice, bob, carol, ops }: Cast): Promise<void> {
  const session_id = await opened(alice, 'discussion', { bob, carol });
  book.refusal(await bob.ask('post', said(session_id, 'Me first.')));
  book.operation(await alice.ask('pending_turns', {}));
  book.operation(await alice.ask('report_progress', { session_id, note: 'reading' }));
  book.operation(await alice.ask('report_turn_failure', { session_id, reason: 'the model is down' }));
  await alice.ask('post', said(session_id, 'What do we build?'));
  book.frame('notify with a turn', await bob.event('msg.text'));
  book.operation(await ops.ask('hide_participant', { session_id, participant: 'bob', reason: 'too slow' }));
  await bob.event('session.participant.hidden');
  book.operation(await bob.ask('return_to_session', { session_id }));
  await bob.event('session.participant.returned');
  book.operation(await alice.ask('add_participant', { session_id, participant: 'ops' }));
  await ops.event('session.invite');
  await ops.ask('ack_invite', { session_id });
  book.operation(await ops.ask('leave_session', { session_id }));
  await alice.event('session.participant.removed');
  book.operation(await ops.ask('remove_participant', { session_id, participant: 'bob' }));
  await alice.event('session.participant.removed');
  await alice.ask('close_session', { session_id });
  await alice.event('session.closed');
}

export async function limits({ book, bob, carol }: Cast): Promise<void> {
  const session_id = await opened(carol, 'conversation', { bob });
  await carol.ask('set_rule', { rule: { limits: { rate: { per_minute: 60, burst: 1 } } } });
  await carol.ask('post', said(session_id, 'One.'));
  book.refusal(await carol.ask('post', said(session_id, 'Two.')));
  await bob.event('msg.text');
  await bob.ask('close_session', { session_id });
  for (const one of [bob, carol]) await one.event('session.closed');
}

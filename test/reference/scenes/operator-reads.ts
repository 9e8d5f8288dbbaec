/** What somebody who looks after a hub asks for. */

import { type Cast, opened, said } from '../cast.ts';

export async function lookingAfter({ stage, book, alice, bob, ops }: Cast): Promise<void> {
  const session_id = await opened(alice, 'conversation', { bob });
  await alice.ask('post', said(session_id, 'Soup?'));
  await bob.event('msg.text');
  stage.pass(1);
  book.operation(await ops.ask('whoami', {}));
  book.operation(await alice.ask('list_types', {}));
  book.operation(await alice.ask('describe_sessions', { session_ids: [session_id] }));
  book.operation(await bob.ask('read_state', { session_id, at_seq: 4 }));
  const then = { name: 'terminate', args: { reason: 'done' } };
  const transitions = [{ when: { name: 'always', args: {} }, then }];
  book.operation(await alice.ask('check_graph', { graph: { initial_speaker: 'bob', transitions } }));
  book.operation(await ops.ask('hub_figures', {}));
  book.operation(await ops.ask('read_feed', { limit: 2 }));
  book.operation(await alice.ask('get_agent', { agent: 'bob' }));
}

/** Identities: their profiles, skills, rules and tokens. */

import { type Cast, resultOf } from '../cast.ts';

export async function identities({ book, alice, bob, carol, ops, stage, agentToken }: Cast): Promise<void> {
  book.operation(await alice.ask('health', {}));
  book.operation(await alice.ask('list_agents', { limit: 2 }));
  book.operation(await bob.ask('set_resume', { claimed_capabilities: ['review'], summary: 'I read code.' }));
  book.operation(await alice.ask('get_resume', { agent: 'bob' }));
  book.operation(await alice.ask('find_agent', { capability: 'review' }));
  book.operation(await bob.ask('set_skill', { text: '---\nname: bob\n---\nAsk one thing at a time.' }));
  book.operation(await alice.ask('get_skill', { agent: 'bob' }));
  book.operation(await carol.ask('set_rule', { rule: { limits: { delegation_depth: 2 } } }));
  book.operation(await carol.ask('get_rule', {}));
  book.refusal(await alice.ask('set_rule', { agent: 'bob', rule: {} }));
  book.refusal(await alice.ask('set_resume', { summary: 'Me.', expected_version: 7 }));
  book.refusal(await alice.ask('get_resume', { agent: 'nobody' }));

  const made = book.operation(await ops.ask('create_token', { label: 'for dora', name: 'dora', ttl: '30d' }));
  const { token, token_id } = resultOf(made) as unknown as { token: string; token_id: string };
  book.operation(await ops.ask('list_tokens', { limit: 1 }));
  const dora = await stage.peer();
  dora.hello('dora', token);
  await dora.nextOf('error');
  await dora.ask('register', { name: 'dora' });
  book.operation(await ops.ask('revoke_token', { token_id }));
  book.frame('goodbye unauthorized', await dora.nextOf('goodbye'));
  await dora.close();

  const emil = await stage.peer();
  emil.hello('emil', agentToken);
  await emil.nextOf('error');
  await emil.ask('register', { name: 'emil' });
  book.operation(await emil.ask('unregister', {}));
  await emil.close();

  const stranger = await stage.peer();
  book.refusal(await stranger.ask('list_agents', {}));
  stranger.send({ kind: 'hello', protocol: 2, name: 'alice', auth: { scheme: 'token', token: 'none' } });
  book.frame('error of a version', await stranger.nextOf('error'));
  await stranger.close();
}

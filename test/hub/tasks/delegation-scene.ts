/** Openings for tests of delegation: a parent, a prompt, and a target. */

import type { DelegateAnswer, DelegationOpened, Envelope, Params } from 'parley-hub/core';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { aCast, logOf, opened, text } from '../scene.ts';

/** alice and bob in a conversation; carol and dave are registered. */
export async function aParent(more: Partial<Params<'create_session'>> = {}, options: Parameters<typeof aCast>[2] = {}) {
  const { world, alice, bob, carol, dave } = await aCast(['alice', 'bob', 'carol', 'dave'], {}, options);
  const id = await opened(world, alice, [bob], more);
  return { world, alice, bob, carol, dave, id };
}

/** Starts a delegation without waiting. */
export function delegates(
  peer: Peer,
  session_id: string,
  target: string,
  more: Partial<Params<'delegate'>> = {},
): Promise<DelegateAnswer> {
  const call = peer.call('delegate', { session_id, target, prompt: 'Is it done?', ...more });
  // The caller sees a refusal when it awaits.
  call.catch(() => {});
  return call;
}

/** Starts a delegation and waits until its child exists. */
export async function delegated(
  world: World,
  peer: Peer,
  session_id: string,
  target: string,
  more: Partial<Params<'delegate'>> = {},
): Promise<DelegateAnswer & { readonly child: string }> {
  const answer = await world.answer(delegates(peer, session_id, target, { wait: 'opened', ...more }));
  if (answer.child_session_id === null) throw new Error(`no child: ${JSON.stringify(answer)}`);
  return { ...answer, child: answer.child_session_id };
}

/** The newest session this peer was invited to. */
export function invitedTo(peer: Peer): string {
  const invites = peer.notifies().filter(({ envelope }) => envelope.event_type === 'session.invite');
  const newest = invites.at(-1);
  if (newest === undefined) throw new Error('nobody was invited');
  return newest.envelope.session_id;
}

/** Joins the child and replies to its prompt. */
export async function answers(world: World, peer: Peer, words: string, more: object = {}, child = invitedTo(peer)) {
  await world.answer(peer.call('ack_invite', { session_id: child }));
  const event_data = { text: words, ...more };
  await world.answer(peer.call('post', text(child, words, { event_data })));
  return child;
}

/** The delegation envelopes in the log of the parent. */
export function accounts(world: World, session_id: string): readonly Envelope[] {
  return logOf(world.store, session_id).filter(({ event_type }) => event_type.startsWith('delegation.'));
}

export function reservation(world: World, session_id: string): DelegationOpened {
  const envelope = accounts(world, session_id).find(({ event_type }) => event_type === 'delegation.opened');
  if (envelope === undefined) throw new Error('nothing was delegated');
  return envelope.event_data as unknown as DelegationOpened;
}

/** `open alice→carol` and `replied`, by name. */
export function account(world: World, session_id: string, ...peers: readonly (readonly [string, Peer])[]) {
  return accounts(world, session_id).map(({ event_type, event_data }) => {
    const line =
      event_type === 'delegation.opened'
        ? `open ${String(event_data.agent_id)}→${String(event_data.target_id)}`
        : String(event_data.outcome);
    return peers.reduce((known, [name, { agentId }]) => known.replaceAll(agentId, name), line);
  });
}

/** Outcomes with their reasons, in the order of settlement. */
export function outcomes(world: World, session_id: string): readonly string[] {
  return accounts(world, session_id)
    .filter(({ event_type }) => event_type === 'delegation.settled')
    .map(({ event_data: { outcome, reason } }) => `${String(outcome)} ${String(reason)}`);
}

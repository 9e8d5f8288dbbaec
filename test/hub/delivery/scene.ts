/** Inboxes that fill up: a recipient that acks nothing, and posts to it. */

import type { Rule } from 'parley-hub/core';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { say } from '../scene.ts';

export type Inbox = Partial<Rule['limits']['inbox']>;

/** From now on bob has this inbox rule and acks nothing. */
export async function silenced<Scene extends { world: World; bob: Peer }>(scene: Scene, inbox: Inbox): Promise<Scene> {
  const { world, bob } = scene;
  await world.answer(world.hub.grant('bob', ['rules']));
  await world.answer(bob.call('set_rule', { rule: { limits: { inbox } } }));
  bob.acks = false;
  return scene;
}

/** The seqs of `count` posts. */
export async function fill(world: World, by: Peer, id: string, count: number, more: object = {}): Promise<number[]> {
  const seqs: number[] = [];
  for (let i = 0; i < count; i++) seqs.push((await say(world, by, id, `m${i}`, more)).seq);
  return seqs;
}

export const errorsOf = (peer: Peer) => peer.frames.filter(({ kind }) => kind === 'error');

/** `prev → seq` of a stream. */
export const chain = (peer: Peer, id: string) =>
  peer.notifies(id).map(({ prev_seq, envelope }) => `${prev_seq}→${envelope.seq}`);

export const wordsOf = (peer: Peer, id: string) =>
  peer.notifies(id).flatMap(({ envelope }) => (envelope.event_type === 'msg.text' ? [envelope.event_data.text] : []));

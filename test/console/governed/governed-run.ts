/** A governed run in a real hub: alice is the runner, bob holds dev, dave may approve. */

import type { AgentClient, LocalHub } from 'parley-hub';
import type { JsonObject, RoundDraft } from 'parley-hub/core';
import type { Turn } from 'parley-hub/governed';
import { readRun } from 'parley-hub/governed/session';
import { acceptance, CONFIG, resultOf, said } from '../../adapters/governed/governed-scene.ts';

export interface GovernedRun {
  readonly id: string;
  readonly alice: AgentClient;
  readonly dave: AgentClient;
  post(by: AgentClient, draft: RoundDraft): Promise<number>;
  /** Dispatches a turn and accepts its result. */
  turn(turnId: string, role: string, more?: object, files?: readonly object[]): Promise<number>;
  /** Dispatches a turn. */
  out(turnId: string, role: string): Promise<void>;
}

export async function governedRun(hub: LocalHub, config: JsonObject = CONFIG): Promise<GovernedRun> {
  const alice = await hub.agent('alice');
  const bob = await hub.agent('bob');
  const dave = await hub.agent('dave');
  // An agent that reads nothing fills its inbox.
  for (const reader of [bob, dave]) reader.handle({ onMessage: () => {} });
  await hub.grant('dave', ['approve']);
  const { id } = await alice.open('governed', {
    participants: ['bob', 'dave'],
    knobs: { config, roles: { dev: 'bob' } },
  });
  const post = async (by: AgentClient, { event_type, event_data }: RoundDraft): Promise<number> =>
    (await by.call('post', { session_id: id, event_type, event_data })).seq;
  const out = async (turn_id: string, role: string): Promise<void> => {
    await post(alice, said('turn.assigned', { turn_id, role }));
    await post(alice, said('turn.dispatched', { turn_id }));
  };
  await post(alice, said('run.initialized', { run_id: 'run_1' }));
  return {
    id,
    alice,
    dave,
    post,
    out,
    async turn(turnId, role, more = {}, files = []) {
      await out(turnId, role);
      const raw = resultOf({ turn_id: turnId, assigned_role: role, runtime_id: 'manual' } as Turn, more);
      // The holder submits before the runner accepts.
      if (role === 'dev') await post(bob, said('turn.result', { turn_id: turnId, attempt: 1, result: raw }));
      const { session } = await alice.call('get_session', { session_id: id });
      const { state } = readRun(session, await wholeLog(alice, id));
      return post(alice, acceptance(session, state, turnId, raw, { files }));
    },
  };
}

async function wholeLog(by: AgentClient, session_id: string) {
  const all = [];
  for (let from_seq: number | null = 1; from_seq !== null; ) {
    const page: Awaited<ReturnType<typeof by.call<'read_log'>>> = await by.call('read_log', {
      session_id,
      from_seq,
      limit: 1_000,
    });
    all.push(...page.envelopes);
    from_seq = page.next;
  }
  return all;
}

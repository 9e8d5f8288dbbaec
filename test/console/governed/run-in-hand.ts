/** A governed run at a real hub, driven by a test as its runner. */

import type { AgentClient } from 'parley-hub';
import type { JsonObject, RoundDraft } from 'parley-hub/core';
import { readRun } from 'parley-hub/governed/session';
import { acceptance, CONFIG, PLAN, resultOf, said } from '../../adapters/governed/governed-scene.ts';

export interface GovernedRun {
  readonly id: string;
  say(draft: RoundDraft): Promise<void>;
  /** Dispatches a turn to the role. */
  out(turnId: string, role: string): Promise<void>;
  /** Accepts the turn with a valid result, changed by `more`. */
  accept(turnId: string, more?: object): Promise<void>;
  status(): Promise<string>;
}

export async function governedRun(
  runner: AgentClient,
  others: readonly string[],
  options: {
    readonly roles?: Readonly<Record<string, string>>;
    readonly intent?: string;
    /** Accepts the invites of people. */
    readonly join?: (sessionId: string) => Promise<unknown>;
  } = {},
): Promise<GovernedRun> {
  const { roles = {}, intent = 'Build it under rules', join = async () => {} } = options;
  const knobs = { config: CONFIG as JsonObject, roles };
  const labels = { intent };
  const session = await runner.open('governed', { participants: [...others], knobs, labels, wait: 'created' });
  await join(session.id);
  const read = async () => {
    const { session: metadata } = await session.info();
    const { envelopes } = await runner.call('read_log', { session_id: session.id, limit: 1000 });
    return { metadata, state: readRun(metadata, envelopes).state };
  };
  const run: GovernedRun = {
    id: session.id,
    async say({ event_type, event_data }) {
      await session.send({ event_type, event_data });
    },
    async out(turn_id, role) {
      await run.say(said('turn.assigned', { turn_id, role }));
      await run.say(said('turn.dispatched', { turn_id, prompt: `Do ${turn_id}.` }));
    },
    async accept(turnId, more = {}) {
      const { metadata, state } = await read();
      const turn = state.run.active_turns[turnId];
      if (turn === undefined) throw new Error(`${turnId} is not active`);
      await run.say(acceptance(metadata, state, turnId, resultOf(turn, more), { files: [PLAN] }));
    },
    status: async () => (await read()).state.run.status,
  };
  await run.say(said('run.initialized', { run_id: 'run_1' }));
  return run;
}

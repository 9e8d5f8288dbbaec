/** Governed runs in a history: one client runs them, others hold roles, and all try the next step. */

import type { GovernedState } from 'parley-hub/adapters/governed';
import { governedDrafts } from '../adapters/governed/governed-drafts.ts';
import { CONFIG } from '../adapters/governed/governed-scene.ts';
import { ask, op, type SimOperation } from './sim-operation.ts';
import type { Simulation } from './simulation.ts';

export const governedOperations: readonly SimOperation[] = [
  op('open a governed run', 2, openRun),
  op('go on with a governed run', 14, goOn),
  op('let somebody approve', 1, letApprove),
];

/** A history does not wait for 90 days. */
function openRun(sim: Simulation): string | false {
  const known = sim.clients.filter(({ bound, agentId }) => bound && agentId !== null);
  const [runner, dev, qa = dev] = known;
  if (runner === undefined || dev === undefined || qa === undefined) return false;
  const knobs = { config: CONFIG, roles: { dev: dev.name, qa: qa.name } };
  const participants = known.slice(1).map(({ name }) => name);
  return ask(runner, 'create_session', { type: 'governed', participants, knobs, wait: 'created', ttl: '2h' });
}

/** Mostly by an allowed sender, sometimes by any. */
function goOn(sim: Simulation): string | false {
  const { random } = sim;
  const runs = [...sim.model.sessions].flatMap(([session, { states }]) => {
    const state = states.at(-1);
    const isRun = state?.metadata.state === 'ACTIVE' && state.metadata.manifest.type === 'governed';
    return isRun ? [{ session, state }] : [];
  });
  if (runs.length === 0) return false;
  const { session, state } = random.pick(runs);
  const { metadata } = state;
  const there = sim.clients.filter(({ bound, agentId }) => bound && Object.hasOwn(state.head.members, agentId ?? ''));
  const anybody = metadata.participants[0];
  if (there.length === 0 || anybody === undefined) return false;
  // The model folds with the adapter of the session.
  const run = state.adapter_state as GovernedState;
  const drafts = governedDrafts({ metadata, state: run, sender: anybody, random });
  const draft = random.pick(drafts);
  const turn = run.run.active_turns[String(draft.event_data.turn_id)];
  const roles = metadata.knobs.roles as Readonly<Record<string, string>>;
  const holder = draft.event_type === 'turn.result' ? roles[turn?.assigned_role ?? ''] : undefined;
  const wanted = there.find(({ agentId }) => agentId === (holder ?? metadata.knobs.runner));
  const client = wanted === undefined || random.chance(0.1) ? random.pick(there) : wanted;
  sim.count(`governed: ${draft.event_type}`);
  return ask(client, 'post', { session_id: session, ...draft, idempotency_key: `g${random.below(1_000_000)}` });
}

function letApprove(sim: Simulation): string | false {
  const known = sim.clients.filter(({ agentId }) => agentId !== null);
  if (known.length === 0) return false;
  const { name } = sim.random.pick(known);
  sim.operate((hub) => hub.grant(name, ['approve']));
  return `grant approve to ${name}`;
}

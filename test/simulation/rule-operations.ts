/** Operations of access rules: grants, limits set and lifted, and clients that post too much. */

import type { SimClient } from './sim-client.ts';
import { ask, op, type SimOperation } from './sim-operation.ts';
import type { Simulation } from './simulation.ts';

export const ruleOperations: readonly SimOperation[] = [
  op('grant rules', 1.5, grantRules),
  op('tighten a rule', 2, tighten),
  op('limit an inbox', 3, limitInbox),
  op('lift all limits', 4, lift),
  op('flood', 4, flood),
];

function grantRules(sim: Simulation): string | false {
  const known = sim.clients.filter(({ agentId }) => agentId !== null && !sim.rulers.has(agentId));
  if (known.length === 0) return false;
  const { name, agentId } = sim.random.pick(known);
  sim.operate((hub) => hub.grant(name, ['rules']).then(() => sim.rulers.add(agentId ?? '')));
  return `grant rules to ${name}`;
}

/** Its own rule, which requires no grant. */
function tighten(sim: Simulation): string | false {
  const client = someone(sim, ({ bound }) => bound);
  if (client === null) return false;
  const { random } = sim;
  const others = sim.clients.filter((other) => other !== client).map(({ name }) => name);
  const rate = { per_minute: random.pick([6, 60, 600]), burst: 1 + random.below(4) };
  const rule = random.pick([
    { limits: { rate } },
    { limits: { rate } },
    { limits: { delegation_depth: 0 } },
    { limits: { max_concurrent_sessions: 1 + random.below(4) } },
    { limits: { session_ttl_default: random.pick(['30s', '2m']) } },
    { access: { outbound_to: others.slice(random.below(2)) } },
    { access: { inbound_from: others.slice(random.below(2)) } },
    { access: { session_types: { accept: ['panel', 'workflow'] } } },
    { access: { session_types: { initiate: ['panel', 'discussion', 'workflow'] } } },
  ]);
  return ask(client, 'set_rule', { rule });
}

/** Any agent's rule, by a client with the grant. */
function limitInbox(sim: Simulation): string | false {
  const ruler = rulerOf(sim);
  const target = someone(sim, ({ agentId }) => agentId !== null);
  if (ruler === null || target === null) return false;
  const overflow = sim.random.pick(['reject', 'drop_oldest', 'drop_newest']);
  const inbox = { max_pending: 1 + sim.random.below(5), overflow, high_water: 1 + sim.random.below(3) };
  return ask(ruler, 'set_rule', { agent: target.name, rule: { limits: { inbox } } });
}

function lift(sim: Simulation): string | false {
  const ruler = rulerOf(sim);
  const ruled = sim.clients.filter(({ agentId }) => agentId !== null && sim.rules.ruled().includes(agentId));
  if (ruler === null || ruled.length === 0) return false;
  const all = ['*'];
  const rule = {
    access: { inbound_from: all, outbound_to: all, session_types: { initiate: all, accept: all } },
    limits: {
      max_concurrent_sessions: null,
      session_ttl_default: '2h',
      rate: null,
      delegation_depth: 5,
      inbox: { max_pending: 1000, overflow: 'reject', high_water: null },
    },
  };
  return ask(ruler, 'set_rule', { agent: sim.random.pick(ruled).name, rule });
}

/** Many posts at the same time, to everyone or to one. */
function flood(sim: Simulation): string | false {
  const live = [...sim.model.sessions].filter(([, { states }]) => states.at(-1)?.metadata.state === 'ACTIVE');
  if (live.length === 0) return false;
  const [session_id, { states }] = sim.random.pick(live);
  const members = states.at(-1)?.head.members ?? {};
  const client = someone(sim, ({ bound, agentId }) => bound && members[agentId ?? ''] === 'active');
  if (client === null) return false;
  const others = Object.keys(members).filter((id) => id !== client.agentId && members[id] === 'active');
  const audience = others.length > 0 && sim.random.chance(0.4) ? { audience: [sim.random.pick(others)] } : {};
  const many = 3 + sim.random.below(5);
  for (let i = 0; i < many; i++) {
    const idempotency_key = `f${sim.random.below(1_000_000_000)}`;
    client.ask('post', { session_id, event_type: 'note', event_data: { i }, idempotency_key, ...audience });
  }
  return `${client.name} floods ${session_id} with ${many}${'audience' in audience ? ' for one' : ''}`;
}

function rulerOf(sim: Simulation): SimClient | null {
  return someone(sim, ({ bound, agentId }) => bound && sim.rulers.has(agentId ?? ''));
}

function someone(sim: Simulation, is: (client: SimClient) => boolean): SimClient | null {
  const some = sim.clients.filter(is);
  return some.length === 0 ? null : sim.random.pick(some);
}

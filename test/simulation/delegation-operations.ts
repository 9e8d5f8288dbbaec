/** Operations of delegation: trees with budgets, replies with costs, repeated keys. */

import type { SimClient } from './sim-client.ts';
import { ask, op, type SimOperation } from './sim-operation.ts';
import type { Simulation } from './simulation.ts';

export const delegationOperations: readonly SimOperation[] = [
  op('create with a budget', 1.5, createWithBudget),
  op('delegate', 8, (sim) => withPlace(sim, () => true, delegate)),
  op('delegate in a delegation', 10, (sim) => withPlace(sim, isChild, delegate)),
  op('delegate the same again', 2.6, delegateAgain),
  op('two delegate at once', 1, (sim) => {
    const first = withPlace(sim, () => true, delegate);
    const second = withPlace(sim, () => true, delegate);
    return first === false || second === false ? first || second : `${first} and ${second}`;
  }),
  op('join a delegation', 9, joinOne),
  op('answer a delegation', 15, (sim) => withPlace(sim, isToAnswer, answer)),
  op('spend in a delegation', 11, (sim) => withPlace(sim, isChild, spend)),
];

interface Place {
  readonly client: SimClient;
  readonly session: string;
}

type State = NonNullable<ReturnType<Simulation['model']['state']>>;

function createWithBudget(sim: Simulation): string | false {
  const { random } = sim;
  const client = random.pick(sim.clients);
  const other = sim.clients.find((one) => one !== client && one.agentId !== null);
  if (!client.bound || other === undefined) return false;
  const params = random.pick([{ usd: 1 }, { tokens: 100 }, { usd: 2, tokens: 50 }]);
  const on_violation = random.pick(['audit', 'notify_session', 'auto_close']);
  return ask(client, 'create_session', {
    type: 'conversation',
    participants: [other.name],
    wait: 'created',
    expectations: [{ name: 'budget_within', on_violation, params }],
    idempotency_key: `b${random.below(100_000)}`,
  });
}

function delegate(sim: Simulation, { client, session }: Place): string {
  const { random } = sim;
  const others = sim.clients.filter(({ agentId }) => agentId !== null).map(({ name }) => name);
  const usd = random.pick([0.1, 0.25, 0.5, 0.75]);
  const tokens = random.pick([5, 20, 60]);
  return ask(client, 'delegate', {
    session_id: session,
    target: random.pick(others),
    prompt: `q${random.below(1000)}`,
    budget: random.pick([undefined, { usd }, { tokens }, { usd, tokens }, { usd, tokens }]),
    timeout: random.pick([undefined, 10, 10, 20]),
    wait: random.pick(['reply', 'opened']),
    idempotency_key: random.pick([undefined, `d${random.below(100_000)}`]),
  });
}

/** A repeat under its key is the same delegation, whatever its state. */
function delegateAgain(sim: Simulation): string | false {
  const begun = [...sim.model.sessions].flatMap(([session, { entries }]) =>
    entries
      .map(({ envelope }) => envelope)
      .filter(({ event_type, event_data }) => event_type === 'delegation.opened' && event_data.key !== null)
      .map(({ event_data }) => ({ session, event_data })),
  );
  if (begun.length === 0) return false;
  const { session, event_data } = sim.random.pick(begun);
  const client = sim.clients.find(({ agentId, bound }) => bound && agentId === event_data.agent_id);
  if (client === undefined) return false;
  const target = sim.clients.find(({ agentId }) => agentId === event_data.target_id)?.name ?? 'nobody';
  const { prompt, key } = event_data;
  return ask(client, 'delegate', { session_id: session, target, prompt, idempotency_key: key, wait: 'opened' });
}

function joinOne(sim: Simulation): string | false {
  const asked = sim.clients.flatMap((client) =>
    client.bound ? [...client.invites].map((session) => ({ client, session })) : [],
  );
  const some = asked.filter(({ session }) => isChild(sim.model.state(session)));
  if (some.length === 0) return false;
  const { client, session } = sim.random.pick(some);
  client.invites.delete(session);
  return ask(client, sim.random.chance(0.8) ? 'ack_invite' : 'reject_invite', { session_id: session });
}

function answer(sim: Simulation, { client, session }: Place): string {
  const text = `a${sim.random.below(1000)}`;
  return says(sim, client, session, 'msg.text', { text, ...cost(sim) });
}

function spend(sim: Simulation, { client, session }: Place): string {
  return says(sim, client, session, 'tool.result', cost(sim));
}

function cost({ random }: Simulation): object {
  return random.pick([
    {},
    { cost_usd: 0.1 },
    { usage: { output: 4 } },
    { cost_usd: random.below(100) / 100, usage: { fresh: random.below(90) } },
  ]);
}

function says(sim: Simulation, client: SimClient, session_id: string, event_type: string, event_data: object): string {
  const idempotency_key = `k${sim.random.below(1_000_000)}`;
  return ask(client, 'post', { session_id, event_type, event_data, idempotency_key });
}

function isChild(state: State | undefined): boolean {
  return state?.metadata.labels.delegation !== undefined;
}

/** The target has the turn. */
function isToAnswer(state: State, { agentId }: SimClient): boolean {
  return isChild(state) && state.head.turn?.agent_id === agentId && state.metadata.creator_id !== agentId;
}

/** A participant of a matching active session. */
function withPlace(
  sim: Simulation,
  fits: (state: State, client: SimClient) => boolean,
  run: (sim: Simulation, place: Place) => string,
): string | false {
  const places = [...sim.model.sessions.keys()].flatMap((session) => {
    const state = sim.model.state(session);
    if (state?.metadata.state !== 'ACTIVE') return [];
    return sim.clients
      .filter((client) => client.bound && client.agentId !== null && Object.hasOwn(state.head.members, client.agentId))
      .filter((client) => fits(state, client))
      .map((client) => ({ client, session }));
  });
  return places.length === 0 ? false : run(sim, sim.random.pick(places));
}

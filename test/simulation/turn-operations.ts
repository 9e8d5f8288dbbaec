/** Operations of sessions with turns: posting in turn, handoffs, shared context, and participants that come and go. */

import { roundRobin, sequence, type TransitionGraph } from 'parley-hub/adapters/transition-graph';
import { type ExpectationEntry, finish, handoff } from 'parley-hub/core';
import type { SessionState } from '../../src/core/state/state.ts';
import type { SimClient } from './sim-client.ts';
import { ask, op, type SimOperation } from './sim-operation.ts';
import type { Simulation } from './simulation.ts';
import { hasFired, waitsOf } from './waits-model.ts';

type Place = { readonly client: SimClient; readonly session: string; readonly state: SessionState };
type Change = 'hideParticipant' | 'returnParticipant' | 'removeParticipant';

export const turnOperations: readonly SimOperation[] = [
  op('take the turn', 60, (sim) => withTurn(sim, (place) => speak(sim, place))),
  op('hand off', 10, (sim) => withTurn(sim, (place) => handOff(sim, place), 'workflow')),
  op('finish', 8, (sim) => withTurn(sim, (place) => say(sim, place, finish({ reason: 'finished_early' })), 'workflow')),
  op('raise a hand', 9, (sim) => withPlace(sim, (place) => raiseHand(sim, place), 'discussion')),
  op('name the next speaker', 26, (sim) => withTurn(sim, (place) => handOff(sim, place), 'moderated')),
  op('end the panel', 32, (sim) =>
    withTurn(sim, (place) => say(sim, place, finish({ reason: 'panel_over' })), 'moderated'),
  ),
  op('set the context', 5, (sim) => withPlace(sim, (place) => setContext(sim, place), 'workflow')),
  op('report progress', 9, (sim) => withTurn(sim, (place) => report(place, 'report_progress', {}))),
  op('a long turn', 60, (sim) =>
    withTimedTurn(
      sim,
      ({ heartbeat, seconds }) => heartbeat !== false && Number(seconds) <= 60,
      (place) => longTurn(sim, place),
    ),
  ),
  op('a turn that fails', 24, (sim) =>
    withTimedTurn(
      sim,
      ({ on_failure, seconds }) => on_failure === true && Number(seconds) > 1,
      (place) => failedTurn(sim, place),
    ),
  ),
  op('report a failure', 3, (sim) =>
    withTurn(sim, (place) => report(place, 'report_turn_failure', { reason: 'no model' })),
  ),
  op('report out of turn', 3, (sim) =>
    withPlace(sim, (place) =>
      report(place, sim.random.pick(['report_progress', 'report_turn_failure']), { reason: 'x' }),
    ),
  ),
  op('speak out of turn', 4, (sim) => withPlace(sim, (place) => speak(sim, place))),
  op('hide in a session with turns', 5, (sim) => withPlace(sim, (place) => change(sim, place, 'hideParticipant'))),
  op('bring back in a session with turns', 14, (sim) => withHidden(sim, (place) => bringBack(sim, place))),
  op('bring back who is not hidden', 2, (sim) => withPlace(sim, (place) => change(sim, place, 'returnParticipant'))),
  op('remove in a session with turns', 2.2, (sim) =>
    withPlace(sim, (place) => change(sim, place, 'removeParticipant')),
  ),
  op('leave a session with turns', 2.5, (sim) =>
    withPlace(sim, ({ client, session }) => ask(client, 'leave_session', { session_id: session })),
  ),
  op('look at a view', 18, (sim) => withPlace(sim, (place) => look(sim, place))),
];

/** Knobs of a type for these participants, the creator first. */
export function knobsFor(sim: Simulation, type: string, names: readonly string[]): Record<string, unknown> {
  if (type === 'discussion') {
    const ordering = sim.random.pick(['round_robin', 'raise_hand', 'moderated', 'moderated', 'random']);
    return { ordering, ...(sim.random.chance(0.8) ? { rounds: sim.random.pick([1, 1, 2]) } : {}) };
  }
  if (type !== 'workflow') return {};
  const make = sim.random.pick([steps, steps, turns, turns, turns, branches, branches]);
  // A graph is JSON; its type only lacks an index signature.
  return {
    graph: JSON.parse(JSON.stringify(make(sim, names))),
    context_vars: { tier: sim.random.pick(['free', 'gold']) },
  };
}

/** Limits that a history reaches. */
export function someLimits({ random }: Simulation): readonly ExpectationEntry[] {
  return Array.from({ length: random.below(5) }, () => ({
    ...random.pick([
      { name: 'max_turns', params: { turns: 1 + random.below(3) } },
      { name: 'budget_within', params: { usd: 0.1 } },
      { name: 'budget_within', params: { tokens: 5, usd: 1 } },
      { name: 'no_progress', params: { repeats: 2 } },
      { name: 'no_progress', params: { repeats: 2 } },
      { name: 'no_progress', params: { repeats: 2 + random.below(2) } },
    ]),
    on_violation: random.pick(['audit', 'audit', 'warn', 'notify_session', 'hide', 'remove', 'auto_close']),
    ...(random.chance(0.2) ? { applies_to: [random.pick(['initiator', 'participant'])] } : {}),
  }));
}

function steps(_sim: Simulation, names: readonly string[]): TransitionGraph {
  return sequence(names);
}

function turns(sim: Simulation, names: readonly string[]): TransitionGraph {
  return roundRobin(names, { maxTurns: sim.random.pick([2, 2, 3, 4]) });
}

/** One of each condition and target: by tool, context, speaker and turn, and to an end. */
function branches(sim: Simulation, names: readonly string[]): TransitionGraph {
  const one = () => sim.random.pick(names);
  return {
    initial_speaker: one(),
    transitions: [
      { when: { name: 'context_equals', args: { key: 'done', value: true } }, then: end('all_done'), priority: 0 },
      { when: { name: 'tool_called', args: { tool_name: 'escalate' } }, then: agent(one()), priority: 1 },
      { when: { name: 'from_speaker', args: { agent_id: one() } }, then: agent(one()), priority: 2 },
      { when: { name: 'text_contains', args: { any: ['7'] } }, then: { name: 'stay', args: {} }, priority: 3 },
      { when: { name: 'turn_count', args: { op: '>', value: 4 } }, then: { name: 'random', args: {} }, priority: 4 },
    ],
    default_target: sim.random.pick([
      { name: 'round_robin', args: {} },
      { name: 'revert_to_initiator', args: {} },
    ]),
    max_turns: 4 + sim.random.below(20),
  };
}

function agent(agent_id: string): TransitionGraph['transitions'][number]['then'] {
  return { name: 'agent', args: { agent_id } };
}

function end(reason: string): TransitionGraph['transitions'][number]['then'] {
  return { name: 'terminate', args: { reason } };
}

function speak(sim: Simulation, place: Place): string {
  const isPacket = typeOf(place) === 'workflow' && sim.random.chance(0.5);
  const spent = sim.random.pick([
    {},
    { cost_usd: null },
    { cost_usd: 0.1 },
    { usage: { fresh: 5, output: 2 }, cost_usd: 0.07 },
  ]);
  if (!isPacket) {
    const text = `${sim.random.pick(['t', 't', 'u'])}${sim.random.below(1000)}`;
    return say(sim, place, { event_type: 'msg.text', event_data: { text, ...spent } });
  }
  const tool = sim.random.pick(['escalate', 'other']);
  const context_updates = { set: { tier: sim.random.pick(['free', 'gold']), done: sim.random.chance(0.8) } };
  return say(sim, place, {
    event_type: 'msg.packet',
    event_data: { body: 'called', routing: { tool }, context_updates, ...spent },
  });
}

function raiseHand(sim: Simulation, place: Place): string {
  return say(sim, place, { event_type: 'hand.raise', event_data: { bid: sim.random.below(11) } });
}

function handOff(sim: Simulation, place: Place): string {
  const { agent_id, name } = sim.random.pick(place.state.metadata.participants);
  const to = sim.random.chance(0.5) ? agent_id : name;
  const change = typeOf(place) === 'workflow' ? { contextUpdates: { delete: ['tier'] } } : {};
  return say(sim, place, handoff(to, { body: 'yours', ...change }));
}

function setContext(sim: Simulation, place: Place): string {
  const event_data = { set: { tier: sim.random.pick(['free', 'gold']), n: sim.random.below(10) }, delete: ['done'] };
  return say(sim, place, { event_type: 'context.set', event_data });
}

function look(sim: Simulation, { client, session }: Place): string {
  const view = sim.random.pick([
    undefined,
    { name: 'full_transcript', params: { named: sim.random.chance(0.5) } },
    { name: 'windowed_summary', params: { recent_n: 1 + sim.random.below(4) } },
    { name: 'token_budget', params: { max_tokens: 1 + sim.random.below(12), named: true } },
    { name: 'since_my_last_turn' },
  ]);
  const past = sim.views.pastOf(client.agentId, session);
  if (past.length > 0 && sim.random.chance(0.5))
    return ask(client, 'read_view', { session_id: session, ...sim.random.pick(past) });
  return ask(client, 'read_view', { session_id: session, view });
}

function report({ client, session }: Place, name: string, more: Record<string, unknown>): string {
  return ask(client, name, { session_id: session, ...more });
}

/** Reports progress beyond the limit, then nothing. */
async function longTurn(sim: Simulation, place: Place): Promise<string> {
  const done: string[] = [];
  for (let i = 1 + sim.random.below(3); i > 0; i--) {
    await sim.pass(sim.random.pick([100, 100, 11_000]));
    done.push(report(place, 'report_progress', {}));
    await sim.flow();
  }
  await sim.pass(sim.random.pick([31_000, 61_000]));
  return `${done.join(', ')}, and is silent`;
}

async function failedTurn(sim: Simulation, place: Place): Promise<string> {
  const done = report(place, 'report_turn_failure', { reason: 'no model' });
  await sim.flow();
  await sim.pass(1_000);
  return `${done}, and a second passes`;
}

function change(sim: Simulation, { session, state }: Place, call: Change): string {
  const { agent_id, name } = sim.random.pick(state.metadata.participants);
  sim.operate((hub) => hub[call](session, agent_id));
  return `${call} ${name} ${session}`;
}

function bringBack(sim: Simulation, { session, state }: Place): string {
  const { agent_id, name } = sim.random.pick(state.metadata.participants.filter(isHidden));
  sim.operate((hub) => hub.returnParticipant(session, agent_id));
  return `returnParticipant ${name} ${session}`;
}

function isHidden({ status }: SessionState['metadata']['participants'][number]): boolean {
  return status === 'hidden';
}

function say(
  sim: Simulation,
  { client, session }: Place,
  content: { event_type: string; event_data: unknown },
): string {
  return ask(client, 'post', { session_id: session, ...content, idempotency_key: `k${sim.random.below(1_000_000)}` });
}

/** A client that has the turn according to the log. */
function withTurn(sim: Simulation, run: (place: Place) => string, type?: string): string | false {
  return withOne(
    sim,
    places(sim, type ?? null).filter(({ client, state }) => state.head.turn?.agent_id === client.agentId),
    run,
  );
}

/** A client whose turn has a deadline that may still fire, from a matching expectation. */
function withTimedTurn(
  sim: Simulation,
  isWanted: (params: ExpectationEntry['params']) => boolean,
  run: (place: Place) => Promise<string>,
): Promise<string> | false {
  const timed = places(sim, null).filter(({ client, session, state }) => {
    if (state.head.turn?.agent_id !== client.agentId || sim.grace.heldBy(session) !== null) return false;
    const log = sim.model.sessions.get(session)?.entries ?? [];
    const { expectations } = state.metadata.manifest;
    return waitsOf(log, state).some(
      (wait) => wait.name === 'turn_within' && isWanted(expectations[wait.entry]?.params ?? {}) && !hasFired(log, wait),
    );
  });
  return timed.length === 0 ? false : run(sim.random.pick(timed));
}

/** A client in a live session with turns, holder or not. */
function withPlace(sim: Simulation, run: (place: Place) => string, type?: string): string | false {
  return withOne(sim, places(sim, type), run);
}

/** A live session with turns and a hidden participant. */
function withHidden(sim: Simulation, run: (place: Place) => string): string | false {
  const some = places(sim).filter(({ state }) => state.metadata.participants.some(isHidden));
  return withOne(sim, some, run);
}

function withOne(sim: Simulation, some: readonly Place[], run: (place: Place) => string): string | false {
  return some.length === 0 ? false : run(sim.random.pick(some));
}

const TURN_TYPES: readonly string[] = ['discussion', 'workflow'];

/** Live sessions of one type or ordering, of those with turns, or of any (null). */
function places(sim: Simulation, type?: string | null): readonly Place[] {
  return [...sim.model.sessions].flatMap(([session, { states }]) => {
    const state = states.at(-1);
    if (state === undefined || state.metadata.state !== 'ACTIVE') return [];
    const itsType = state.metadata.manifest.type;
    const types = type === null ? [itsType] : type === undefined ? TURN_TYPES : [type];
    if (!types.includes(itsType) && !types.includes(String(state.metadata.knobs.ordering))) return [];
    const there = sim.clients.filter(
      ({ bound, agentId }) => bound && agentId !== null && Object.hasOwn(state.head.members, agentId),
    );
    return there.map((client) => ({ client, session, state }));
  });
}

function typeOf({ state }: Place): string {
  return state.metadata.manifest.type;
}

/** Operations on tasks: by owners and others, while time passes and hubs die. */

import type { Task } from '../../src/core/records/work/tasks.ts';
import type { SimClient } from './sim-client.ts';
import { ask, op, type SimOperation } from './sim-operation.ts';
import type { Simulation } from './simulation.ts';

export const taskOperations: readonly SimOperation[] = [
  op('start a task', 9, start),
  op('report on a task', 4, (sim) => own(sim, () => ['progress_task', { progress: sim.random.below(11) / 10 }])),
  op('save a task', 2.5, (sim) => own(sim, () => ['checkpoint_task', { data: { n: sim.random.below(100) } }])),
  op('resume a task', 1.6, (sim) => own(sim, () => ['resume_task', {}])),
  op('complete a task', 3, (sim) => own(sim, () => ['complete_task', { result: { n: sim.random.below(100) } }])),
  op('fail a task', 1.8, (sim) => own(sim, () => ['fail_task', { reason: 'no way' }])),
  op('cancel a task', 2.6, (sim) => own(sim, () => ['cancel_task', {}])),
  op('ask for a task to be cancelled', 2.5, (sim) => others(sim, () => ['cancel_task', { reason: 'not needed' }])),
  op('move the task of another', 2.4, (sim) =>
    others(sim, () => [sim.random.pick(MOVES), { reason: 'x', progress: 1 }]),
  ),
  op('move a task that has ended', 1.5, (sim) =>
    ended(sim, () => [sim.random.pick(MOVES), { reason: 'x', progress: 1 }]),
  ),
  op('look at tasks', 2, (sim) => own(sim, () => [sim.random.pick(['get_task', 'list_tasks']), {}])),
];

const MOVES = ['progress_task', 'complete_task', 'fail_task', 'resume_task'];

type Move = () => readonly [string, Record<string, unknown>];

function start(sim: Simulation): string | false {
  const { random } = sim;
  const active = [...sim.model.sessions].filter(([, { states }]) => states.at(-1)?.metadata.state === 'ACTIVE');
  if (active.length === 0) return false;
  const [session_id, { states }] = random.pick(active);
  const members = states.at(-1)?.head.members ?? {};
  const there = sim.clients.filter(
    ({ bound, agentId }) => bound && agentId !== null && Object.hasOwn(members, agentId),
  );
  if (there.length === 0) return false;
  return ask(random.pick(there), 'start_task', {
    session_id,
    title: `task ${random.below(1000)}`,
    ttl: random.pick([undefined, 0, 1, 2, 10, 60]),
    ...(random.chance(0.6) ? { capability: random.pick(['review', 'Test']) } : {}),
    ...(random.chance(0.4) ? { requester: random.pick(Object.keys(members)) } : {}),
    ...(random.chance(0.7) ? { idempotency_key: `t${random.below(40)}` } : {}),
  });
}

/** By the owner. */
function own(sim: Simulation, move: Move): string | false {
  return moved(sim, task(sim, 'live'), (client, { owner_id }) => client.agentId === owner_id, move);
}

/** By any other client. */
function others(sim: Simulation, move: Move): string | false {
  return moved(sim, task(sim, 'live'), (client, { owner_id }) => client.agentId !== owner_id, move);
}

function ended(sim: Simulation, move: Move): string | false {
  return moved(sim, task(sim, 'ended'), () => true, move);
}

function task(sim: Simulation, which: 'live' | 'ended'): readonly Task[] {
  return [...sim.model.sessions.values()].flatMap(({ states }) => states.at(-1)?.tasks[which] ?? []);
}

function moved(
  sim: Simulation,
  some: readonly Task[],
  may: (client: SimClient, task: Task) => boolean,
  move: Move,
): string | false {
  const pairs = some.flatMap((task) =>
    sim.clients.filter((client) => client.bound && may(client, task)).map((client) => ({ client, task })),
  );
  if (pairs.length === 0) return false;
  const { client, task } = sim.random.pick(pairs);
  const [name, params] = move();
  return ask(client, name, { session_id: task.session_id, task_id: task.task_id, ...params });
}

/** Operations on schedules, and their end: a schedule that opens forever would never let a history end. */

import type { SimClient } from './sim-client.ts';
import { ask, op, type SimOperation } from './sim-operation.ts';
import type { Simulation } from './simulation.ts';

export const scheduleOperations: readonly SimOperation[] = [
  op('make a schedule', 4, (sim) => withBound(sim, (client) => make(sim, client))),
  op('change a schedule', 2, (sim) => withOwn(sim, (client, id) => change(sim, client, id))),
  op('delete a schedule', 1, (sim) =>
    withOwn(sim, (client, schedule_id) => ask(client, 'delete_schedule', { schedule_id })),
  ),
];

/** From now on nothing opens by schedule. */
export async function endSchedules(sim: Simulation): Promise<void> {
  for (const { schedule_id } of sim.rooms.schedules.list(null, '')) void sim.rooms.schedules.delete(schedule_id);
  await sim.flow();
}

const EXPRESSIONS = ['*/20 * * * * *', '0 * * * * *', '0 * * * *', '30 1 * * *'];
const ZONES = ['UTC', 'Europe/Berlin', 'Australia/Lord_Howe'];

function make(sim: Simulation, client: SimClient): string | false {
  const { random } = sim;
  const others = sim.clients.filter((other) => other !== client && other.agentId !== null);
  if (others.length === 0) return false;
  return ask(client, 'create_schedule', {
    name: random.pick(['one', 'two']),
    template: { type: 'conversation', participants: [random.pick(others).name], ttl: random.pick([30, 60, 600]) },
    expression: random.pick(EXPRESSIONS),
    zone: random.pick(ZONES),
    missed: random.pick(['skip', 'skip', 'once']),
    overlap: random.chance(0.3),
  });
}

function change(sim: Simulation, client: SimClient, schedule_id: string): string {
  const changes = [{ paused: true }, { paused: false }, { expression: sim.random.pick(EXPRESSIONS) }];
  return ask(client, 'update_schedule', { schedule_id, ...sim.random.pick(changes) });
}

function withBound(sim: Simulation, run: (client: SimClient) => string | false): string | false {
  const bound = sim.clients.filter((client) => client.bound && client.agentId !== null);
  return bound.length === 0 ? false : run(sim.random.pick(bound));
}

function withOwn(sim: Simulation, run: (client: SimClient, scheduleId: string) => string): string | false {
  return withBound(sim, (client) => {
    const own = sim.rooms.schedules.list(client.agentId, '');
    return own.length === 0 ? false : run(client, sim.random.pick(own).schedule_id);
  });
}

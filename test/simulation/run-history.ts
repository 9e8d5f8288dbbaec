/** Runs one history from its seed, and says how to repeat it if a law breaks. */

import { simOperations } from './operations.ts';
import type { SimOperation } from './sim-operation.ts';
import { Simulation, type SimulationOptions } from './simulation.ts';

export interface HistoryReport {
  readonly steps: number;
  readonly counts: ReadonlyMap<string, number>;
}

const STEPS = 165;
const totalWeight = simOperations.reduce((sum, { weight }) => sum + weight, 0);

export async function runHistory(options: SimulationOptions): Promise<HistoryReport> {
  const sim = new Simulation(options);
  try {
    await sim.start();
    let steps = 0;
    for (let failedFor = 0; steps < STEPS; steps++) {
      await step(sim);
      failedFor = sim.failed ? failedFor + 1 : 0;
      if (failedFor > 4) await sim.crash(() => sim.random.chance(0.5));
    }
    sim.note('everything heals');
    await sim.finish();
    return { steps, counts: sim.counts };
  } catch (thrown) {
    throw new Error(explain(options.seed, sim.history, thrown), { cause: thrown });
  }
}

async function step(sim: Simulation): Promise<void> {
  for (let done: string | false = false; done === false; ) {
    const operation = choose(sim);
    done = await operation.run(sim);
    if (done === false) continue;
    sim.note(done);
    sim.count(operation.name);
  }
  await sim.breathe();
  sim.check();
}

function choose(sim: Simulation): SimOperation {
  let left = (sim.random.below(1_000_000) / 1_000_000) * totalWeight;
  for (const operation of simOperations) {
    left -= operation.weight;
    if (left < 0) return operation;
  }
  throw new Error('no operation to choose');
}

function explain(seed: number, history: readonly string[], thrown: unknown): string {
  const what = thrown instanceof Error ? (thrown.name === 'LawBroken' ? thrown.message : thrown.stack) : String(thrown);
  const last = history.slice(-25).map((line, i) => `  ${Math.max(0, history.length - 25) + i + 1}. ${line}`);
  return `${what}\nseed ${seed}, after ${history.length} operations; the last ones:\n${last.join('\n')}\nreplay: npm run simulate -- --seed ${seed} --verbose`;
}

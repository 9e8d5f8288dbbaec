/** One operation of a history, and what the tables of operations share. */

import type { SimClient } from './sim-client.ts';
import type { Simulation } from './simulation.ts';

export interface SimOperation {
  readonly name: string;
  readonly weight: number;
  run(sim: Simulation): string | false | Promise<string | false>;
}

export function op(name: string, weight: number, run: SimOperation['run']): SimOperation {
  return { name, weight, run };
}

/** Sends a request; returns it as a line of the history. */
export function ask(client: SimClient, name: string, params: Record<string, unknown>): string {
  const plain: Record<string, unknown> = JSON.parse(JSON.stringify(params));
  client.ask(name, plain);
  return `${client.name} ${name} ${JSON.stringify(plain)}`;
}

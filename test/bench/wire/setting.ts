/** How much to measure: a full run, a quick one, or a smoke test. */

import type { Figure } from '../figure.ts';
import type { Rig } from './rigs.ts';

export interface Sizes {
  /** For figures with and without limits. */
  readonly rounds: number;
  readonly sideRounds: number;
  readonly roundMs: number;
  readonly warmMs: number;
  /** A 99th percentile needs enough posts. */
  readonly pacedMs: number;
  readonly growthRounds: number;
  readonly sessions: number;
  readonly connections: number;
  readonly rooms: number;
}

export const FULL: Sizes = {
  rounds: 15,
  sideRounds: 7,
  roundMs: 1000,
  warmMs: 4000,
  pacedMs: 3000,
  growthRounds: 11,
  sessions: 50_000,
  connections: 2_000,
  rooms: 256,
};

export const QUICK: Sizes = {
  rounds: 7,
  sideRounds: 2,
  roundMs: 250,
  warmMs: 1200,
  pacedMs: 700,
  growthRounds: 5,
  sessions: 5_000,
  connections: 1_000,
  rooms: 256,
};

export const TINY: Sizes = {
  rounds: 1,
  sideRounds: 1,
  roundMs: 40,
  warmMs: 40,
  pacedMs: 100,
  growthRounds: 1,
  sessions: 20,
  connections: 20,
  rooms: 4,
};

export interface WireSetting {
  readonly sizes: Sizes;
  /** Its own folder, removed afterwards. */
  readonly folder: string;
  /** A folder for CPU profiles of the hubs; null = none. */
  readonly profile: string | null;
  wants(name: string): boolean;
  note(text: string): void;
}

export interface WireBench {
  readonly names: readonly string[];
  run(setting: WireSetting): Promise<readonly Figure[]>;
}

/** Ends what was started, whatever happens. */
export async function ending<T>(rigs: readonly Rig[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await Promise.all(rigs.map((rig) => rig.end()));
  }
}

export function perSecond(rate: number): string {
  return `${Math.round(rate).toLocaleString('en')}/s`;
}

export function millis(ms: number): string {
  return `${ms.toFixed(2)} ms`;
}

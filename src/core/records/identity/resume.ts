/** What was seen of an agent, by capability: how many of its tasks came to what, and how long the last ones took. */

import type { Envelope } from '../session/envelope.ts';
import type { Observed } from './resume-schema.ts';
import type { EndedData, TaskState } from '../work/tasks.ts';
import { endOfTask } from '../work/tasks.ts';
import { msFromIso } from '../../time.ts';

/** How one task ended, as the registry keeps it. */
export interface TaskOutcome {
  readonly task_id: string;
  readonly capability: string;
  readonly state: TaskState;
  /** From its start to its end. */
  readonly latency_ms: number;
}

/** Of one capability: the counts, and the last tasks they are made of. */
interface Seen {
  readonly n: number;
  readonly completed: number;
  readonly failed: number;
  readonly expired: number;
  /** In the order they ended; none of these is counted again. */
  readonly recent: readonly TaskOutcome[];
}

/** By capability in lower case. */
export type Observations = ReadonlyMap<string, Seen>;

export const NOTHING_SEEN: Observations = new Map();

const RECENT = 100;
/** An agent has at most this many capabilities of its own making; what it does beyond them is not counted. */
const MOST_CAPABILITIES = 64;
const UNSEEN: Seen = { n: 0, completed: 0, failed: 0, expired: 0, recent: [] };

/** The outcome an envelope tells of, and whose; null = none that counts. */
export function outcomeIn(envelope: Envelope): { readonly owner_id: string; readonly outcome: TaskOutcome } | null {
  const state = endOfTask(envelope);
  if (state === undefined || envelope.task_id === null) return null;
  // Made by the hub; the log is read by checksum, not by schema.
  const { owner_id, started_at, capability } = envelope.event_data as unknown as EndedData;
  if (capability === null) return null;
  const latency_ms = msFromIso(envelope.created_at) - msFromIso(started_at);
  return { owner_id, outcome: { task_id: envelope.task_id, capability: capability.toLowerCase(), state, latency_ms } };
}

/** Those that are not counted yet, as far as that is still known. */
export function unseen(before: Observations, outcomes: readonly TaskOutcome[]): readonly TaskOutcome[] {
  return outcomes.filter(
    ({ task_id, capability }) => !before.get(capability)?.recent.some((known) => known.task_id === task_id),
  );
}

export function foldOutcomes(before: Observations, outcomes: readonly TaskOutcome[]): Observations {
  const after = new Map(before);
  for (const outcome of outcomes) {
    const { capability, state } = outcome;
    const seen = after.get(capability);
    if (seen === undefined && after.size >= MOST_CAPABILITIES) continue;
    const { n, completed, failed, expired, recent } = seen ?? UNSEEN;
    after.set(capability, {
      n: n + 1,
      completed: completed + (state === 'done' ? 1 : 0),
      failed: failed + (state === 'failed' ? 1 : 0),
      expired: expired + (state === 'expired' ? 1 : 0),
      recent: [...recent, outcome].slice(-RECENT),
    });
  }
  return after;
}

export function observedOf(observations: Observations): Readonly<Record<string, Observed>> {
  const entries = [...observations].map(([capability, { n, completed, failed, expired, recent }]) => {
    const p50_latency_ms = median(recent.filter(isOwnEnd).map(({ latency_ms }) => latency_ms));
    return [capability, { n, completed, failed, expired, p50_latency_ms }] as const;
  });
  return Object.fromEntries(entries);
}

/** An expiry measures the time it was given, and a cancellation somebody's patience. */
function isOwnEnd({ state }: TaskOutcome): boolean {
  return state === 'done' || state === 'failed';
}

/** The middle one, or the mean of the two in the middle. */
export function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  if (upper === undefined) return null;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

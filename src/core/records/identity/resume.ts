/** A profile: the capabilities an agent claims and those the hub observed. Only the newest version is kept. */

import { msFromIso } from '../../lib/time.ts';
import type { Envelope } from '../session/envelope.ts';
import { type EndedData, endOfTask, type TaskState } from '../work/tasks.ts';

export interface TrackRecord {
  readonly n: number;
  readonly completed: number;
  readonly failed: number;
  readonly expired: number;
  readonly p50_latency_ms: number | null;
}

export interface Resume {
  readonly agent_id: string;
  readonly claimed_capabilities: readonly string[];
  readonly domains: readonly string[];
  readonly summary: string;
  readonly examples: readonly string[];
  /** By capability; counted by the hub from the agent's tasks, never claimed. */
  readonly observed: Readonly<Record<string, TrackRecord>>;
  /** 0 if the profile was never set. */
  readonly version: number;
  readonly last_updated: string | null;
}

/** The part an agent sets itself; members left out stay unchanged. */
export interface ResumeClaim {
  readonly claimed_capabilities?: readonly string[] | undefined;
  readonly domains?: readonly string[] | undefined;
  readonly summary?: string | undefined;
  readonly examples?: readonly string[] | undefined;
}

/** The end of one task, as the registry keeps it. */
export interface TaskOutcome {
  readonly task_id: string;
  readonly capability: string;
  readonly state: TaskState;
  /** Time from the task's start to its end. */
  readonly latency_ms: number;
}

/** The counts of one capability, and its most recent outcomes. */
interface Seen {
  readonly n: number;
  readonly completed: number;
  readonly failed: number;
  readonly expired: number;
  /** In the order the tasks ended; prevents counting an outcome twice. */
  readonly recent: readonly TaskOutcome[];
}

/** Observed counts by capability in lower case. */
export type Observations = ReadonlyMap<string, Seen>;

export const NO_OBSERVATIONS: Observations = new Map();

const RECENT = 100;

/** Agents name their own capabilities, so the hub counts a limited number and ignores the others. */
const MAX_CAPABILITIES = 64;

const UNSEEN: Seen = { n: 0, completed: 0, failed: 0, expired: 0, recent: [] };

/** The outcome and the owner of the task that this envelope ends; null if there is no outcome to count. */
export function taskOutcomeFrom(
  envelope: Envelope,
): { readonly owner_id: string; readonly outcome: TaskOutcome } | null {
  const state = endOfTask(envelope);
  if (state === undefined || envelope.task_id === null) return null;
  // The hub made this data, so it needs no schema check.
  const { owner_id, started_at, capability } = envelope.event_data as unknown as EndedData;
  if (capability === null) return null;
  const latency_ms = msFromIso(envelope.created_at) - msFromIso(started_at);
  return { owner_id, outcome: { task_id: envelope.task_id, capability: capability.toLowerCase(), state, latency_ms } };
}

/** The outcomes that are missing from the recent ones, which have been counted. */
export function uncountedOutcomes(before: Observations, outcomes: readonly TaskOutcome[]): readonly TaskOutcome[] {
  return outcomes.filter(
    ({ task_id, capability }) => !before.get(capability)?.recent.some((known) => known.task_id === task_id),
  );
}

export function foldOutcomes(before: Observations, outcomes: readonly TaskOutcome[]): Observations {
  const after = new Map(before);
  for (const outcome of outcomes) {
    const { capability, state } = outcome;
    const seen = after.get(capability);
    if (seen === undefined && after.size >= MAX_CAPABILITIES) continue;
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

export function toTrackRecords(observations: Observations): Readonly<Record<string, TrackRecord>> {
  const entries = [...observations].map(([capability, { n, completed, failed, expired, recent }]) => {
    const p50_latency_ms = median(recent.filter(isOwnEnd).map(({ latency_ms }) => latency_ms));
    return [capability, { n, completed, failed, expired, p50_latency_ms }] as const;
  });
  return Object.fromEntries(entries);
}

/** Expired and cancelled tasks say nothing about how fast the agent works. */
function isOwnEnd({ state }: TaskOutcome): boolean {
  return state === 'done' || state === 'failed';
}

export function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  if (upper === undefined) return null;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

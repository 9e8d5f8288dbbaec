/** Defines what the page knows about the whole hub. Pure. */

import type { FeedEntry, HubFigures } from '../../core/protocol/operations/console-hub.ts';
import type { FoundAgent } from '../../core/records/identity/find-agent.ts';

export interface HubState {
  readonly figures: HubFigures | null;
  readonly agents: readonly FoundAgent[];
  readonly hasMoreAgents: boolean;
  /** Newest first. */
  readonly feed: readonly FeedEntry[];
  /** The reasons of refused reads, by part: `figures`, `agents` or `feed`. */
  readonly refusals: Readonly<Record<string, string>>;
}

export const EMPTY_HUB: HubState = { figures: null, agents: [], hasMoreAgents: false, feed: [], refusals: {} };

const MAX_ENTRIES = 200;

/** Adds new entries at the front, and drops the oldest above the limit. */
export function withFeed(feed: readonly FeedEntry[], fresh: readonly FeedEntry[]): readonly FeedEntry[] {
  const newest = feed[0]?.number ?? Number.NEGATIVE_INFINITY;
  const added = fresh.filter(({ number }) => number > newest);
  return added.length === 0 ? feed : [...added, ...feed].slice(0, MAX_ENTRIES);
}

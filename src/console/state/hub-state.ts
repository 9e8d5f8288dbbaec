/** What the page knows of the hub as a whole. Pure. */

import type { FeedEntry, HubFigures } from '../../core/protocol/operations/console-hub.ts';
import type { FoundAgent } from '../../core/records/identity/find-agent.ts';

export interface HubState {
  readonly figures: HubFigures | null;
  readonly agents: readonly FoundAgent[];
  /** There are more agents than are shown. */
  readonly hasMoreAgents: boolean;
  /** The newest first. */
  readonly feed: readonly FeedEntry[];
  /** Why the hub shows nothing of itself, by what was asked. */
  readonly refusals: Readonly<Record<string, string>>;
}

export const EMPTY_HUB: HubState = { figures: null, agents: [], hasMoreAgents: false, feed: [], refusals: {} };

/** What is kept of the feed. */
const MAX_ENTRIES = 200;

/** New entries come before those that are known; the newest are kept. */
export function withFeed(feed: readonly FeedEntry[], fresh: readonly FeedEntry[]): readonly FeedEntry[] {
  const newest = feed[0]?.number ?? Number.NEGATIVE_INFINITY;
  const added = fresh.filter(({ number }) => number > newest);
  return added.length === 0 ? feed : [...added, ...feed].slice(0, MAX_ENTRIES);
}

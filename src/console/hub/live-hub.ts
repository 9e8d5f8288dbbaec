/** Keeps the figures, agents and feed of the hub current while the page shows them. */

import { WireError } from '../../core/lib/errors.ts';
import type { FeedEntry } from '../../core/protocol/operations/console-hub.ts';
import type { Result } from '../../core/protocol/operations/operations.ts';
import { callRead, reasonOf } from '../connection/read-operations.ts';
import { store, update } from '../state/console-state.ts';
import { EMPTY_HUB, type HubState, withFeed } from '../state/hub-state.ts';

const TICK_MS = 1000;
/** Ticks between two reads of the agents, which change slowly. */
const AGENTS_EVERY = 5;
const MAX_AGENTS = 200;
/** Entries per call: the hub's maximum, and as many as the page keeps. */
const FEED_PAGE = 200;
/** Calls per read. A call may return nothing if it scanned only records this identity must not see. */
const MAX_FEED_CALLS = 20;

/** Starts reading; returns the function that stops it. */
export function followHub(): () => void {
  let isStopped = false;
  const forbidden = new Set<string>();
  // The hub may have been restored while it was unreachable: then read the whole feed again.
  let mustReload = true;
  const stopWatching = store.subscribe(() => {
    if (store.get().connection.kind !== 'open') mustReload = true;
  });
  const refreshFeed = async (): Promise<void> => {
    const isReload = mustReload;
    mustReload = false;
    await readFeed(isReload).catch((thrown: unknown) => {
      mustReload = mustReload || isReload;
      throw thrown;
    });
  };
  /** Reads a part of the page. Requests a forbidden part only once: the hub audits every refusal. */
  const read = async (part: string, reading: () => Promise<void>): Promise<void> => {
    if (forbidden.has(part)) return;
    try {
      await reading();
      setRefusal(part, undefined);
    } catch (thrown) {
      setRefusal(part, reasonOf(thrown));
      if (thrown instanceof WireError && thrown.code === 'forbidden') forbidden.add(part);
    }
  };
  update(({ hub }) => (hub === null ? { hub: EMPTY_HUB } : null));
  void (async () => {
    for (let ticks = 0; !isStopped; ticks += 1) {
      if (!document.hidden && store.get().connection.kind === 'open') {
        const agents = ticks % AGENTS_EVERY === 0 ? read('agents', readAgents) : undefined;
        await Promise.all([read('figures', readFigures), read('feed', refreshFeed), agents]);
      }
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    }
  })();
  return () => {
    isStopped = true;
    stopWatching();
  };
}

async function readFigures(): Promise<void> {
  const figures = await callRead('hub_figures', {});
  change((hub) => ({ ...hub, figures }));
}

/** Reads the entries newer than the known ones, or the whole feed if `isReload`. */
async function readFeed(isReload: boolean): Promise<void> {
  const since = isReload ? undefined : store.get().hub?.feed[0]?.number;
  const fresh: FeedEntry[] = [];
  let after: number | null | undefined;
  for (let calls = 0; calls < MAX_FEED_CALLS && fresh.length < FEED_PAGE && after !== null; calls += 1) {
    const page: Result<'read_feed'> = await callRead('read_feed', { since, after, limit: FEED_PAGE });
    fresh.push(...page.entries);
    after = page.next;
  }
  // Unread entries between the fresh and the known ones would leave a gap: then drop the known ones.
  const isNext = since !== undefined && after === null;
  change((hub) => ({ ...hub, feed: withFeed(isNext ? hub.feed : [], fresh) }));
}

async function readAgents(): Promise<void> {
  const { agents, next } = await callRead('find_agent', { limit: MAX_AGENTS });
  change((hub) => ({ ...hub, agents, hasMoreAgents: next !== null }));
}

function setRefusal(part: string, why: string | undefined): void {
  change((hub) => {
    if (hub.refusals[part] === why) return hub;
    const { [part]: _, ...others } = hub.refusals;
    return { ...hub, refusals: why === undefined ? others : { ...others, [part]: why } };
  });
}

function change(how: (hub: HubState) => HubState): void {
  update(({ hub }) => {
    if (hub === null) return null;
    const next = how(hub);
    return next === hub ? null : { hub: next };
  });
}

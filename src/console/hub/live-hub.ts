/** Keeps the figures, the agents and the feed of the hub as they are, while somebody looks. */

import { ask, reasonOf } from '../ask.ts';
import { store, update } from '../state.ts';
import { EMPTY_HUB, type HubState, withFeed } from './hub-state.ts';

const TICK_MS = 1000;
/** Who there is changes slowly. */
const AGENTS_EVERY = 5;
const MOST_AGENTS = 200;
const FEED_PAGE = 50;

export function followHub(): () => void {
  let isOver = false;
  update(({ hub }) => (hub === null ? { hub: EMPTY_HUB } : null));
  void (async () => {
    for (let ticks = 0; !isOver; ticks += 1) {
      if (!document.hidden) await tick(ticks % AGENTS_EVERY === 0);
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    }
  })();
  return () => {
    isOver = true;
  };
}

async function tick(withAgents: boolean): Promise<void> {
  await Promise.all([
    trying('figures', async () => {
      const figures = await ask('hub_figures', {});
      change((hub) => ({ ...hub, figures }));
    }),
    trying('feed', readFeed),
    withAgents && trying('agents', readAgents),
  ]);
}

async function readFeed(): Promise<void> {
  const newest = store.get().hub?.feed[0]?.number;
  const { entries } = await ask('read_feed', newest === undefined ? { limit: FEED_PAGE } : { since: newest });
  change((hub) => ({ ...hub, feed: withFeed(hub.feed, entries) }));
}

async function readAgents(): Promise<void> {
  const { agents, next } = await ask('find_agent', { limit: MOST_AGENTS });
  change((hub) => ({ ...hub, agents, hasMoreAgents: next !== null }));
}

async function trying(what: string, reading: () => Promise<void>): Promise<void> {
  try {
    await reading();
    change((hub) => (hub.refusals[what] === undefined ? hub : { ...hub, refusals: without(hub.refusals, what) }));
  } catch (thrown) {
    const why = reasonOf(thrown);
    change((hub) => (hub.refusals[what] === why ? hub : { ...hub, refusals: { ...hub.refusals, [what]: why } }));
  }
}

function without(refusals: HubState['refusals'], what: string): HubState['refusals'] {
  return Object.fromEntries(Object.entries(refusals).filter(([name]) => name !== what));
}

function change(how: (hub: HubState) => HubState): void {
  update(({ hub }) => {
    if (hub === null) return null;
    const next = how(hub);
    return next === hub ? null : { hub: next };
  });
}

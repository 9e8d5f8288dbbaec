/** Keeps the figures, the agents and the feed of the hub as they are, while somebody looks. */

import { WireError } from '../../core/errors.ts';
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
  const refused = new Set<string>();
  update(({ hub }) => (hub === null ? { hub: EMPTY_HUB } : null));
  void (async () => {
    for (let ticks = 0; !isOver; ticks += 1) {
      if (!document.hidden && store.get().connection.kind === 'open') await tick(ticks % AGENTS_EVERY === 0, refused);
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    }
  })();
  return () => {
    isOver = true;
  };
}

/** What this identity may not see is asked for once: the hub writes down each refusal. */
async function tick(withAgents: boolean, refused: Set<string>): Promise<void> {
  const parts = [
    ['figures', readFigures],
    ['feed', readFeed],
    ...(withAgents ? [['agents', readAgents] as const] : []),
  ] as const;
  const open = parts.filter(([what]) => !refused.has(what));
  await Promise.all(
    open.map(async ([what, reading]) => {
      if ((await trying(what, reading)) === 'forbidden') refused.add(what);
    }),
  );
}

async function readFigures(): Promise<void> {
  const figures = await ask('hub_figures', {});
  change((hub) => ({ ...hub, figures }));
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

async function trying(what: string, reading: () => Promise<void>): Promise<'read' | 'forbidden' | 'failed'> {
  try {
    await reading();
    change((hub) => (hub.refusals[what] === undefined ? hub : { ...hub, refusals: without(hub.refusals, what) }));
    return 'read';
  } catch (thrown) {
    const why = reasonOf(thrown);
    change((hub) => (hub.refusals[what] === why ? hub : { ...hub, refusals: { ...hub.refusals, [what]: why } }));
    return thrown instanceof WireError && thrown.code === 'forbidden' ? 'forbidden' : 'failed';
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

/** Keeps the figures, the agents and the feed of the hub as they are, while somebody looks. */

import { WireError } from '../../core/lib/errors.ts';
import type { FeedEntry } from '../../core/protocol/operations/console-hub.ts';
import type { Result } from '../../core/protocol/operations/operations.ts';
import { callRead, reasonOf } from '../connection/read-operations.ts';
import { store, update } from '../state/console-state.ts';
import { EMPTY_HUB, type HubState, withFeed } from '../state/hub-state.ts';

const TICK_MS = 1000;
/** Who there is changes slowly. */
const AGENTS_EVERY = 5;
const MAX_AGENTS = 200;
/** As many as are kept, and as the hub gives at once. */
const FEED_PAGE = 200;
/** A call may look through many records that are not for this identity. */
const MAX_FEED_CALLS = 20;

export function followHub(): () => void {
  let isOver = false;
  const refused = new Set<string>();
  // What was read before the hub was out of reach may be of a past that is no more.
  let isDoubtful = true;
  const stopWatching = store.subscribe(() => {
    if (store.get().connection.kind !== 'open') isDoubtful = true;
  });
  const feed = async (): Promise<void> => {
    const isAnew = isDoubtful;
    isDoubtful = false;
    await readFeed(isAnew).catch((thrown: unknown) => {
      isDoubtful = isDoubtful || isAnew;
      throw thrown;
    });
  };
  update(({ hub }) => (hub === null ? { hub: EMPTY_HUB } : null));
  void (async () => {
    for (let ticks = 0; !isOver; ticks += 1) {
      if (!document.hidden && store.get().connection.kind === 'open')
        await tick(partsOf(ticks % AGENTS_EVERY === 0, feed), refused);
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    }
  })();
  return () => {
    isOver = true;
    stopWatching();
  };
}

type Part = readonly [what: string, reading: () => Promise<void>];

function partsOf(withAgents: boolean, feed: () => Promise<void>): readonly Part[] {
  return [['figures', readFigures], ['feed', feed], ...(withAgents ? [['agents', readAgents] as const] : [])];
}

/** What this identity may not see is asked for once: the hub writes down each refusal. */
async function tick(parts: readonly Part[], refused: Set<string>): Promise<void> {
  const open = parts.filter(([what]) => !refused.has(what));
  await Promise.all(
    open.map(async ([what, reading]) => {
      if ((await trying(what, reading)) === 'forbidden') refused.add(what);
    }),
  );
}

async function readFigures(): Promise<void> {
  const figures = await callRead('hub_figures', {});
  change((hub) => ({ ...hub, figures }));
}

/** All that is newer than what is known, as far as it is kept; `isAnew`: what is known does not count. */
async function readFeed(isAnew: boolean): Promise<void> {
  const since = isAnew ? undefined : store.get().hub?.feed[0]?.number;
  const fresh: FeedEntry[] = [];
  let after: number | null | undefined;
  for (let calls = 0; calls < MAX_FEED_CALLS && fresh.length < FEED_PAGE && after !== null; calls += 1) {
    const page: Result<'read_feed'> = await callRead('read_feed', { since, after, limit: FEED_PAGE });
    fresh.push(...page.entries);
    after = page.next;
  }
  // What is known goes on where this ends, unless there is something between them that was not read.
  const isNext = since !== undefined && after === null;
  change((hub) => ({ ...hub, feed: withFeed(isNext ? hub.feed : [], fresh) }));
}

async function readAgents(): Promise<void> {
  const { agents, next } = await callRead('find_agent', { limit: MAX_AGENTS });
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

/** Keeps a console open while events arrive, and measures that its memory does not grow. */

import type { AgentClient } from 'parley-hub';
import type { CDPSession, Page } from 'playwright-core';
import { type ConsoleWorld, consoleWorld, openConsole } from './support/console-world.ts';

export interface Held {
  readonly heapBytes: number;
  readonly domNodes: number;
}

export interface SoakedPage {
  readonly name: string;
  readonly before: Held;
  readonly after: Held;
}

export interface Soaked {
  readonly seconds: number;
  readonly events: number;
  readonly pages: readonly SoakedPage[];
}

export const PER_SECOND = 200;
/** Of those, in sessions that are not open. */
const ELSEWHERE = 40;
const OTHERS = 20;
const STEP_MS = 50;
/** Fills the bounded caches of the page. */
const WARM_UP_EVENTS = 4000;

/** The allowed growth. */
export const MAX_HEAP = 1.2;
export const MAX_NODES = 1.05;

export function soakFaults({ pages }: Soaked): readonly string[] {
  return pages.flatMap(({ name, before, after }) => [
    ...fault(`${name}: heap`, after.heapBytes / before.heapBytes, MAX_HEAP),
    ...fault(`${name}: DOM nodes`, after.domNodes / before.domNodes, MAX_NODES),
  ]);
}

function fault(what: string, ratio: number, most: number): readonly string[] {
  return ratio <= most ? [] : [`${what}: expected at most ${most} ×, got ${ratio.toFixed(3)} ×`];
}

export async function soak(seconds: number, tell: (line: string) => void): Promise<Soaked> {
  const world = await consoleWorld();
  try {
    const stream = await startStream(world);
    const pages = await Promise.all([
      watched(world, 'session', `/sessions/${stream.sessionId}`, '.said-row'),
      watched(world, 'list', '/sessions', '.rows .row'),
    ]);
    await stream.run(WARM_UP_EVENTS);
    const before = await Promise.all(pages.map(held));
    const events = stream.sent();
    for (let left = seconds * PER_SECOND; left > 0; left = seconds * PER_SECOND - (stream.sent() - events)) {
      await stream.run(Math.min(60 * PER_SECOND, left));
      tell(`${stream.sent() - events} events`);
    }
    const after = await Promise.all(pages.map(held));
    const isAlive = pages.map(({ page }) => page.locator('[data-connection=open]').count());
    if ((await Promise.all(isAlive)).includes(0)) throw new Error('a page lost its hub on the way');
    return {
      seconds,
      events: stream.sent() - events,
      pages: pages.flatMap(({ name }, at) => {
        const [one, other] = [before[at], after[at]];
        return one === undefined || other === undefined ? [] : [{ name, before: one, after: other }];
      }),
    };
  } finally {
    await world.end();
  }
}

interface Watched {
  readonly name: string;
  readonly page: Page;
  readonly cdp: CDPSession;
}

async function watched(world: ConsoleWorld, name: string, to: string, ready: string): Promise<Watched> {
  const page = await openConsole(world, {
    name: `looks-at-${name}`,
    token: await world.tokenFor(`looks-at-${name}`),
    to,
  });
  await page.waitForSelector(ready);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  return { name, page, cdp };
}

/** Everything is drawn once nothing but times has changed for this long. */
const STILL_LOOKS = 6;
const LOOK_MS = 250;
const MAX_POLLS = 120;

/** Measures at rest after a garbage collection: the number of rows varies while drawing. */
async function held({ page, cdp, name }: Watched): Promise<Held> {
  let [last, still] = ['', 0];
  for (let looks = 0; still < STILL_LOOKS; looks += 1) {
    if (looks === MAX_POLLS) throw new Error(`the page of the ${name} does not come to rest`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const now = await page.evaluate<string>(
      `document.querySelectorAll('*').length + [...document.querySelectorAll('[data-seq]')].map(({ dataset }) => dataset.seq).join()`,
    );
    still = now === last ? still + 1 : 0;
    last = now;
  }
  return leastOf(cdp);
}

/** One collection may leave objects that a later one collects. */
const COLLECTIONS = 12;

async function leastOf(cdp: CDPSession): Promise<Held> {
  const looks: Held[] = [];
  for (let times = 0; times < COLLECTIONS; times += 1) {
    await cdp.send('HeapProfiler.collectGarbage');
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const { metrics } = await cdp.send('Performance.getMetrics');
    const figure = (metric: string): number => metrics.find((one) => one.name === metric)?.value ?? Number.NaN;
    looks.push({ heapBytes: figure('JSHeapUsedSize'), domNodes: figure('Nodes') });
  }
  const least = (what: keyof Held): number => Math.min(...looks.map((one) => one[what]));
  return { heapBytes: least('heapBytes'), domNodes: least('domNodes') };
}

interface Stream {
  readonly sessionId: string;
  sent(): number;
  /** Sends that many events at the rate. */
  run(events: number): Promise<void>;
}

async function startStream({ hub }: ConsoleWorld): Promise<Stream> {
  const [alice, bob] = [await hub.agent('alice'), await hub.agent('bob')];
  for (const agent of [alice, bob]) agent.handle({ onMessage: () => {} });
  const open = await alice.open('conversation', { participants: ['bob'], labels: { intent: 'Talk without end' } });
  const others = await openOthers(alice);
  await open.send('It begins.');
  let sent = 0;
  const one = async (): Promise<void> => {
    sent += 1;
    const number = sent;
    const text = `Event ${number}: ${'so it goes '.repeat(number % 10)}`;
    if (number % PER_SECOND < ELSEWHERE) await others[number % OTHERS]?.send(text);
    else await (number % 2 === 0 ? open : bob.session(open.id)).send(text);
  };
  return {
    sessionId: open.id,
    sent: () => sent,
    async run(events) {
      const startedMs = performance.now();
      const perStep = (PER_SECOND * STEP_MS) / 1000;
      for (let done = 0; done < events; done += perStep) {
        await Promise.all(Array.from({ length: Math.min(perStep, events - done) }, one));
        const dueMs = startedMs + ((done + perStep) / PER_SECOND) * 1000;
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs - performance.now())));
      }
    },
  };
}

async function openOthers(alice: AgentClient) {
  const made = [];
  for (let number = 1; number <= OTHERS; number += 1) {
    made.push(await alice.open('conversation', { participants: ['bob'], labels: { intent: `Talk ${number}` } }));
  }
  return made;
}

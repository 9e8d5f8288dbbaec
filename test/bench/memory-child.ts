/** Opens many sessions in one hub and weighs the heap after each stage of their lives. Needs --expose-gc. */

import { setTimeout } from 'node:timers/promises';
import type { Binding } from '../../src/hub/bindings/binding.ts';
import { Arena } from './arena.ts';
import { inAll } from './closed-loop.ts';

/** created, invite, ack, opened, then texts. */
const TEXTS = 6;
const OUTSTANDING = 64;
const PAIRS = 500;
/** The index is written half a second after the last change; then memory holds nothing of it. */
const SETTLED_MS = 1500;
const [WARM_ROUNDS, CLOSED_ROUNDS] = [2, 3];

const [folder = '', count = ''] = process.argv.slice(2);
const sessions = Number(count);
const arena = await Arena.open(folder, { maxLoadedSessions: 1_000_000 });
// Measure slopes: code and buffers vary by megabytes, whatever the sessions weigh.
const ids = await open(sessions);
arena.hub.evictIdle();
const evictedOnce = await weigh();
ids.push(...(await open(sessions)));
const loaded = await weigh();
arena.hub.evictIdle();
const evictedTwice = await weigh();
await end(ids);
// Warm up: the tables of agents and compiled code grow first.
for (let i = 0; i < WARM_ROUNDS; i++) await end(await open(sessions));
const closedOnce = await weigh();
for (let i = 0; i < CLOSED_ROUNDS; i++) await end(await open(sessions));
const closedTwice = await weigh();
await arena.stop();
const bytes = {
  loaded: (loaded - evictedOnce) / sessions,
  evicted: (evictedTwice - evictedOnce) / sessions,
  closed: (closedTwice - closedOnce) / (CLOSED_ROUNDS * sessions),
};
console.log(JSON.stringify(bytes));

interface Opened {
  readonly session: string;
  readonly pair: number;
}

/** Agents leave again, because a stream costs memory while its reader is present. */
async function open(number: number): Promise<Opened[]> {
  const [askers, others] = [await joinAll('asker'), await joinAll('other')];
  const opened: Opened[] = [];
  await inAll(number, OUTSTANDING, async (i) => {
    const pair = i % PAIRS;
    const [asker, other] = [askers[pair], others[pair]];
    if (asker === undefined || other === undefined) throw new Error(`there is no pair ${pair}`);
    const session = await arena.converse(asker, other);
    for (let text = 0; text < TEXTS; text++) await arena.post(asker, session);
    opened.push({ session, pair });
  });
  for (const binding of [...askers, ...others]) arena.leave(binding);
  return opened;
}

/** Nobody acks the closing, so sessions end when their closer leaves. */
async function end(opened: readonly Opened[]): Promise<void> {
  const closers = await joinAll('asker');
  await inAll(opened.length, OUTSTANDING, async (i) => {
    const { session, pair } = opened[i] ?? { session: '', pair: 0 };
    const closer = closers[pair];
    if (closer !== undefined) await arena.perform(closer, 'close_session', { session_id: session });
  });
  for (const closer of closers) arena.leave(closer);
  while (arena.hub.health().sessions.live > 0) await setTimeout(100);
}

function joinAll(name: string): Promise<Binding[]> {
  return Promise.all(Array.from({ length: PAIRS }, (_, pair) => arena.join(`${name}-${pair}`)));
}

async function weigh(): Promise<number> {
  for (let i = 0; i < 2; i++) {
    arena.hub.sweep();
    await setTimeout(SETTLED_MS);
  }
  for (let i = 0; i < 3; i++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

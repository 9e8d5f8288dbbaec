/** Opens many sessions in one hub and weighs the heap after each stage of their lives. Needs --expose-gc. */

import { setTimeout } from 'node:timers/promises';
import { Arena } from './arena.ts';
import { inAll } from './closed-loop.ts';

/** created, invite, ack, opened, and so many texts. */
const TEXTS = 6;
const OUTSTANDING = 64;
/** The index is written half a second after the last change; then nothing of it is left in memory. */
const SETTLED_MS = 1500;

const [folder = '', count = ''] = process.argv.slice(2);
const sessions = Number(count);
const arena = await Arena.open(folder, { maxLoadedSessions: 1_000_000 });
// Buffers and compiled code of the same kind of work are in the weight of the empty hub.
await end(await open(sessions));
const empty = await weigh();
const ids = await open(sessions);
const loaded = await weigh();
arena.hub.evictIdle();
const evicted = await weigh();
await end(ids);
ids.length = 0;
const closed = await weigh();
await arena.stop();
const per = (bytes: number) => (bytes - empty) / sessions;
console.log(JSON.stringify({ loaded: per(loaded), evicted: per(evicted), closed: Math.max(0, per(closed)) }));

/** Everyone leaves again: a stream costs memory as long as its reader is here. */
async function open(number: number): Promise<string[]> {
  const [alice, bob] = [await arena.join('alice'), await arena.join('bob')];
  const opened: string[] = [];
  await inAll(number, OUTSTANDING, async () => {
    const session = await arena.converse(alice, bob);
    for (let i = 0; i < TEXTS; i++) await arena.post(alice, session);
    opened.push(session);
  });
  for (const binding of [alice, bob]) arena.leave(binding);
  return opened;
}

/** Nobody is here to ack the closing, so the sessions end as soon as their closer leaves. */
async function end(opened: readonly string[]): Promise<void> {
  const alice = await arena.join('alice');
  await inAll(opened.length, OUTSTANDING, (i) => arena.perform(alice, 'close_session', { session_id: opened[i] }));
  arena.leave(alice);
  while (arena.hub.health().sessions.live > 0) await setTimeout(100);
}

/** Two sweeps let go of what nobody has used since the first. */
async function weigh(): Promise<number> {
  for (let i = 0; i < 2; i++) {
    arena.hub.sweep();
    await setTimeout(SETTLED_MS);
  }
  for (let i = 0; i < 3; i++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

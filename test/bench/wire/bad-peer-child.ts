/** Peers that never read, flood, or request without waiting for answers. */

import { answerOrders } from './orders.ts';
import type { Party } from './party.ts';
import { join, openSession } from './rooms.ts';

export type BadPeerOrder = { readonly do: 'begin'; readonly port: number } | { readonly do: 'end' };

/** Queue no more than this here: the hub's backpressure is its own affair. */
const UNSENT_BYTES = 256 * 1024;
const AT_ONCE = 100;
/** A nuisance that leaves the second processor to the load. */
const EVERY_MS = 2;

let [peers, timer, begun, posted]: [Party[], NodeJS.Timeout | undefined, number, number] = [[], undefined, 0, 0];

answerOrders<BadPeerOrder>(async (order) => {
  if (order.do === 'end') return end();
  const ground = { port: order.port, isHub: true };
  begun += 1;
  const [flooder, deaf] = [await join(ground, `flooder-${begun}`), await join(ground, `deaf-${begun}`)];
  const sessionId = await openSession(flooder, deaf);
  deaf.socket.pause();
  peers = [flooder, deaf];
  timer = setInterval(() => {
    if (flooder.socket.unsentBytes > UNSENT_BYTES) return;
    for (let i = 0; i < AT_ONCE; i++) flooder.post(sessionId, `flood-${posted++}`);
  }, EVERY_MS);
});

async function end(): Promise<void> {
  clearInterval(timer);
  for (const peer of peers) peer.socket.destroy();
  peers = [];
}

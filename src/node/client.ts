/** The client in Node: over any link, or over a WebSocket of the ws package. */

import { WebSocket } from 'ws';
import { type Connecting, connectingOn } from '../client/connect.ts';
import type { Socket } from '../client/socket-link.ts';
import { systemClock } from './system-clock.ts';
import { systemIds } from './system-ids.ts';

export * from '../client/index.ts';

const connecting: Connecting = connectingOn({
  clock: systemClock,
  ids: systemIds,
  random: Math.random,
  // Its listeners take events with more in them than is used here.
  openSocket: (url) => new WebSocket(url, { perMessageDeflate: false, handshakeTimeout: 10_000 }) as unknown as Socket,
});

export const connect: Connecting['connect'] = connecting.connect;
export const connectHuman: Connecting['connectHuman'] = connecting.connectHuman;

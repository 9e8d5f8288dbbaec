/** Exports the client for browsers: over any link, or a WebSocket of the page. */

import { type ConnectFunctions, createConnect } from './connect.ts';

export * from './index.ts';

const connecting: ConnectFunctions = createConnect({
  clock: {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    after(ms, run) {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  },
  ids: { hex32: () => crypto.randomUUID().replaceAll('-', '') },
  random: Math.random,
  openSocket: (url) => new WebSocket(url),
});

export const connect: ConnectFunctions['connect'] = connecting.connect;
export const connectHuman: ConnectFunctions['connectHuman'] = connecting.connectHuman;

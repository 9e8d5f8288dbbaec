/** The client in a browser: over any link, or over the page's own WebSocket. */

import { type Connecting, connectingOn } from './connect.ts';

export * from './index.ts';

const connecting: Connecting = connectingOn({
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

export const connect: Connecting['connect'] = connecting.connect;
export const connectHuman: Connecting['connectHuman'] = connecting.connectHuman;

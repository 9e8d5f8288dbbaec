/** The client in Node: over any link, or over a WebSocket of the ws package. */

import { WebSocket } from 'ws';
import type { AgentClient } from '../client/agent-client.ts';
import { type ConnectHumanOptions, type Connecting, type ConnectOptions, connectingOn } from '../client/connect.ts';
import type { HumanClient } from '../client/human-client.ts';
import type { Socket } from '../client/socket-link.ts';
import { systemClock } from './system-clock.ts';
import { systemIds } from './system-ids.ts';

export * from '../client/index.ts';

/** What a certificate is judged by, beside the authorities the machine trusts. */
export interface Trust {
  /** The certificates of authorities of your own, as PEM; then these alone count. */
  readonly ca?: string | readonly string[] | undefined;
}

function connectingWith(ca: Trust['ca']): Connecting {
  const trust = ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : [...ca] };
  return connectingOn({
    clock: systemClock,
    ids: systemIds,
    random: Math.random,
    openSocket: (url) =>
      // Its listeners take events with more in them than is used here.
      new WebSocket(url, { perMessageDeflate: false, handshakeTimeout: 10_000, ...trust }) as unknown as Socket,
  });
}

export async function connect(url: string | readonly string[], options: ConnectOptions & Trust): Promise<AgentClient> {
  const { ca, ...others } = options;
  return connectingWith(ca).connect(url, others);
}

export async function connectHuman(
  url: string | readonly string[],
  options: ConnectHumanOptions & Trust,
): Promise<HumanClient> {
  const { ca, ...others } = options;
  return connectingWith(ca).connectHuman(url, others);
}

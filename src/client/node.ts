/** Exports the client for Node: over any link, or a WebSocket of the ws package. */

import { WebSocket } from 'ws';
import { invalidValueError } from '../core/lib/json.ts';
import { systemClock } from '../system/clock.ts';
import { systemIds } from '../system/ids.ts';
import type { AgentClient } from './agent-client.ts';
import { type ConnectFunctions, type ConnectHumanOptions, type ConnectOptions, createConnect } from './connect.ts';
import type { Socket } from './connection/socket-link.ts';
import type { HumanClient } from './human-client.ts';
import type { OptionCheck } from './lib/option-checks.ts';

export * from './index.ts';

/** @deprecated Use `TlsTrust`. */
export type Trust = TlsTrust;

export interface TlsTrust {
  /** Certificates of your own authorities, as PEM; replaces the machine's list. */
  readonly ca?: string | readonly string[] | undefined;
}

const TRUSTED: OptionCheck = {
  expected: 'certificates as PEM: a text, or a list of texts',
  holds: (value) => [value].flat().every((one) => one === undefined || typeof one === 'string'),
};

function connectingWith(ca: TlsTrust['ca']): ConnectFunctions {
  if (!TRUSTED.holds(ca)) throw invalidValueError('ca', TRUSTED.expected, ca);
  const trust = ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : [...ca] };
  return createConnect({
    clock: systemClock,
    ids: systemIds,
    random: Math.random,
    options: { ca: TRUSTED },
    openSocket: (url) =>
      // The ws event types have more members than `Socket` declares.
      new WebSocket(url, { perMessageDeflate: false, handshakeTimeout: 10_000, ...trust }) as unknown as Socket,
  });
}

export async function connect(
  url: string | readonly string[],
  options: ConnectOptions & TlsTrust,
): Promise<AgentClient> {
  const { ca, ...others } = options ?? {};
  return connectingWith(ca).connect(url, others);
}

export async function connectHuman(
  url: string | readonly string[],
  options: ConnectHumanOptions & TlsTrust,
): Promise<HumanClient> {
  const { ca, ...others } = options;
  return connectingWith(ca).connectHuman(url, others);
}

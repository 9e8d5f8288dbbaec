/** Over a network: which addresses lead to the hub, and how the platform opens a socket to one. */

import { HubError, WireError } from '../core/errors.ts';
import { describe } from '../core/json.ts';
import type { Link } from '../core/link.ts';
import type { Clock, Ids } from '../core/ports.ts';
import { AgentClient, type AgentOptions } from './agent-client.ts';
import { HumanClient, type HumanOptions } from './human-client.ts';
import type { Reconnect } from './line.ts';
import { type Socket, socketLink } from './socket-link.ts';

/** What a platform brings along. */
export interface Platform {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: () => number;
  openSocket(url: string): Socket;
}

type Given = 'link' | 'ids' | 'reconnect';

/** When and how often to come back; `false` = not at all. */
export type ReconnectTimes = Pick<Reconnect, 'minMs' | 'maxMs' | 'quietMs'>;

interface OverNetwork {
  readonly reconnect?: ReconnectTimes | false | undefined;
  /** A token of the hub: short for `credentials: {scheme: 'token', token}`. */
  readonly token?: string | undefined;
}

export type ConnectOptions = Omit<AgentOptions, Given> & OverNetwork;
export type ConnectHumanOptions = Omit<HumanOptions, Given> & OverNetwork;

/** The two ways to join, on that platform. */
export interface Connecting {
  /** Joins as an agent. One address, or several that lead to the same hub: they are tried in turn. */
  connect(url: string | readonly string[], options: ConnectOptions): Promise<AgentClient>;
  /** Joins as a person. */
  connectHuman(url: string | readonly string[], options: ConnectHumanOptions): Promise<HumanClient>;
}

export function connectingOn(platform: Platform): Connecting {
  const over = (links: Links, { reconnect = {}, token }: OverNetwork) => ({
    link: links.open,
    ids: platform.ids,
    reconnect: reconnect === false ? undefined : { clock: platform.clock, random: platform.random, ...reconnect },
    ...(token === undefined ? {} : { credentials: { scheme: 'token', token } }),
  });
  return {
    async connect(url, { reconnect, token, ...options }) {
      const links = linksTo(addressesOf(url), platform);
      return AgentClient.connect({ ...options, ...over(links, { reconnect, token }) }).catch(links.explain);
    },
    async connectHuman(url, { reconnect, token, ...options }) {
      const links = linksTo(addressesOf(url), platform);
      return HumanClient.connect({ ...options, ...over(links, { reconnect, token }) }).catch(links.explain);
    },
  };
}

interface Links {
  open(): Link;
  /** Throws it again; if no socket could be opened, with why. */
  explain(thrown: unknown): never;
}

/** Each link leads to the next address. */
function linksTo(urls: readonly string[], platform: Platform): Links {
  let next = 0;
  let failure: string | null = null;
  return {
    open() {
      const url = urls[next % urls.length] ?? '';
      next += 1;
      failure = null;
      return socketLink(platform.openSocket(url), (why) => {
        failure = `${url} cannot be reached: ${why}`;
      });
    },
    explain(thrown) {
      if (failure === null || !(thrown instanceof WireError)) throw thrown;
      throw new WireError('unavailable', failure, { outcome: 'refused' }, { cause: thrown });
    },
  };
}

function addressesOf(url: unknown): readonly string[] {
  const urls: readonly unknown[] = Array.isArray(url) ? url : [url];
  const wrong = urls.find((one) => typeof one !== 'string' || !/^wss?:\/\/[^\s/]+/.test(one));
  if (urls.length > 0 && wrong === undefined) return urls as readonly string[];
  const expected = 'an address such as "ws://127.0.0.1:4747", or a list of them';
  throw new HubError('bad_options', `url: expected ${expected}, got ${describe(urls.length === 0 ? url : wrong)}`);
}

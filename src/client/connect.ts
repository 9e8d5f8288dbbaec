/** Connects clients over a network, with the addresses of the hub and the platform's sockets. */

import { WireError } from '../core/lib/errors.ts';
import type { Link } from '../core/lib/link.ts';
import type { Clock, Ids } from '../core/ports/platform.ts';
import { AGENT_OPTIONS, AgentClient, type AgentOptions } from './agent-client.ts';
import { CLIENT_OPTIONS, type ClientOptions, RECONNECT_TIMES } from './client-options.ts';
import type { ReconnectOptions } from './connection/reconnecting-link.ts';
import { type FailedAddress, FailoverSocket, type Socket, socketLink } from './connection/socket-link.ts';
import { HumanClient, type HumanOptions } from './human-client.ts';
import {
  badOptionError,
  checkOptions,
  isObject,
  type OptionCheck,
  type OptionChecks,
  optional,
} from './lib/option-checks.ts';

export interface Platform {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: () => number;
  openSocket(url: string): Socket;
  /** Extra options that the platform accepts and removes before it calls `connect`. */
  readonly options?: Readonly<Record<string, OptionCheck>>;
}

type Given = 'link' | 'ids' | 'reconnect';

/** The pauses and ping interval of reconnecting. */
export type ReconnectTimes = Pick<ReconnectOptions, 'minMs' | 'maxMs' | 'quietMs'>;

interface OverNetwork {
  readonly reconnect?: ReconnectTimes | false | undefined;
  /** A hub token: short for `credentials: {scheme: 'token', token}`. */
  readonly token?: string | undefined;
}

export type ConnectOptions = Omit<AgentOptions, Given> & OverNetwork;
export type ConnectHumanOptions = Omit<HumanOptions, Given> & OverNetwork;

const OVER_NETWORK: OptionChecks<OverNetwork> = {
  reconnect: {
    expected: 'false, or an object {minMs, maxMs, quietMs}',
    holds: (value) => value === undefined || value === false || isObject(value),
  },
  token: optional({ expected: 'a token, as text', holds: (value) => typeof value === 'string' && value !== '' }),
};

const CONNECT_OPTIONS: OptionChecks<ConnectOptions> = { ...own(AGENT_OPTIONS), ...OVER_NETWORK };
const CONNECT_HUMAN_OPTIONS: OptionChecks<ConnectHumanOptions> = { ...own(CLIENT_OPTIONS), ...OVER_NETWORK };

/** Returns the checks without those of options that a caller cannot set. */
function own<Options extends ClientOptions>({ link: _, ids: __, reconnect: ___, ...rules }: OptionChecks<Options>) {
  return rules;
}

export interface ConnectFunctions {
  /** Joins as an agent. Tries several addresses of the same hub in turn. */
  connect(url: string | readonly string[], options: ConnectOptions): Promise<AgentClient>;
  /** Joins as a person. */
  connectHuman(url: string | readonly string[], options: ConnectHumanOptions): Promise<HumanClient>;
}

export function createConnect(platform: Platform): ConnectFunctions {
  const { clock, ids, random } = platform;
  /** Checks the options; errors list the platform's options among the valid ones. */
  const check = <Options extends OverNetwork>(options: Options, checks: OptionChecks<Options>): void => {
    checkOptions(options, { ...checks, ...platform.options });
    if (isObject(options.reconnect)) checkOptions(options.reconnect, RECONNECT_TIMES, 'reconnect.');
  };
  const over = (links: Links, { reconnect = {}, token }: OverNetwork) => ({
    link: links.open,
    ids,
    reconnect: reconnect === false ? undefined : { clock, random, ...reconnect },
    ...(token === undefined ? {} : { credentials: { scheme: 'token', token } }),
  });
  return {
    async connect(url, options) {
      const links = linksTo(addressesOf(url), platform);
      check(options, CONNECT_OPTIONS);
      const { reconnect, token, ...others } = options;
      return AgentClient.connect({ ...others, ...over(links, { reconnect, token }) }).catch(links.explain);
    },
    async connectHuman(url, options) {
      const links = linksTo(addressesOf(url), platform);
      check(options, CONNECT_HUMAN_OPTIONS);
      const { reconnect, token, ...others } = options;
      return HumanClient.connect({ ...others, ...over(links, { reconnect, token }) }).catch(links.explain);
    },
  };
}

interface Links {
  open(): Link;
  /** Rethrows the error; names the addresses if no socket could be opened. */
  explain(thrown: unknown): never;
}

/** Each link tries every address once, starting after the last one tried. */
function linksTo(urls: readonly string[], platform: Platform): Links {
  let next = 0;
  let failures: FailedAddress[] = [];
  const openOne = (url: string): Socket => {
    next = urls.indexOf(url) + 1;
    return platform.openSocket(url);
  };
  return {
    open() {
      failures = [];
      const inTurn = urls.map((_, index) => urls[(next + index) % urls.length] ?? '');
      const socket = new FailoverSocket(inTurn, openOne, (unreached) => void failures.push(unreached));
      socket.addEventListener('open', () => {
        failures = [];
      });
      return socketLink(socket);
    },
    explain(thrown) {
      if (failures.length === 0 || !(thrown instanceof WireError)) throw thrown;
      const each = failures.map(({ url, why }) => `${url} cannot be reached: ${why}`);
      throw new WireError('unavailable', each.join('; '), { outcome: 'refused' }, { cause: thrown });
    },
  };
}

function addressesOf(url: unknown): readonly string[] {
  const urls: readonly unknown[] = Array.isArray(url) ? url : [url];
  const wrong = urls.find((one) => typeof one !== 'string' || !/^wss?:\/\/[^\s/]+/.test(one));
  if (urls.length > 0 && wrong === undefined) return urls as readonly string[];
  const expected = 'an address such as "ws://127.0.0.1:4747", or a list of them';
  throw badOptionError('url', expected, urls.length === 0 ? url : wrong);
}

/** Defines and checks the options of a client. */

import type { JsonObject } from '../core/lib/json.ts';
import type { Link } from '../core/lib/link.ts';
import type { Ids, Logger } from '../core/ports/platform.ts';
import type { ForwardedDelta, GapFrame } from '../core/protocol/frames/frames.ts';
import { parsePassportClaim } from '../core/records/identity/passport-schema.ts';
import type { Envelope } from '../core/records/session/envelope.ts';
import type { SearchParams } from '../core/records/session/search.ts';
import type { LifecycleState } from '../core/records/session/session.ts';
import type { Claim } from './connection/handshake.ts';
import type { ReconnectOptions } from './connection/reconnecting-link.ts';
import {
  checkOptions,
  functionCheck,
  isObject,
  millisecondsCheck,
  type OptionChecks,
  objectWithMethods,
  optional,
  unchecked,
  withCallerFieldNames,
} from './lib/option-checks.ts';
import type { InviteHandler } from './session/invites.ts';
import type { Session } from './session/session.ts';

/** Receives hub envelopes, tasks and context on arrival, before messages that still wait. */
export type EventHandler = (envelope: Envelope, session: Session) => void;

export type ClientState = 'open' | 'away' | 'closed';

export interface ClientOptions {
  readonly link: () => Link;
  readonly name: string;
  readonly ids: Ids;
  /** How to authenticate (default: `{scheme: 'none'}`). */
  readonly credentials?: JsonObject | undefined;
  /** Whether to register an unknown name (default: true), and with which passport. */
  readonly register?: boolean | Claim | undefined;
  /** Accepts or declines invites (default: accepts all). */
  readonly onInvite?: InviteHandler | undefined;
  readonly onEvent?: EventHandler | undefined;
  /** Receives live deltas of text that participants are writing. */
  readonly onDelta?: ((delta: ForwardedDelta, session: Session) => unknown) | undefined;
  /** Called when the hub will not deliver a range of a session. */
  readonly onGap?: ((gap: GapFrame, session: Session) => void) | undefined;
  /** Reconnects when the link is lost (default: the client closes with its link). */
  readonly reconnect?: ReconnectOptions | undefined;
  /** Called when the hub becomes unreachable or reachable again, and when the client closes. */
  readonly onState?: ((state: ClientState) => void) | undefined;
  /** Receives errors of handlers, which are reported nowhere else. */
  readonly log?: Logger | undefined;
}

export interface SessionQuery {
  /** Include sessions of others; requires the grant `observe`. */
  readonly all?: boolean | undefined;
  readonly states?: readonly LifecycleState[] | undefined;
  readonly type?: string | undefined;
}

export type SearchOptions = Omit<SearchParams, 'query' | 'after' | 'limit'>;

export const RECONNECT_TIMES: OptionChecks<Omit<ReconnectOptions, 'clock' | 'random'>> = {
  minMs: optional(millisecondsCheck),
  maxMs: optional(millisecondsCheck),
  quietMs: optional(millisecondsCheck),
};
const RECONNECT: OptionChecks<ReconnectOptions> = { ...unchecked('clock', 'random'), ...RECONNECT_TIMES };

export const CLIENT_OPTIONS: OptionChecks<ClientOptions> = {
  link: functionCheck,
  name: null,
  ids: objectWithMethods('hex32'),
  credentials: null,
  register: {
    expected: 'true, false or a passport',
    holds: (value) => value === undefined || typeof value === 'boolean' || isObject(value),
  },
  onInvite: optional(functionCheck),
  onEvent: optional(functionCheck),
  onDelta: optional(functionCheck),
  onGap: optional(functionCheck),
  reconnect: {
    expected: 'an object with clock and random',
    holds: (value) =>
      value === undefined || (isObject(value) && isObject(value.clock) && typeof value.random === 'function'),
  },
  onState: optional(functionCheck),
  log: optional(objectWithMethods('info', 'warn', 'error')),
};

/** The passport fields of a new name; the hub checks their values. */
const CLAIM: OptionChecks<Claim> = unchecked('kind', 'owner', 'provider', 'model', 'cost', 'region');

export const SESSION_QUERY: OptionChecks<SessionQuery> = unchecked('all', 'states', 'type');
export const SEARCH_OPTIONS: OptionChecks<SearchOptions> = unchecked(
  'match',
  'states',
  'type',
  'labels',
  'participant',
);

/** Checks nested options and the name. Even a client that only says hello needs a valid name. */
export function checkClientOptions({ name, register, reconnect }: ClientOptions): void {
  withCallerFieldNames(() => parsePassportClaim({ name }));
  if (isObject(register)) checkOptions(register, CLAIM, 'register.');
  if (reconnect !== undefined) checkOptions(reconnect, RECONNECT, 'reconnect.');
}

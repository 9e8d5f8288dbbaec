/** What a client is made with and asked for, and the checks of that. */

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
  withCallerFieldNames,
} from './lib/option-checks.ts';
import type { InviteHandler } from './session/invites.ts';
import type { Session } from './session/session.ts';

/** Everything that is not content: the hub's own envelopes, tasks, context. On arrival, ahead of messages that still wait. */
export type EventHandler = (envelope: Envelope, session: Session) => void;

export type ClientState = 'open' | 'away' | 'closed';

export interface ClientOptions {
  /** Opens a link to the hub. */
  readonly link: () => Link;
  readonly name: string;
  readonly ids: Ids;
  /** How the identity is proven; `{scheme: 'none'}` unless given. */
  readonly credentials?: JsonObject | undefined;
  /** Whether a name that is not known yet is registered (default), and what its passport says. */
  readonly register?: boolean | Claim | undefined;
  /** Decides about invites; without it all are accepted. */
  readonly onInvite?: InviteHandler | undefined;
  readonly onEvent?: EventHandler | undefined;
  /** Somebody shows what it is writing: a hint, on arrival, until the text itself comes. */
  readonly onDelta?: ((delta: ForwardedDelta, session: Session) => unknown) | undefined;
  /** The hub says that a range of a session is gone. */
  readonly onGap?: ((gap: GapFrame, session: Session) => void) | undefined;
  /** Come back by itself when the link is lost; without it the client ends with its link. */
  readonly reconnect?: ReconnectOptions | undefined;
  /** The hub is out of reach, or there again, or the client is closed. */
  readonly onState?: ((state: ClientState) => void) | undefined;
  /** Hears of what a handler threw; nobody else does in this process. */
  readonly log?: Logger | undefined;
}

export interface SessionQuery {
  /** Also those of others: with the grant `observe`. */
  readonly all?: boolean | undefined;
  readonly states?: readonly LifecycleState[] | undefined;
  readonly type?: string | undefined;
}

/** Which sessions, and how the text is meant. */
export type SearchOptions = Omit<SearchParams, 'query' | 'after' | 'limit'>;

const RECONNECT: OptionChecks<ReconnectOptions> = {
  clock: null,
  random: null,
  minMs: optional(millisecondsCheck),
  maxMs: optional(millisecondsCheck),
  quietMs: optional(millisecondsCheck),
};

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

/** What the passport of a name that is registered may say; the hub looks at the values. */
const CLAIM: OptionChecks<Claim> = { kind: null, owner: null, provider: null, model: null, cost: null, region: null };

export const SESSION_QUERY: OptionChecks<SessionQuery> = { all: null, states: null, type: null };
export const SEARCH_OPTIONS: OptionChecks<SearchOptions> = {
  match: null,
  states: null,
  type: null,
  labels: null,
  participant: null,
};

/** The options inside the options, and the name: also one that only says hello must be a name that could be registered. */
export function checkClientOptions({ name, register, reconnect }: ClientOptions): void {
  withCallerFieldNames(() => parsePassportClaim({ name }));
  if (isObject(register)) checkOptions(register, CLAIM, 'register.');
  if (reconnect !== undefined) checkOptions(reconnect, RECONNECT, 'reconnect.');
}

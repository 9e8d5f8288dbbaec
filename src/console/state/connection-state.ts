/** Defines the states of the connection to the hub, and describes them. Pure. */

import type { ConnectionEnd } from '../../client/connection/connection-types.ts';

export type ConnectionState =
  /** `why`: the reason the hub gave for rejecting the last sign-in. */
  | { readonly kind: 'signed-out'; readonly why: string | null }
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open' }
  /** The hub is unreachable; the page reconnects. */
  | { readonly kind: 'away' }
  /** The connection has ended; the page does not reconnect. */
  | { readonly kind: 'ended'; readonly why: string };

const TEXTS: Readonly<Record<Exclude<ConnectionState['kind'], 'ended'>, string>> = {
  'signed-out': 'Signed out',
  connecting: 'Connecting…',
  open: 'Connected',
  away: 'Hub unreachable; reconnecting…',
};

export function connectionText(state: ConnectionState): string {
  return state.kind === 'ended' ? state.why : TEXTS[state.kind];
}

/** Why the connection ended. */
export function endText(end: ConnectionEnd): string {
  switch (end.by) {
    case 'caller':
      return 'Signed out.';
    case 'link':
      return 'The connection to the hub was closed.';
    case 'refusal':
      return `The hub refused: ${end.error.message}`;
    case 'hub':
      return GOODBYES[end.reason] ?? `The hub closed the connection: ${end.reason}.`;
  }
}

const GOODBYES: Readonly<Record<string, string>> = {
  replaced: 'The same name connected elsewhere and took over.',
  unauthorized: 'The token is no longer valid.',
  unregistered: 'This name was retired.',
  shutdown: 'The hub was stopped.',
};

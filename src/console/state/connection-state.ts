/** How the page stands to the hub, and in which words it is told. Pure. */

import type { ConnectionEnd } from '../../client/connection/connection-types.ts';

export type ConnectionState =
  /** Somebody has to say who they are; `why` = the hub said no to what was tried. */
  | { readonly kind: 'signed-out'; readonly why: string | null }
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open' }
  /** The hub is out of reach; the page comes back by itself. */
  | { readonly kind: 'away' }
  /** It is over, and does not come back by itself. */
  | { readonly kind: 'ended'; readonly why: string };

export function connectionText(state: ConnectionState): string {
  switch (state.kind) {
    case 'signed-out':
      return 'Signed out';
    case 'connecting':
      return 'Connecting…';
    case 'open':
      return 'Connected';
    case 'away':
      return 'The hub is out of reach; reconnecting…';
    case 'ended':
      return state.why;
  }
}

/** Why the hub or the link ended it, for whoever sits in front of the page. */
export function endText(end: ConnectionEnd): string {
  switch (end.by) {
    case 'caller':
      return 'Signed out.';
    case 'link':
      return 'The link to the hub was closed.';
    case 'refusal':
      return `The hub refused: ${end.error.message}`;
    case 'hub':
      return GOODBYES[end.reason] ?? `The hub said goodbye: ${end.reason}.`;
  }
}

const GOODBYES: Readonly<Record<string, string>> = {
  replaced: 'The same name connected somewhere else, and took over.',
  unauthorized: 'The token holds no longer.',
  unregistered: 'This name was retired.',
  shutdown: 'The hub was stopped.',
};

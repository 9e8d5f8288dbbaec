/** Holds the state of the whole page in one immutable record. */

import type { WhoAmI } from '../../core/protocol/operations/console-sessions.ts';
import type { ConnectionState } from './connection-state.ts';
import type { HubState } from './hub-state.ts';
import { parseRoute, type Route } from './route.ts';
import type { OpenSession } from './session/open-session.ts';
import { EMPTY_LIST, type SessionList } from './session-list.ts';

export type Theme = 'system' | 'light' | 'dark';

/** A message to the person, about an action that was done or that the hub refused. */
export interface Notice {
  readonly id: number;
  readonly kind: 'done' | 'refused';
  readonly text: string;
}

export interface ConsoleState {
  readonly connection: ConnectionState;
  /** The identity of this page; null if it is not signed in. */
  readonly me: WhoAmI | null;
  /** The hub's clock minus the local one, in ms. */
  readonly skewMs: number;
  readonly readOnly: boolean;
  readonly theme: Theme;
  readonly route: Route;
  readonly list: SessionList;
  /** The open session, which the page keeps current; null if none is open. */
  readonly session: OpenSession | null;
  readonly hub: HubState | null;
  /** Sessions with an invite that the person has not answered. */
  readonly invites: readonly string[];
  readonly notices: readonly Notice[];
}

let state: ConsoleState = {
  connection: { kind: 'signed-out', why: null },
  me: null,
  skewMs: 0,
  readOnly: false,
  theme: 'system',
  route: parseRoute(''),
  list: EMPTY_LIST,
  session: null,
  hub: null,
  invites: [],
  notices: [],
};
const listeners = new Set<() => void>();

export const store = {
  get: (): ConsoleState => state,
  /** Listeners are not called if `change` returns the same state. */
  update(change: (state: ConsoleState) => ConsoleState): void {
    const next = change(state);
    if (Object.is(next, state)) return;
    state = next;
    for (const listener of [...listeners]) listener();
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};

export function update(change: (state: ConsoleState) => Partial<ConsoleState> | null): void {
  store.update((state) => {
    const changed = change(state);
    return changed === null ? state : { ...state, ...changed };
  });
}

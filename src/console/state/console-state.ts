/** All that the page knows, in one record. What is pure about a part of it lives beside that part's page. */

import type { WhoAmI } from '../../core/protocol/operations/console-sessions.ts';
import type { ConnectionState } from './connection-state.ts';
import type { HubState } from './hub-state.ts';
import { parseRoute, type Route } from './route.ts';
import type { OpenSession } from './session/open-session.ts';
import { EMPTY_LIST, type SessionList } from './session-list.ts';

export type Theme = 'system' | 'light' | 'dark';

/** Something to tell the person: what was done, or what the hub refused and why. */
export interface Notice {
  readonly id: number;
  readonly kind: 'done' | 'refused';
  readonly text: string;
}

export interface ConsoleState {
  readonly connection: ConnectionState;
  /** Who this page speaks for; null = not connected yet. */
  readonly me: WhoAmI | null;
  /** What to add to the clock of this machine to get the hub's, in ms. */
  readonly skewMs: number;
  readonly readOnly: boolean;
  readonly theme: Theme;
  readonly route: Route;
  readonly list: SessionList;
  /** The one session that streams; null = none is open. */
  readonly session: OpenSession | null;
  readonly hub: HubState | null;
  /** Sessions in which an invite waits for the person's answer. */
  readonly invites: readonly string[];
  readonly notices: readonly Notice[];
}

export const store: Store<ConsoleState> = createStore<ConsoleState>({
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
});

export function update(change: (state: ConsoleState) => Partial<ConsoleState> | null): void {
  store.update((state) => {
    const changed = change(state);
    return changed === null ? state : { ...state, ...changed };
  });
}

interface Store<State> {
  get(): State;
  /** Nobody is told if the function returns the state it was given. */
  update(change: (state: State) => State): void;
  subscribe(listener: () => void): () => void;
}

function createStore<State>(initial: State): Store<State> {
  let state = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => state,
    update(change) {
      const next = change(state);
      if (Object.is(next, state)) return;
      state = next;
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

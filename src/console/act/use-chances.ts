/** Whether the hub would take a message now, and where the turn could go with it: asked again when that may have changed. */

import { useEffect, useState } from 'preact/hooks';
import { ask } from '../connection/read-operations.ts';
import type { OpenSession } from '../state/session/open-session.ts';
import { store } from '../state/console-state.ts';
import { type RouteChoice, routeChoices } from './compose/routes.ts';
import type { Against } from './compose/turn-text.ts';

export interface Chances {
  /** What the hub says against a message; null = nothing, or it was not asked yet. */
  readonly against: Against | null;
  readonly routes: readonly RouteChoice[];
}

const UNKNOWN: Chances = { against: null, routes: [] };

export function useChances({ id, turn, now }: OpenSession): Chances {
  const [chances, setChances] = useState(UNKNOWN);
  const me = store.get().me?.agent_id;
  const isMine = turn !== null && turn.agent_id === me;
  useEffect(() => {
    let counts = true;
    const look = async (): Promise<void> => {
      const [{ can, code, why }, tools] = await Promise.all([
        ask('can_send', { session_id: id }),
        isMine ? ask('get_session', { session_id: id }).then((answer) => answer.tools) : [],
      ]);
      if (!counts) return;
      setChances({ against: can ? null : { code, why: why ?? 'the hub says no' }, routes: routeChoices(tools) });
    };
    // What it cannot say beforehand, the hub says when it is tried.
    look().catch(() => counts && setChances(UNKNOWN));
    return () => {
      counts = false;
    };
  }, [id, turn?.agent_id, turn?.since_seq, isMine, now?.session.state]);
  return chances;
}

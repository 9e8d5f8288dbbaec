/** What the person in front of the page may do with the open session. */

import { useMemo } from 'preact/hooks';
import type { OpenSession } from '../state/session/open-session.ts';
import { useConsole } from '../state/use-store.ts';
import { NO_PERMISSIONS, permissionsFor, type SessionPermissions } from './permissions.ts';

export function usePermissions({ now, replay }: OpenSession): SessionPermissions {
  const me = useConsole((state) => state.me);
  const isReadOnly = useConsole((state) => state.readOnly);
  return useMemo(
    () => (now === null || replay !== null ? NO_PERMISSIONS : permissionsFor(me, now.session, isReadOnly)),
    [me, now?.session, replay === null, isReadOnly],
  );
}

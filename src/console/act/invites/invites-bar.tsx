/** Tells on every page that invites wait, and leads to them. */

import { useEffect } from 'preact/hooks';
import '../act.css';
import { sessionHref } from '../../state/route.ts';
import { useConsole } from '../../state/use-store.ts';
import { checkInvites } from './check-invites.ts';

const MAX_SHOWN = 3;
/** So often they are looked at, while there are any. */
const LOOK_MS = 3000;

export function InvitesBar() {
  const invites = useConsole((state) => state.invites);
  const isReadOnly = useConsole((state) => state.readOnly);
  const isWaiting = invites.length > 0 && !isReadOnly;
  useEffect(() => {
    if (!isWaiting) return;
    const looks = setInterval(() => void checkInvites().catch(() => {}), LOOK_MS);
    return () => clearInterval(looks);
  }, [isWaiting]);
  if (!isWaiting) return <div role="status" />;
  return (
    <div class="invites-bar" role="status">
      {invites.length === 1 ? 'An invite waits for your answer:' : `${invites.length} invites wait for your answer:`}{' '}
      {invites.slice(0, MAX_SHOWN).map((id) => (
        <a key={id} href={sessionHref(id)} class="mono">
          {id.slice(-8)}
        </a>
      ))}
    </div>
  );
}

/** Shows pending invites on every page, with links to them. */

import { useEffect } from 'preact/hooks';
import '../act.css';
import { useConsole } from '../../state/use-store.ts';
import { SessionLink } from '../../widgets/widgets.tsx';
import { checkInvites } from './pending-invites.ts';

const MAX_SHOWN = 3;
const CHECK_MS = 3000;

export function InvitesBar() {
  const invites = useConsole((state) => state.invites);
  const isReadOnly = useConsole((state) => state.readOnly);
  const isWaiting = invites.length > 0 && !isReadOnly;
  useEffect(() => {
    if (!isWaiting) return;
    const checks = setInterval(() => void checkInvites().catch(() => {}), CHECK_MS);
    return () => clearInterval(checks);
  }, [isWaiting]);
  if (!isWaiting) return <div role="status" />;
  return (
    <div class="invites-bar" role="status">
      {invites.length === 1 ? 'You have an invite:' : `You have ${invites.length} invites:`}{' '}
      {invites.slice(0, MAX_SHOWN).map((id) => (
        <SessionLink key={id} id={id} />
      ))}
    </div>
  );
}

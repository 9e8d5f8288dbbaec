/** Tells on every page that invites wait, and leads to them. */

import './act.css';
import { sessionHref } from '../route.ts';
import { useConsole } from '../use-store.ts';

const MOST_SHOWN = 3;

export function InvitesBar() {
  const invites = useConsole((state) => state.invites);
  const isReadOnly = useConsole((state) => state.readOnly);
  if (invites.length === 0 || isReadOnly) return <div role="status" />;
  return (
    <div class="invites-bar" role="status">
      {invites.length === 1 ? 'An invite waits for your answer:' : `${invites.length} invites wait for your answer:`}{' '}
      {invites.slice(0, MOST_SHOWN).map((id) => (
        <a key={id} href={sessionHref(id)} class="mono">
          {id.slice(-8)}
        </a>
      ))}
    </div>
  );
}

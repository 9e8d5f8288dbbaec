/** Where one can go, and what one chose. */

import { signOut } from './connection/link.ts';
import { hrefOf, NO_FILTER, type Route } from './route.ts';
import { setReadOnly, setTheme } from './settings.ts';
import type { Theme } from './state.ts';
import { Line } from './text/shown.tsx';
import { useConsole } from './use-store.ts';

export function TopBar({ route }: { route: Route }) {
  const me = useConsole((state) => state.me);
  const readOnly = useConsole((state) => state.readOnly);
  const theme = useConsole((state) => state.theme);
  return (
    <header class="top">
      <span class="brand">Parley</span>
      {me !== null && (
        <nav aria-label="Pages">
          <Place to={{ page: 'sessions', filter: NO_FILTER }} isHere={/^sessions?$/.test(route.page)}>
            Sessions
          </Place>
          {me.grants.includes('observe') && (
            <Place to={{ page: 'hub' }} isHere={route.page === 'hub'}>
              Hub
            </Place>
          )}
        </nav>
      )}
      <div class="top-right">
        <label class="switch">
          <input
            type="checkbox"
            checked={readOnly}
            onChange={({ currentTarget }) => setReadOnly(currentTarget.checked)}
          />
          <span>Read-only</span>
        </label>
        <label class="theme">
          <span class="unseen">Colours</span>
          <select value={theme} onChange={({ currentTarget }) => setTheme(currentTarget.value as Theme)}>
            <option value="system">System</option>
            <option value="light">Light</option>
            <option value="dark">Dark</option>
          </select>
        </label>
        {me !== null && (
          <>
            <span class="me" title={me.grants.join(', ')}>
              <Line text={me.name} most={30} />
            </span>
            <button type="button" class="quiet" onClick={signOut}>
              Sign out
            </button>
          </>
        )}
      </div>
    </header>
  );
}

function Place({ to, isHere, children }: { to: Route; isHere: boolean; children: string }) {
  return (
    <a href={hrefOf(to)} aria-current={isHere ? 'page' : undefined}>
      {children}
    </a>
  );
}

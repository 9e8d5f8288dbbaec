/** Renders navigation and settings. On a narrow page the settings are in a menu behind the user's name. */

import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { signOut } from './connection/hub-client.ts';
import { setReadOnly, setTheme } from './connection/settings.ts';
import { useIsNarrow } from './lib/use-viewport.ts';
import type { Theme } from './state/console-state.ts';
import { hrefOf, NO_FILTER, type Route } from './state/route.ts';
import { useConsole } from './state/use-store.ts';
import { Line } from './text/untrusted-text.tsx';
import { LineIn } from './widgets/widgets.tsx';

export function TopBar({ route }: { route: Route }) {
  const me = useConsole((state) => state.me);
  const readOnly = useConsole((state) => state.readOnly);
  const theme = useConsole((state) => state.theme);
  const id = useId();
  const isFolded = useIsNarrow() && me !== null;
  const [isOpen, setOpen] = useState(false);
  const menu = useRef<HTMLButtonElement>(null);
  useEffect(() => setOpen(false), [route]);
  useEffect(() => {
    if (!isOpen) return;
    const onKeyDown = ({ key }: KeyboardEvent): void => {
      if (key !== 'Escape') return;
      setOpen(false);
      menu.current?.focus();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [isOpen]);
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
      {isFolded && (
        <button
          ref={menu}
          type="button"
          class="quiet menu"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          <LineIn tag="span" class="me" text={me.name} most={30} />
        </button>
      )}
      <div class="top-right" id={id} hidden={isFolded && !isOpen}>
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
            {!isFolded && (
              <span class="me" title={me.grants.join(', ')}>
                <Line text={me.name} most={30} />
              </span>
            )}
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

/** The frame of every page: where one can go, how the connection is, who one is. */

import { useEffect, useRef } from 'preact/hooks';
import { InvitesBar } from './act/invites/invites-bar.tsx';
import { ConnectionBar, SignInPage } from './connection/sign-in-page.tsx';
import { lazyPage } from './lazy-page.tsx';
import { Notices } from './notices.tsx';
import { SessionsPage } from './sessions/sessions-page.tsx';
import { hrefOf, NO_FILTER, type Route, titleOf } from './state/route.ts';
import { useConsole } from './state/use-store.ts';
import { TopBar } from './top-bar.tsx';

const SessionPage = lazyPage(async () => {
  await import('./style/session.css');
  return (await import('./session/session-page.tsx')).SessionPage;
});
const HubPage = lazyPage(async () => {
  await import('./style/hub.css');
  return (await import('./hub/hub-page.tsx')).HubPage;
});
const OpenPage = lazyPage(async () => (await import('./open/open-page.tsx')).OpenPage);

export function App() {
  const connection = useConsole((state) => state.connection);
  const me = useConsole((state) => state.me);
  const route = useConsole((state) => state.route);
  // What was seen stays to be seen while the hub is out of reach.
  const isIn = me !== null && connection.kind !== 'signed-out';
  useArrival(route);
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <TopBar route={route} />
      <ConnectionBar />
      <InvitesBar />
      <main id="main" tabIndex={-1}>
        {/* What may be seen of a session and of the hub is another thing then: it is read anew. */}
        {isIn ? <Page key={me.grants.includes('observe')} route={route} /> : <SignInPage connection={connection} />}
      </main>
      <Notices />
    </>
  );
}

/** Who went to another page is there with the keyboard too, and the tab is called after it. */
function useArrival(route: Route): void {
  const title = titleOf(route);
  const before = useRef(title);
  useEffect(() => {
    document.title = title;
    if (before.current === title) return;
    before.current = title;
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body) document.getElementById('main')?.focus();
  }, [title]);
}

function Page({ route }: { route: Route }) {
  switch (route.page) {
    case 'sessions':
      return <SessionsPage filter={route.filter} />;
    case 'session':
      return <SessionPage key={route.sessionId} sessionId={route.sessionId} atSeq={route.atSeq} as={route.as} />;
    case 'open':
      return <OpenPage />;
    case 'hub':
      return <HubPage />;
    case 'unknown':
      return (
        <div class="page">
          <h1>Nothing is here</h1>
          <p>
            <a href={hrefOf({ page: 'sessions', filter: NO_FILTER })}>All sessions</a>
          </p>
        </div>
      );
  }
}

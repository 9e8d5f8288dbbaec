/** The frame of every page: where one can go, how the connection is, who one is. */

import { InvitesBar } from './act/invites-bar.tsx';
import { ConnectionBar } from './connection/connection-bar.tsx';
import { SignInPage } from './connection/sign-in-page.tsx';
import { later } from './later.tsx';
import { Notices } from './notices.tsx';
import { hrefOf, NO_FILTER, type Route } from './route.ts';
import { SessionsPage } from './sessions/sessions-page.tsx';
import { TopBar } from './top-bar.tsx';
import { useConsole } from './use-store.ts';

const SessionPage = later(async () => {
  await import('./style/session.css');
  return (await import('./session/session-page.tsx')).SessionPage;
});
const HubPage = later(async () => {
  await import('./style/hub.css');
  return (await import('./hub/hub-page.tsx')).HubPage;
});
const OpenPage = later(async () => (await import('./open/open-page.tsx')).OpenPage);

export function App() {
  const connection = useConsole((state) => state.connection);
  const me = useConsole((state) => state.me);
  const route = useConsole((state) => state.route);
  // What was seen stays to be seen while the hub is out of reach.
  const isIn = me !== null && connection.kind !== 'signed-out';
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <TopBar route={route} />
      <ConnectionBar />
      <InvitesBar />
      <main id="main" tabIndex={-1}>
        {isIn ? <Page route={route} /> : <SignInPage connection={connection} />}
      </main>
      <Notices />
    </>
  );
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

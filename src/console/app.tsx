/** Draws the frame around every page: navigation, connection state, invites and notices. */

import { useEffect, useRef } from 'preact/hooks';
import { InvitesBar } from './act/invites/invites-bar.tsx';
import { ConnectionBar, SignInPage } from './connection/sign-in-page.tsx';
import { lazyPage } from './lazy-page.tsx';
import { SessionsPage } from './sessions/sessions-page.tsx';
import { dismissNotice } from './state/notice-actions.ts';
import { type Route, titleOf } from './state/route.ts';
import { useConsole } from './state/use-store.ts';
import { Line } from './text/untrusted-text.tsx';
import { TopBar } from './top-bar.tsx';
import { AllSessionsLink } from './widgets/widgets.tsx';

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
  // While the hub is unreachable, keep showing what the page has already read.
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
        {/* The key remounts the page, which reads everything again, when the observe grant changes. */}
        {isIn ? <Page key={me.grants.includes('observe')} route={route} /> : <SignInPage connection={connection} />}
      </main>
      <Notices />
    </>
  );
}

/** After a page change, moves the focus to the new page and sets the title of the tab. */
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
          <h1>Page not found</h1>
          <AllSessionsLink />
        </div>
      );
  }
}

/** Shows the notices, such as an action that the hub refused. */
function Notices() {
  const notices = useConsole((state) => state.notices);
  return (
    <div class="notices" role="status">
      {notices.map(({ id, kind, text }) => (
        <div key={id} class={`notice ${kind}`}>
          <Line text={text} most={400} />
          <button type="button" class="quiet" aria-label="Dismiss" onClick={() => dismissNotice(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}

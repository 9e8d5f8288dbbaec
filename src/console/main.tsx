/** Entry point: reads sign-in details from the address and the storage, connects, and renders the page. */

import { render } from 'preact';
import { App } from './app.tsx';
import { signIn } from './connection/hub-client.ts';
import { setTheme } from './connection/settings.ts';
import { type FromAddress, fromFragment, isReadOnlyAsked } from './connection/sign-in-details.ts';
import { rememberedReadOnly, rememberedSignIn, rememberedTheme, rememberToken } from './connection/storage.ts';
import { update } from './state/console-state.ts';
import { hubClock } from './state/hub-clock.ts';
import { follow } from './state/navigation.ts';
import { TickerContext } from './time/times.tsx';
import './style/colours.css';
import './style/base.css';
import './style/controls.css';
import './style/shell.css';
import './style/sessions.css';
import './style/touch.css';

type Credentials = Pick<FromAddress, 'token' | 'name'>;

const fromAddress = takeFromAddress();

setTheme(rememberedTheme());
update(() => ({ readOnly: isReadOnlyAsked(location.search) || rememberedReadOnly() }));
follow();
addEventListener('hashchange', () => {
  const credentials = takeFromAddress();
  follow();
  if (credentials.token !== null || credentials.name !== null) void begin(credentials);
});

const place = document.getElementById('app');
if (place !== null)
  render(
    <TickerContext.Provider value={hubClock}>
      <App />
    </TickerContext.Provider>,
    place,
  );
void begin(fromAddress);

/** Removes sign-in details from the address first: a token left there would leak into histories and screenshots. */
function takeFromAddress(): Credentials {
  const { token, name, cleaned } = fromFragment(location.hash);
  if (cleaned !== undefined) history.replaceState(null, '', `${location.pathname}${location.search}${cleaned}`);
  if (token !== null) rememberToken(token);
  return { token, name };
}

/** Signs in with a name and token, or without a token if the hub requires none; otherwise the sign-in form is shown. */
async function begin(given: Credentials): Promise<void> {
  const remembered = rememberedSignIn();
  const token = given.token ?? remembered.token;
  const name = given.name ?? remembered.name;
  if (token === null) {
    update(() => ({ connection: { kind: 'connecting' } }));
    if (await needsToken()) return update(() => ({ connection: { kind: 'signed-out', why: null } }));
  }
  if (name !== null) void signIn({ name, token }, { isTry: token === null });
  else if (token === null) void signIn({ name: `visitor-${crypto.randomUUID().slice(0, 6)}`, token }, { isTry: true });
}

/** Reads a header that the hub sends with this page, which avoids a sign-in attempt that it would reject. */
async function needsToken(): Promise<boolean> {
  try {
    const { headers } = await fetch('./', { method: 'HEAD', cache: 'no-store' });
    return headers.get('parley-auth') !== 'none';
  } catch {
    return true;
  }
}

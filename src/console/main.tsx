/** Where the page begins: what the address and this tab bring along, then the connection, then the page itself. */

import { render } from 'preact';
import { App } from './app.tsx';
import { signIn } from './connection/hub-client.ts';
import { setTheme } from './connection/settings.ts';
import { type FromAddress, fromFragment, isReadOnlyAsked } from './connection/sign-in-details.ts';
import { needsProof } from './connection/sign-in-need.ts';
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

type Brought = Pick<FromAddress, 'token' | 'name'>;

const brought = takenFromAddress();

setTheme(rememberedTheme());
update(() => ({ readOnly: isReadOnlyAsked(location.search) || rememberedReadOnly() }));
follow();
addEventListener('hashchange', () => {
  const { token, name } = takenFromAddress();
  follow();
  if (token !== null || name !== null) void begin({ token, name });
});

const place = document.getElementById('app');
if (place !== null)
  render(
    <TickerContext.Provider value={hubClock}>
      <App />
    </TickerContext.Provider>,
    place,
  );
void begin(brought);

/** Before anything else: a token in the address would be in a history, a screenshot, a bug report. */
function takenFromAddress(): Brought {
  const { token, name, cleaned } = fromFragment(location.hash);
  if (cleaned !== undefined) history.replaceState(null, '', `${location.pathname}${location.search}${cleaned}`);
  if (token !== null) rememberToken(token);
  return { token, name };
}

/** A token without a name is asked for one. Without a token it is only tried where none is needed. */
async function begin(wanted: Brought): Promise<void> {
  const remembered = rememberedSignIn();
  const token = wanted.token ?? remembered.token;
  const name = wanted.name ?? remembered.name;
  if (token === null) {
    update(() => ({ connection: { kind: 'connecting' } }));
    if (await needsProof()) return update(() => ({ connection: { kind: 'signed-out', why: null } }));
  }
  if (name !== null) void signIn({ name, token }, { isTry: token === null });
  else if (token === null) void signIn({ name: `visitor-${crypto.randomUUID().slice(0, 6)}`, token }, { isTry: true });
}

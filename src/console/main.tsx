/** Where the page begins: what the address and this tab bring along, then the connection, then the page itself. */

import { render } from 'preact';
import { App } from './app.tsx';
import { signIn } from './connection/link.ts';
import { rememberedReadOnly, rememberedSignIn, rememberedTheme, rememberToken } from './connection/remembered.ts';
import { fromFragment, isReadOnlyAsked } from './connection/sign-in-details.ts';
import { needsProof } from './connection/sign-in-need.ts';
import { follow } from './navigation.ts';
import { setTheme } from './settings.ts';
import { update } from './state.ts';
import { hubClock } from './time/hub-clock.ts';
import { TickerContext } from './time/times.tsx';
import './style/colours.css';
import './style/base.css';
import './style/controls.css';
import './style/shell.css';
import './style/sessions.css';
import './style/touch.css';

const brought = fromFragment(location.hash);
// Before anything else: a token in the address would be in a history, a screenshot, a bug report.
if (brought.cleaned !== undefined)
  history.replaceState(null, '', `${location.pathname}${location.search}${brought.cleaned}`);
if (brought.token !== null) rememberToken(brought.token);

setTheme(rememberedTheme());
update(() => ({ readOnly: isReadOnlyAsked(location.search) || rememberedReadOnly() }));
follow();
addEventListener('hashchange', follow);

const place = document.getElementById('app');
if (place !== null)
  render(
    <TickerContext.Provider value={hubClock}>
      <App />
    </TickerContext.Provider>,
    place,
  );
void begin();

/** A token without a name is asked for one. Without a token it is only tried where none is needed. */
async function begin(): Promise<void> {
  const remembered = rememberedSignIn();
  const token = brought.token ?? remembered.token;
  const name = brought.name ?? remembered.name;
  if (token === null) {
    update(() => ({ connection: { kind: 'connecting' } }));
    if (await needsProof()) return update(() => ({ connection: { kind: 'signed-out', why: null } }));
  }
  if (name !== null) void signIn({ name, token }, { isTry: token === null });
  else if (token === null) void signIn({ name: `visitor-${crypto.randomUUID().slice(0, 6)}`, token }, { isTry: true });
}

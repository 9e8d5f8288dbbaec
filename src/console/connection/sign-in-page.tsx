/** Renders the sign-in form, and the bar that shows the connection state. */

import { useState } from 'preact/hooks';
import { type ConnectionState, connectionText } from '../state/connection-state.ts';
import { go } from '../state/navigation.ts';
import { NO_FILTER } from '../state/route.ts';
import { useConsole } from '../state/use-store.ts';
import { Failure } from '../widgets/widgets.tsx';
import { signIn } from './hub-client.ts';
import { nameProblem } from './sign-in-details.ts';
import { rememberedSignIn } from './storage.ts';

export function SignInPage({ connection }: { connection: ConnectionState }) {
  const readOnly = useConsole((state) => state.readOnly);
  const remembered = rememberedSignIn();
  const [name, setName] = useState(remembered.name ?? '');
  const [token, setToken] = useState(remembered.token ?? '');
  const [problem, setProblem] = useState<string | null>(null);
  const isBusy = connection.kind === 'connecting';
  const why = problem ?? (connection.kind === 'signed-out' ? connection.why : null);
  const submit = (event: Event): void => {
    event.preventDefault();
    const wrong = nameProblem(name);
    setProblem(wrong);
    if (wrong !== null) return;
    // Another identity must not land on the page that the previous one had open.
    if (name.trim() !== remembered.name) go({ page: 'sessions', filter: NO_FILTER }, { replace: true });
    void signIn({ name: name.trim(), token: token.trim() === '' ? null : token.trim() });
  };
  return (
    <div class="page sign-in">
      <h1>Sign in</h1>
      <form onSubmit={submit}>
        <label class="field">
          <span>Your name</span>
          <input
            name="name"
            autocomplete="username"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <label class="field">
          <span>Token</span>
          <input
            name="token"
            type="password"
            autocomplete="off"
            spellcheck={false}
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? 'Connecting…' : 'Connect'}
        </button>
        {why !== null && <Failure why={why} />}
        {readOnly && <p class="dim">Read-only mode registers no new names: use a name that the hub knows.</p>}
        <p class="dim">
          The token is stored for this tab only. An operator creates one with <code>parley token create</code>.
        </p>
      </form>
    </div>
  );
}

export function ConnectionBar() {
  const connection = useConsole((state) => state.connection);
  const isSeen = connection.kind === 'away' || connection.kind === 'ended';
  return (
    <div class={`connection is-${connection.kind}`} role="status" data-connection={connection.kind}>
      {isSeen ? <span>{connectionText(connection)}</span> : <span class="unseen">{connectionText(connection)}</span>}
      {connection.kind === 'ended' && (
        <button type="button" onClick={connectAgain}>
          Connect again
        </button>
      )}
    </div>
  );
}

function connectAgain(): void {
  const { name, token } = rememberedSignIn();
  if (name !== null) void signIn({ name, token });
}

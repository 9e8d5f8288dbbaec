/** Who are you, and what proves it? The token is kept for this tab alone. */

import { useState } from 'preact/hooks';
import { type ConnectionState, connectionText } from '../state/connection-state.ts';
import { go } from '../state/navigation.ts';
import { NO_FILTER } from '../state/route.ts';
import { useConsole } from '../state/use-store.ts';
import { Line } from '../text/untrusted-text.tsx';
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
    // Where somebody else was is not where this one wants to go.
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
        {why !== null && (
          <p class="refusal" role="alert">
            <Line text={why} most={400} />
          </p>
        )}
        {readOnly && <p class="dim">In read-only mode no new name is registered: it has to be known to the hub.</p>}
        <p class="dim">
          The token is kept for this tab alone. Whoever runs the hub makes one with <code>parley token create</code>.
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
        <button type="button" onClick={again}>
          Connect again
        </button>
      )}
    </div>
  );
}

function again(): void {
  const { name, token } = rememberedSignIn();
  if (name !== null) void signIn({ name, token });
}

/** Tells how the connection is, whenever it is not as it should be. */

import { useConsole } from '../state/use-store.ts';
import { connectionWords } from '../state/connection-state.ts';
import { signIn } from './hub-client.ts';
import { rememberedSignIn } from './storage.ts';

export function ConnectionBar() {
  const connection = useConsole((state) => state.connection);
  const isSeen = connection.kind === 'away' || connection.kind === 'ended';
  return (
    <div class={`connection is-${connection.kind}`} role="status" data-connection={connection.kind}>
      {isSeen ? <span>{connectionWords(connection)}</span> : <span class="unseen">{connectionWords(connection)}</span>}
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

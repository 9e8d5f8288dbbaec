/** Lists pending waits and slow consumers. */

import type { HubFigures, PendingWait } from '../../core/protocol/operations/console-hub.ts';
import { since } from '../time/time-text.ts';
import { Countdown, useNow } from '../time/times.tsx';
import { LineIn, SessionLink } from '../widgets/widgets.tsx';

export function Waits({ figures }: { figures: HubFigures | null }) {
  const now = useNow();
  const waits = figures?.waits ?? [];
  return (
    <section class="card" aria-labelledby="waits-title">
      <h2 id="waits-title">
        Waits <span class="dim">{waits.length}</span>
      </h2>
      <div class="scroll" tabIndex={0} role="region" aria-label="Waits">
        {figures !== null && waits.length === 0 && <p class="dim">No pending waits.</p>}
        <ul class="waits">
          {waits.map((wait) => (
            <li key={`${wait.session_id} ${wait.agent_id} ${wait.what}`}>
              {/* The session link comes first, so that the touch areas of two links never overlap. */}
              <SessionLink id={wait.session_id} /> <Awaited wait={wait} />{' '}
              <span class="dim">for {since(wait.since_at, now)}</span>{' '}
              {wait.due_at !== null && (
                <span class="dim">
                  due <Countdown at={wait.due_at} />
                </span>
              )}
            </li>
          ))}
        </ul>
        {figures?.is_partial === true && <p class="dim">Includes only the newest sessions.</p>}
      </div>
    </section>
  );
}

/** Names the participant that must act, or the decision and the grant it requires. */
function Awaited({ wait: { name, what, text, grant } }: { wait: PendingWait }) {
  return (
    <>
      <LineIn tag="strong" text={text ?? name ?? ''} most={120} />{' '}
      {text === null ? what : `by anyone with the "${grant}" grant`}
    </>
  );
}

export function SlowConsumers({ figures }: { figures: HubFigures | null }) {
  const slow = figures?.slow_consumers ?? [];
  return (
    <section class="card" aria-labelledby="slow-title">
      <h2 id="slow-title">Slow consumers</h2>
      {figures !== null && slow.length === 0 && <p class="dim">None.</p>}
      <ul class="waits">
        {slow.map(({ agent_id, name, unsent_bytes, unacked }) => (
          <li key={agent_id}>
            <LineIn tag="strong" text={name} most={40} /> {unsent_bytes.toLocaleString('en')} bytes unsent, {unacked}{' '}
            unacked
          </li>
        ))}
      </ul>
    </section>
  );
}

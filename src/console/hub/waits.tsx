/** Who is waited for, and who cannot keep up. */

import type { HubFigures } from '../../core/console-operations.ts';
import { sessionHref } from '../route.ts';
import { Line } from '../text/shown.tsx';
import { since } from '../time/time-words.ts';
import { Countdown, useNow } from '../time/times.tsx';

export function Waits({ figures }: { figures: HubFigures | null }) {
  const now = useNow();
  const waits = figures?.waits ?? [];
  return (
    <section class="card" aria-labelledby="waits-title">
      <h2 id="waits-title">
        Waits <span class="dim">{waits.length}</span>
      </h2>
      <div class="scroll" tabIndex={0} role="region" aria-label="Waits">
        {figures !== null && waits.length === 0 && <p class="dim">Nobody is waited for.</p>}
        <ul class="waits">
          {waits.map(({ session_id, agent_id, name, what, text, grant, since_at, due_at }) => (
            <li key={`${session_id} ${agent_id} ${what}`}>
              <strong>
                <Line text={name ?? `anybody with the grant ${grant}`} most={40} />
              </strong>{' '}
              {text === null ? what : <Line text={text} most={120} />}{' '}
              <span class="dim">for {since(since_at, now)}</span>{' '}
              {due_at !== null && (
                <span class="dim">
                  due <Countdown at={due_at} />
                </span>
              )}{' '}
              <a href={sessionHref(session_id)} class="mono">
                {session_id.slice(-8)}
              </a>
            </li>
          ))}
        </ul>
        {figures?.is_partial === true && <p class="dim">Of the newest sessions alone: there are more.</p>}
      </div>
    </section>
  );
}

export function SlowConsumers({ figures }: { figures: HubFigures | null }) {
  const slow = figures?.slow_consumers ?? [];
  return (
    <section class="card" aria-labelledby="slow-title">
      <h2 id="slow-title">Slow consumers</h2>
      {figures !== null && slow.length === 0 && <p class="dim">Everybody keeps up.</p>}
      <ul class="waits">
        {slow.map(({ agent_id, name, unsent_bytes, unacked }) => (
          <li key={agent_id}>
            <strong>
              <Line text={name} most={40} />
            </strong>{' '}
            {unsent_bytes.toLocaleString('en')} bytes unsent, {unacked} unacked
          </li>
        ))}
      </ul>
    </section>
  );
}

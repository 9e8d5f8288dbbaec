/** Lists violations and audit entries, the newest first. */

import { useState } from 'preact/hooks';
import type { FeedEntry } from '../../core/protocol/operations/console-hub.ts';
import { hubNow } from '../state/hub-clock.ts';
import { Line } from '../text/untrusted-text.tsx';
import { clockTime } from '../time/time-text.ts';
import { LineIn, SessionLink } from '../widgets/widgets.tsx';
import { detailText, FEED_FILTERS, type FeedFilter, passesFilter } from './feed-text.ts';

export function Feed({ entries }: { entries: readonly FeedEntry[] }) {
  const [shown, setShown] = useState<FeedFilter>('happened');
  const listed = entries.filter((entry) => passesFilter(entry, shown));
  return (
    <section class="card" aria-labelledby="feed-title">
      <div class="card-head">
        <h2 id="feed-title">Violations and audit</h2>
        <label>
          <span class="unseen">Show</span>
          <select value={shown} onChange={({ currentTarget }) => setShown(currentTarget.value as FeedFilter)}>
            {Object.entries(FEED_FILTERS).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label="Violations and audit">
        {listed.length === 0 && <p class="dim">Nothing yet.</p>}
        <ol class="feed">
          {listed.map((entry) => (
            <Entry key={entry.number} entry={entry} />
          ))}
        </ol>
      </div>
    </section>
  );
}

function Entry({ entry }: { entry: FeedEntry }) {
  const { kind, at, what, session_id, name, agent_id, detail } = entry;
  return (
    <li class={`entry ${kind}`}>
      <time class="dim" dateTime={at}>
        {clockTime(at, hubNow())}
      </time>{' '}
      <LineIn tag="strong" text={what} most={60} /> {agent_id !== null && <Line text={name ?? agent_id} most={40} />}{' '}
      {session_id !== null && <SessionLink id={session_id} />}{' '}
      <LineIn tag="span" class="dim detail" text={detailText(detail)} most={160} />
    </li>
  );
}

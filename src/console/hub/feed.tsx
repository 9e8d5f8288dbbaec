/** What went wrong and what was looked into, the newest first. */

import { useState } from 'preact/hooks';
import type { FeedEntry } from '../../core/console-operations.ts';
import { sessionHref } from '../route.ts';
import { Line } from '../text/shown.tsx';
import { clockTime } from '../text/time-text.ts';
import { hubNow } from '../text/use-now.ts';

type Shown = FeedEntry['kind'] | 'all';

export function Feed({ entries }: { entries: readonly FeedEntry[] }) {
  const [shown, setShown] = useState<Shown>('all');
  const listed = entries.filter(({ kind }) => shown === 'all' || kind === shown);
  return (
    <section class="card" aria-labelledby="feed-title">
      <div class="card-head">
        <h2 id="feed-title">Violations and audit</h2>
        <label>
          <span class="unseen">Show</span>
          <select value={shown} onChange={({ currentTarget }) => setShown(currentTarget.value as Shown)}>
            <option value="all">All</option>
            <option value="violation">Violations</option>
            <option value="audit">Audit</option>
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
      <strong>
        <Line text={what} most={60} />
      </strong>{' '}
      {agent_id !== null && <Line text={name ?? agent_id} most={40} />}{' '}
      {session_id !== null && (
        <a href={sessionHref(session_id)} class="mono">
          {session_id.slice(-8)}
        </a>
      )}{' '}
      <span class="dim detail">
        <Line text={detailText(detail)} most={160} />
      </span>
    </li>
  );
}

function detailText(detail: FeedEntry['detail']): string {
  const inWords = detail.detail ?? detail.reason;
  if (typeof inWords === 'string' && inWords !== '') return inWords;
  return Object.keys(detail).length === 0 ? '' : JSON.stringify(detail);
}

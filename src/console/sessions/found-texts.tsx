/** Lists the matches of a search: session, sender and surrounding text. */

import type { SessionDescription } from '../../core/protocol/operations/console-sessions.ts';
import { HUB_ID } from '../../core/records/session/envelope.ts';
import type { SearchMatch } from '../../core/records/session/search.ts';
import { type ListFilter, sessionHref } from '../state/route.ts';
import { useConsole } from '../state/use-store.ts';
import { Line } from '../text/untrusted-text.tsx';
import { visibleText } from '../text/visible-text.ts';
import { clockTime } from '../time/time-text.ts';
import { useNow } from '../time/times.tsx';
import { LineIn } from '../widgets/widgets.tsx';
import { searchOn } from './search.ts';

const MAX_SHOWN = 300;

export function FoundTexts({ filter }: { filter: ListFilter }) {
  const found = useConsole((state) => state.list.found);
  if (found === null) return null;
  const shown = found.matches.slice(0, MAX_SHOWN);
  return (
    <section class="found" aria-label="Found">
      <p role="status" class="dim">
        {found.isLooking ? 'Searching…' : `${found.matches.length} found${found.next === null ? '' : ' so far'}`}
      </p>
      <ol>
        {shown.map((match) => (
          <Match key={`${match.session_id} ${match.seq}`} match={match} />
        ))}
      </ol>
      {found.next !== null && !found.isLooking && shown.length < MAX_SHOWN && (
        <button type="button" onClick={() => searchOn(filter)}>
          Search further
        </button>
      )}
    </section>
  );
}

function Match({ match }: { match: SearchMatch }) {
  const now = useNow();
  const { session_id, seq, snippet, at, length, created_at, sender_id } = match;
  const type = useConsole(({ list }) => list.rows.get(session_id)?.type ?? '');
  const speaker = useConsole(({ list }) => nameOf(list.described.get(session_id), sender_id));
  return (
    <li>
      <a href={sessionHref(session_id, seq)}>
        <span class="mono">{session_id.slice(-8)}</span> #{seq}
      </a>{' '}
      <LineIn tag="strong" text={type} most={40} /> <Line text={speaker} most={40} />{' '}
      <span class="dim">{clockTime(created_at, now)}</span>
      <p>
        <bdi>
          {visibleText(snippet.slice(0, at))}
          <mark>{visibleText(snippet.slice(at, at + length))}</mark>
          {visibleText(snippet.slice(at + length))}
        </bdi>
      </p>
    </li>
  );
}

function nameOf(description: SessionDescription | undefined, senderId: string): string {
  if (senderId === HUB_ID) return 'the hub';
  return description?.participants.find(({ agent_id }) => agent_id === senderId)?.name ?? '';
}

/** Page that lists all sessions and keeps the list current. */

import { useEffect, useMemo } from 'preact/hooks';
import { hrefOf, type ListFilter } from '../state/route.ts';
import { visibleIds } from '../state/session-list.ts';
import { useConsole } from '../state/use-store.ts';
import { Failure } from '../widgets/widgets.tsx';
import { Filters } from './filters.tsx';
import { FoundTexts } from './found-texts.tsx';
import { followList } from './live-list.ts';
import { countText, startSearch } from './search.ts';
import { SessionTable } from './session-table.tsx';

export function SessionsPage({ filter }: { filter: ListFilter }) {
  const list = useConsole((state) => state.list);
  const observes = useConsole((state) => state.me?.grants.includes('observe') ?? false);
  const isReadOnly = useConsole((state) => state.readOnly);
  const ids = useMemo(() => visibleIds(list, filter), [list, filter]);
  useEffect(followList, []);
  const { search, states, type } = filter;
  useEffect(() => startSearch(filter), [search, states.join(), type]);
  const count = search === '' ? countText(list, ids.length) : '';
  return (
    <div class="page sessions-page">
      <div class="page-head">
        <h1>Sessions</h1>
        <p class="count" role="status">
          {count}
          {count !== '' && !observes && ' (yours)'}
        </p>
        {!isReadOnly && (
          <a class="open-link" href={hrefOf({ page: 'open' })}>
            Open a session
          </a>
        )}
      </div>
      <Filters filter={filter} />
      {list.refusal !== null && <Failure title="The hub refused" why={list.refusal} />}
      {search === '' ? <SessionTable list={list} ids={ids} /> : <FoundTexts filter={filter} />}
    </div>
  );
}

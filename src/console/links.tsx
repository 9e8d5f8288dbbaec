/** Links that several pages show. */

import { hrefOf, NO_FILTER, sessionHref } from './state/route.ts';

/** Shows the end of the id, as everywhere in the console. */
export function SessionLink({ id }: { id: string }) {
  return (
    <a href={sessionHref(id)} class="mono">
      {id.slice(-8)}
    </a>
  );
}

export function AllSessionsLink({ text = 'All sessions' }: { text?: string }) {
  return (
    <p>
      <a href={hrefOf({ page: 'sessions', filter: NO_FILTER })}>{text}</a>
    </p>
  );
}

/** Encodes the page shown in the fragment of the address, so that the hub serves a single document. Pure. */

import type { LifecycleState } from '../../core/records/session/session.ts';

export interface ListFilter {
  readonly states: readonly LifecycleState[];
  readonly type: string;
  /** Part of a participant's name. */
  readonly participant: string;
  /** Part of a label (`name=value`) or of the session id. */
  readonly label: string;
  /** Text to search for in the messages. */
  readonly search: string;
}

export type Route =
  | { readonly page: 'sessions'; readonly filter: ListFilter }
  | { readonly page: 'session'; readonly sessionId: string; readonly atSeq: number | null; readonly as: string | null }
  | { readonly page: 'hub' }
  | { readonly page: 'open' }
  | { readonly page: 'unknown'; readonly path: string };

export const STATES: readonly LifecycleState[] = ['INVITED', 'ACTIVE', 'CLOSING', 'CLOSED', 'EXPIRED'];

export const NO_FILTER: ListFilter = { states: [], type: '', participant: '', label: '', search: '' };

export function parseRoute(fragment: string): Route {
  const [path = '', query = ''] = fragment.replace(/^#?\/?/, '').split('?', 2);
  const params = new URLSearchParams(query);
  const [page = '', id = ''] = path.split('/');
  if (page === '' || (page === 'sessions' && id === '')) return { page: 'sessions', filter: filterIn(params) };
  if ((page === 'hub' || page === 'open') && id === '') return { page };
  if (page === 'sessions') {
    // Pages show only the end of an id, so a partial id searches the list.
    if (/^[0-9a-f]{4,31}$/.test(id)) return { page: 'sessions', filter: { ...NO_FILTER, label: id } };
    return { page: 'session', sessionId: decoded(id), atSeq: seqIn(params.get('at')), as: params.get('as') };
  }
  return { page: 'unknown', path: decoded(path) };
}

/** Always starts with `#/`, so a route never leads to another site. */
export function hrefOf(route: Route): string {
  switch (route.page) {
    case 'sessions':
      return `#/sessions${queryOf({ ...route.filter, states: route.filter.states.join(',') })}`;
    case 'session': {
      const { sessionId, atSeq, as } = route;
      return `#/sessions/${encodeURIComponent(sessionId)}${queryOf({ at: atSeq === null ? '' : String(atSeq), as: as ?? '' })}`;
    }
    case 'unknown':
      return `#/${encodeURIComponent(route.path)}`;
    default:
      return `#/${route.page}`;
  }
}

/** The title of the browser tab. */
export function titleOf(route: Route): string {
  return route.page === 'session' ? `Session ${route.sessionId.slice(-8)} · Parley` : TITLES[route.page];
}

const TITLES: Readonly<Record<Exclude<Route['page'], 'session'>, string>> = {
  sessions: 'Sessions · Parley',
  open: 'Open a session · Parley',
  hub: 'Hub · Parley',
  unknown: 'Parley',
};

export function sessionHref(sessionId: string, atSeq: number | null = null): string {
  return hrefOf({ page: 'session', sessionId, atSeq, as: null });
}

function filterIn(params: URLSearchParams): ListFilter {
  const text = (name: string): string => params.get(name) ?? '';
  const states = text('states').split(',');
  return {
    states: STATES.filter((state) => states.includes(state)),
    type: text('type'),
    participant: text('participant'),
    label: text('label'),
    search: text('search'),
  };
}

function seqIn(text: string | null): number | null {
  return text !== null && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : null;
}

function queryOf(values: Readonly<Record<string, string>>): string {
  const given = Object.entries(values).filter(([, value]) => value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

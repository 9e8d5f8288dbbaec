/** Transcript search: parameters, results, and the cursor of the next page. */

import { createFinder, type Finder, type Snippet, type TextMatch, textValues } from '../../lib/find-text.ts';
import { invalidValueError } from '../../lib/json.ts';
import type { Envelope } from './envelope.ts';
import type { LifecycleState } from './session.ts';
import type { Head } from './unit.ts';

export interface SearchParams {
  readonly query: string;
  readonly match?: TextMatch | undefined;
  readonly states?: readonly LifecycleState[] | undefined;
  readonly type?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly participant?: string | undefined;
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

export interface SearchMatch extends Snippet {
  readonly session_id: string;
  readonly seq: number;
  readonly envelope_id: string;
  /** An agent id, or "hub". */
  readonly sender_id: string;
  readonly event_type: string;
  readonly created_at: string;
}

export interface SearchPage {
  /** Newest session first, newest envelope first. */
  readonly matches: readonly SearchMatch[];
  /** Continues the search, even after a page without matches; null if the search is done. */
  readonly next: string | null;
}

export function finderFor({ query, match = 'substring' }: SearchParams): Finder {
  const finder = createFinder(query, match);
  if (finder !== null) return finder;
  throw invalidValueError('params.query', 'a text with at least one letter or digit', query);
}

/** Whether the session matches all filters except the text. */
export function isSearched(head: Head, { states, type, labels = {} }: SearchParams, participantId?: string): boolean {
  if (states !== undefined && !states.includes(head.state)) return false;
  if (type !== undefined && head.type !== type) return false;
  if (participantId !== undefined && head.members[participantId] === undefined) return false;
  return Object.entries(labels).every(([name, value]) => head.labels[name] === value);
}

/** The number of characters to search in an envelope. */
export function lengthOf(envelope: Envelope): number {
  let length = 0;
  for (const one of textValues(envelope.event_data)) length += one.length;
  return length;
}

/** Where the next page continues: `within` a session first, then `after` a position in the list. */
export interface SearchCursor {
  readonly within: { readonly sessionId: string; readonly seq: number } | null;
  /** undefined = from the beginning of the list; null = no further sessions. */
  readonly after: string | null | undefined;
}

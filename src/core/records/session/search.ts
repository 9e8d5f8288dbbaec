/** Looking through transcripts: what is asked, what is answered, and where the next page goes on. Pure. */

import { type Envelope, HUB_ID } from './envelope.ts';
import { type Finder, finderOf, type Snippet, snippetOf, type TextMatch, textsIn } from '../../lib/find-text.ts';
import type { Head } from '../../state/fold-head.ts';
import { badValue } from '../../lib/json.ts';
import type { LifecycleState } from './session.ts';

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
  /** An agent, or the hub. */
  readonly sender_id: string;
  readonly event_type: string;
  readonly created_at: string;
}

export interface SearchPage {
  /** Of the newest session first, and of each the newest first. */
  readonly matches: readonly SearchMatch[];
  /** There is more to look through, whether or not anything was found so far; null = that was all. */
  readonly next: string | null;
}

export function finderFor({ query, match = 'substring' }: SearchParams): Finder {
  const finder = finderOf(query, match);
  if (finder !== null) return finder;
  throw badValue('params.query', 'a text with at least one letter or digit', query);
}

/** What of a session is asked for beside the text. */
export function isSearched(head: Head, { states, type, labels = {} }: SearchParams, participantId?: string): boolean {
  if (states !== undefined && !states.includes(head.state)) return false;
  if (type !== undefined && head.type !== type) return false;
  if (participantId !== undefined && head.members[participantId] === undefined) return false;
  return Object.entries(labels).every(([name, value]) => head.labels[name] === value);
}

/** What a session type says about itself is in every session of it, and nobody said it there. */
export function findIn(envelope: Envelope, find: Finder): SearchMatch | null {
  // That something was redacted is no text anybody said.
  if (envelope.redacted !== undefined) return null;
  const { manifest: _, ...said } = envelope.event_data;
  for (const one of textsIn(envelope.sender_id === HUB_ID ? said : envelope.event_data)) {
    const found = find(one);
    if (found === null) continue;
    const { session_id, seq, envelope_id, sender_id, event_type, created_at } = envelope;
    return { session_id, seq, envelope_id, sender_id, event_type, created_at, ...snippetOf(found) };
  }
  return null;
}

/** How much there was to look through. */
export function lengthOf(envelope: Envelope): number {
  let length = 0;
  for (const one of textsIn(envelope.event_data)) length += one.length;
  return length;
}

/** Where a search goes on: within a session, then with those after a place of the list; null = with none. */
export interface SearchPlace {
  readonly within: { readonly sessionId: string; readonly seq: number } | null;
  /** undefined = from the beginning of the list. */
  readonly after: string | null | undefined;
}

const PLACE = /^(?:([1-9]\d{0,15})\.([0-9a-f]{32}))?~(.*)$/s;

export function placeText({ within, after }: SearchPlace): string {
  const here = within === null ? '' : `${within.seq}.${within.sessionId}`;
  return `${here}~${after ?? ''}`;
}

export function placeIn(cursor: string | undefined): SearchPlace {
  if (cursor === undefined) return { within: null, after: undefined };
  const [, at, id, after = ''] = PLACE.exec(cursor) ?? [];
  const within = at === undefined || id === undefined ? null : { sessionId: id, seq: Number(at) };
  if (within === null && after === '') throw badValue('params.after', 'the `next` of a page', cursor);
  return { within, after: after === '' ? null : after };
}

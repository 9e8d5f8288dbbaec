/** Helpers to write to a store and to read all of it. */

import { expect } from 'vitest';
import type { Json } from '../../../src/core/lib/json.ts';
import type { Append, AppendOutcome, HeadToken, LiveRow, SessionQuery, Store } from '../../../src/core/ports/store.ts';
import type { Entry, Head, Unit } from '../../../src/core/records/session/unit.ts';

export async function durably(store: Store, logId: string, expected: HeadToken | null, what: Unit): Promise<HeadToken> {
  const { token, outcome } = store.append(logId, expected, what);
  expect(await outcome).toEqual({ kind: 'durable' });
  return token;
}

export function all(store: Store, logId: string): Promise<readonly Entry[]> {
  return store.read(logId, { from_seq: 1, limit: 1000 });
}

export async function seqs(store: Store, logId: string): Promise<readonly number[]> {
  return seqsOf(await all(store, logId));
}

export function seqsOf(entries: readonly Entry[]): readonly number[] {
  return entries.map(({ envelope }) => envelope.seq);
}

export async function texts(store: Store, logId: string): Promise<readonly (Json | undefined)[]> {
  return (await all(store, logId)).map(({ envelope }) => envelope.event_data.text);
}

/** Everything visible of one log, and the list of sessions. */
export async function glimpse(store: Store, logId: string): Promise<object> {
  return {
    seqs: await seqs(store, logId),
    position: (await store.position(logId))?.seq ?? null,
    head: (await store.head(logId))?.head.state ?? null,
    live: await liveIds(store),
    listed: await listedIds(store, { limit: 10 }),
  };
}

export async function liveIds(store: Store): Promise<readonly string[]> {
  return (await liveRows(store)).map(({ session_id }) => session_id);
}

/** Sorted by id, because a store may return rows in any order. */
export async function liveRows(store: Store): Promise<readonly LiveRow[]> {
  const rows: LiveRow[] = [];
  for await (const page of store.liveRows()) rows.push(...page);
  return rows.sort((a, b) => (a.session_id < b.session_id ? -1 : 1));
}

export async function listedIds(store: Store, query: SessionQuery): Promise<readonly string[]> {
  return (await allPages(store, query)).map(({ session_id }) => session_id);
}

/** Follows `next` to the end, up to ten pages, so that a page that leads to itself does not hang the test. */
export async function allPages(store: Store, query: SessionQuery): Promise<readonly Head[]> {
  const heads: Head[] = [];
  let page = await store.list(query);
  for (let pages = 1; ; pages++) {
    expect(page.heads.length).toBeLessThanOrEqual(query.limit);
    heads.push(...page.heads.map(({ head }) => head));
    if (page.next === null) return heads;
    expect(pages, 'pages of a list of a few sessions').toBeLessThan(10);
    page = await store.list({ ...query, after: page.next });
  }
}

export function outcomes(...appends: readonly Append[]): Promise<AppendOutcome[]> {
  return Promise.all(appends.map(({ outcome }) => outcome));
}

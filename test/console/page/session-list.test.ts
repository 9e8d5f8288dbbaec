// The list of sessions: pages, changes, filters, reloading, and the windows of rows that are drawn.

import { describe, expect, it } from 'vitest';
import { evenWindow, rowByKey, scrollFor, steadyTop, unevenWindow } from '../../../src/console/lib/rows-window.ts';
import { countText } from '../../../src/console/sessions/search.ts';
import { askedSince, FIRST_SWEEP, type Sweep, sweepFrom, withSwept } from '../../../src/console/state/change-sweep.ts';
import { NO_FILTER } from '../../../src/console/state/route.ts';
import {
  EMPTY_LIST,
  inPlaceOf,
  isNarrow,
  undescribed,
  visibleIds,
  withChanges,
  withDescriptions,
  withPage,
} from '../../../src/console/state/session-list.ts';
import type { SessionDescription } from '../../../src/core/protocol/operations/console-sessions.ts';
import type { SessionSummary } from '../../../src/core/protocol/operations/sessions.ts';

const time = (seconds: number): string => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();

/** A session named by a number was created at that second. */
const summary = (id: string, part: Partial<SessionSummary> = {}): SessionSummary => ({
  session_id: id,
  type: 'conversation',
  state: 'ACTIVE',
  creator_id: 'a1',
  created_at: time(Number(id) || 0),
  changed_at: time(Number(id) || 0),
  closed_at: null,
  close_reason: null,
  labels: {},
  head_seq: 1,
  turn: null,
  ...part,
});
const described = (session_id: string, head_seq: number, names: readonly string[] = []) =>
  ({ session_id, head_seq, participants: names.map((name) => ({ name })) }) as unknown as SessionDescription;
const listOf = (...sessions: SessionSummary[]) => withPage(EMPTY_LIST, { sessions, next: null });

describe('long lists', () => {
  it('[UI4] of 10,000 rows only those on screen are drawn; the others take their room', () => {
    const { start, end, before, after } = evenWindow(10_000, 40, { top: 200_000, height: 800 });
    expect(end - start).toBeLessThan(40);
    expect(start * 40).toBeLessThanOrEqual(200_000);
    expect(before + (end - start) * 40 + after).toBe(400_000);
    expect(evenWindow(0, 40, { top: 0, height: 800 })).toEqual({ start: 0, end: 0, before: 0, after: 0 });
    // The list became shorter while it was scrolled down.
    expect(evenWindow(3, 40, { top: 9999, height: 800 })).toMatchObject({ end: 3, after: 0 });
  });

  it('[UI4] rows of any height add up to the whole height', () => {
    const heights = Array.from({ length: 500 }, (_, at) => 20 + (at % 7) * 30);
    const whole = heights.reduce((sum, height) => sum + height, 0);
    for (const top of [0, 777, whole - 500, whole + 9999]) {
      const { start, end, before, after } = unevenWindow(heights, { top, height: 500 });
      const drawn = heights.slice(start, end).reduce((sum, height) => sum + height, 0);
      expect(before + drawn + after).toBe(whole);
      expect(end - start).toBeLessThan(60);
    }
  });

  it('[UI4] rows added above keep the visible rows in place, except at the top', () => {
    const before = ['c', 'b', 'a'];
    const now = ['e', 'd', 'c', 'b', 'a'];
    expect(steadyTop(before, now, 40, 0)).toBe(0);
    expect(steadyTop(before, now, 40, 50)).toBe(130);
    expect(steadyTop(now, before, 40, 130)).toBe(50);
    // The filter removed the row.
    expect(steadyTop(before, ['x'], 40, 50)).toBe(50);
  });

  it('[UI9] keys move through a list and never out of it', () => {
    expect(
      ['ArrowDown', 'ArrowUp', 'PageDown', 'PageUp', 'Home', 'End', 'a'].map((key) => rowByKey(key, 5, 100, 10)),
    ).toEqual([6, 4, 15, 0, 0, 99, null]);
    expect(rowByKey('ArrowUp', 0, 100, 10)).toBe(0);
    expect(rowByKey('End', 0, 0, 10)).toBeNull();
    expect(scrollFor(0, 40, { top: 100, height: 400 })).toBe(0);
    expect(scrollFor(50, 40, { top: 0, height: 400 })).toBe(1640);
    expect(scrollFor(3, 40, { top: 0, height: 400 })).toBeNull();
  });
});

describe('the list of sessions', () => {
  const list = withPage(EMPTY_LIST, { sessions: ['9', '8', '7'].map((id) => summary(id)), next: 'cursor' });

  it('[UI4] new rows come first, changed rows stay in place, unread rows wait for their page', () => {
    const next = withChanges(list, [
      summary('10'),
      summary('8', { head_seq: 2, state: 'CLOSED', changed_at: '2026-01-01T00:01:00.000Z' }),
      summary('3', { head_seq: 5 }),
    ]);
    expect(next.order).toEqual(['10', '9', '8', '7']);
    expect(next.rows.get('8')?.state).toBe('CLOSED');
    expect(withPage(next, { sessions: [summary('3')], next: null }).order).toEqual(['10', '9', '8', '7', '3']);
  });

  it('[UI4] the count says how much is known, and is empty before the first page', () => {
    expect(countText(EMPTY_LIST, 0)).toBe('');
    expect([countText(list, 3), countText(list, 1)]).toEqual(['the newest 3, more below', '1 of the newest 3']);
    const all = { ...list, next: null };
    expect([countText(all, 3), countText(all, 0)]).toEqual(['3', '0 of 3']);
  });

  it('[UI4] unchanged rows and late older answers change nothing', () => {
    expect(withChanges(list, [summary('8')])).toBe(list);
    const newer = withChanges(list, [summary('8', { head_seq: 3, state: 'CLOSED' })]);
    expect(withPage(newer, { sessions: [summary('8', { head_seq: 2 })], next: null }).rows).toBe(newer.rows);
  });

  it('[UI4] changes are read completely, in any order and over several sweeps', () => {
    const changed = (id: string, second: number) => summary(id, { changed_at: time(second) });
    const first = sweepFrom(FIRST_SWEEP, { sessions: [changed('9', 10), changed('8', 12)], next: 'more' });
    expect(askedSince(FIRST_SWEEP)).toBeUndefined();
    expect(askedSince(first)).toBe('2026-01-01T00:00:11.000Z');
    // A page with newer changes must not skip changes that were not read yet.
    expect(sweepFrom(first, { sessions: [changed('3', 50)], next: null })).toBe(first);
    const half = withSwept(first, { sessions: [changed('9', 20)], next: 'cursor' });
    expect([askedSince(half), half.after]).toEqual([askedSince(first), 'cursor']);
    const whole = withSwept(half, { sessions: [changed('1', 40)], next: null });
    // Sessions may have changed between 20 and 40 after the first page was read.
    expect([askedSince(whole), whole.after]).toEqual(['2026-01-01T00:00:19.000Z', null]);
  });

  it('[UI4] filters match state, type, participant and label', () => {
    const mixed = withDescriptions(
      withPage(EMPTY_LIST, {
        sessions: [
          summary('9', { state: 'CLOSED' }),
          summary('8', { type: 'workflow' }),
          summary('7', { labels: { team: 'red' } }),
        ],
        next: null,
      }),
      [described('9', 1, ['alice', 'Bob']), described('8', 1, ['carol'])],
    );
    const by = (part: Partial<typeof NO_FILTER>) => visibleIds(mixed, { ...NO_FILTER, ...part });
    expect(by({})).toEqual(['9', '8', '7']);
    expect(by({ states: ['CLOSED'] })).toEqual(['9']);
    expect(by({ type: 'work' })).toEqual(['8']);
    expect(by({ participant: 'bo' })).toEqual(['9']);
    expect(by({ label: 'team=r' })).toEqual(['7']);
  });

  it('[UI4] a row is described once, and again after new envelopes', () => {
    const known = withDescriptions(list, [described('9', 1, ['alice']), described('8', 1, ['alice'])]);
    expect(undescribed(known, ['9', '8', '7'], 100)).toEqual(['7']);
    expect(undescribed(withChanges(known, [summary('9', { head_seq: 2 })]), ['9', '8'], 100)).toEqual(['9']);
  });

  it('[UI4] a filter is narrow if it may hide rows', () => {
    const parts = [{ states: ['ACTIVE'] }, { type: 'x' }, { participant: 'x' }, { label: 'x' }] as const;
    expect(parts.map((part) => isNarrow({ ...NO_FILTER, ...part }))).toEqual([true, true, true, true]);
    expect(isNarrow({ ...NO_FILTER, search: 'x' })).toBe(false);
  });
});

describe('a reloaded list', () => {
  const found = { query: 'x', matches: [], next: null, isLooking: false };
  const before = withDescriptions(
    {
      ...listOf(summary('gone'), summary('back', { head_seq: 8 }), summary('other', { head_seq: 5 }), summary('kept')),
      found,
    },
    [described('gone', 1), described('back', 8), described('other', 5), described('kept', 1), described('found', 3)],
  );
  const anew = listOf(
    summary('back', { head_seq: 3 }),
    summary('other', { head_seq: 5, changed_at: time(9) }),
    summary('kept'),
  );

  it('[UI4, UI6] has the rows of the hub, including those that were set back', () => {
    const { rows, order, sweep } = inPlaceOf(before, anew);
    expect([...order].sort()).toEqual(['back', 'kept', 'other']);
    expect(rows.get('back')?.head_seq).toBe(3);
    expect(sweep).toEqual(anew.sweep);
  });

  it('[UI4] keeps the descriptions of unchanged rows and the search results', () => {
    const now = inPlaceOf(before, anew);
    expect([...now.described.keys()].sort()).toEqual(['found', 'kept']);
    expect(now.found).toBe(found);
  });
});

describe('the sweep for changes', () => {
  const PAGE = 100;
  /** Many sessions that changed within one second, and the requests that a sweep needs. */
  function aHub(count: number) {
    const sessions = Array.from({ length: count }, (_, at) => summary(`s${at}`, { changed_at: time(at / count) }));
    let sweep: Sweep = sweepFrom(FIRST_SWEEP, { sessions: sessions.slice(0, PAGE), next: 'more' });
    const look = () => {
      const since = askedSince(sweep) ?? '';
      const seen: string[] = [];
      let asks = 0;
      do {
        const from = Number(sweep.after ?? 0);
        const changed = sessions.filter(({ changed_at }) => changed_at >= since);
        const page = changed.slice(from, from + PAGE);
        sweep = withSwept(sweep, {
          sessions: page,
          next: from + PAGE < changed.length ? String(from + PAGE) : null,
        });
        seen.push(...page.map(({ session_id }) => session_id));
        asks += 1;
      } while (sweep.after !== null);
      return { asks, seen };
    };
    const change = (at: number, seconds: number) => {
      sessions[at] = summary(`s${at}`, { changed_at: time(seconds), head_seq: 2 });
    };
    return { look, change };
  }

  it('[UI4] takes one request while nothing changes, even after many simultaneous changes', () => {
    const { look } = aHub(450);
    const asks = Array.from({ length: 12 }, () => look().asks);
    expect(asks[0]).toBe(5);
    expect(asks.slice(-6)).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it('[UI4] finds later changes anywhere in the list, and rereads changes that arrive late', () => {
    const { look, change } = aHub(450);
    for (let looks = 0; looks < 12; looks += 1) look();
    change(440, 5);
    expect(look().seen).toEqual(['s440']);
    // Its stamp is older than a change that is known already.
    change(3, 4.5);
    expect(look().seen).toEqual(['s3', 's440']);
  });
});

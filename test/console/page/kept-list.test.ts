// The list of sessions: pages, changes, filters, reloading, and the windows of rows that are drawn.

import { describe, expect, it } from 'vitest';
import { askedSince, FIRST_SWEEP, type Sweep, sweepFrom, withSwept } from '../../../src/console/state/change-sweep.ts';
import { NO_FILTER } from '../../../src/console/state/route.ts';
import {
  EMPTY_LIST,
  inPlaceOf,
  isNarrow,
  withDescriptions,
  withPage,
} from '../../../src/console/state/session-list.ts';
import { visibleText } from '../../../src/console/text/visible-text.ts';
import type { SessionDescription } from '../../../src/core/protocol/operations/console-sessions.ts';
import type { SessionSummary } from '../../../src/core/protocol/operations/sessions.ts';

const time = (seconds: number): string => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();

const summary = (id: string, part: Partial<SessionSummary> = {}): SessionSummary => ({
  session_id: id,
  type: 'conversation',
  state: 'ACTIVE',
  creator_id: 'a1',
  created_at: time(0),
  changed_at: time(0),
  closed_at: null,
  close_reason: null,
  labels: {},
  head_seq: 1,
  turn: null,
  ...part,
});
const described = (session_id: string, head_seq: number) => ({ session_id, head_seq }) as SessionDescription;
const listOf = (...sessions: SessionSummary[]) => withPage(EMPTY_LIST, { sessions, next: null });

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

describe('a filter', () => {
  it('[UI4] is narrow if it may hide rows', () => {
    const parts = [{ states: ['ACTIVE'] }, { type: 'x' }, { participant: 'x' }, { label: 'x' }] as const;
    expect(parts.map((part) => isNarrow({ ...NO_FILTER, ...part }))).toEqual([true, true, true, true]);
    expect(isNarrow({ ...NO_FILTER, search: 'x' })).toBe(false);
  });
});

describe('invisible text', () => {
  it('[UI8] is made visible: grapheme joiners, variation selectors, blanks', () => {
    expect(visibleText('ali\u034Fce')).toBe('ali⟨U+034F⟩ce');
    expect(visibleText('bob\uFE00, bob\uFE0F, agent1\uFE0F')).toBe('bob⟨U+FE00⟩, bob⟨U+FE0F⟩, agent1⟨U+FE0F⟩');
    expect(visibleText('c\u{E0100}d\u{E01EF}')).toBe('c⟨U+E0100⟩d⟨U+E01EF⟩');
    expect(visibleText('e\u180Bf\u17B4g\uFFF0')).toBe('e⟨U+180B⟩f⟨U+17B4⟩g⟨U+FFF0⟩');
    expect(visibleText('\u2764\uFE0F\uFE0F')).toBe('\u2764\uFE0F⟨U+FE0F⟩');
  });

  it('[UI8] stays where emoji, keycaps and scripts need it', () => {
    const needed = '\u2764\uFE0F \u263A\uFE0E 1\uFE0F\u20E3 \u{1F3F3}\uFE0F\u200D\u{1F308} \u1820\u180B';
    expect(visibleText(needed)).toBe(needed);
  });
});

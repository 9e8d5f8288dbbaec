// What the console decides without a browser: routes, windows of long lists, the log it holds, marks, text made visible.

import { describe, expect, it } from 'vitest';
import { findExpiredInvites } from '../../../src/console/act/invites/pending-invites.ts';
import { fromFragment, isReadOnlyAsked } from '../../../src/console/connection/sign-in-details.ts';
import { detailText, type FeedFilter, observedText, passesFilter } from '../../../src/console/hub/feed-text.ts';
import { evenWindow, rowByKey, scrollFor, steadyTop, unevenWindow } from '../../../src/console/lib/rows-window.ts';
import { OPTIONS } from '../../../src/console/parts/create/options.ts';
import { expectationText, withNames } from '../../../src/console/session/inspector/expectation-text.ts';
import { routingText } from '../../../src/console/session/transcript/routing-text.ts';
import { countText } from '../../../src/console/sessions/search.ts';
import { askedSince, FIRST_SWEEP, sweepFrom, withSwept } from '../../../src/console/state/change-sweep.ts';
import { EMPTY_HUB, withFeed } from '../../../src/console/state/hub-state.ts';
import { hrefOf, NO_FILTER, parseRoute } from '../../../src/console/state/route.ts';
import {
  EMPTY_LOG,
  firstSeq,
  lastSeq,
  MAX_HELD,
  readBack,
  withEarlier,
  withLater,
  withLive,
  withNewest,
} from '../../../src/console/state/session/log-window.ts';
import { MAX_MARKS, markOf, marksFrom, nearestMark, withMarks } from '../../../src/console/state/session/marks.ts';
import { newSession, withArrived, withDeltas, withState } from '../../../src/console/state/session/open-session.ts';
import { MAX_READ, unread, withRead } from '../../../src/console/state/session/whole-log.ts';
import {
  EMPTY_LIST,
  undescribed,
  visibleIds,
  withChanges,
  withDescriptions,
  withPage,
} from '../../../src/console/state/session-list.ts';
import { dollars, shortLine, visibleText } from '../../../src/console/text/visible-text.ts';
import { clockTime, countdown, duration } from '../../../src/console/time/time-text.ts';
import type { FeedEntry } from '../../../src/core/protocol/operations/console-hub.ts';
import type { SessionDescription, SessionStateAt } from '../../../src/core/protocol/operations/console-sessions.ts';
import type { SessionSummary } from '../../../src/core/protocol/operations/sessions.ts';
import { type Envelope, PLAIN } from '../../../src/core/records/session/envelope.ts';

const envelope = (seq: number, part: Partial<Envelope> = {}): Envelope => ({
  ...PLAIN,
  session_id: 's1',
  sender_id: 'a1',
  audience: null,
  event_type: 'msg.text',
  event_data: { text: `line ${seq}` },
  envelope_id: `e${seq}`,
  seq,
  depth: 0,
  created_at: '2026-01-01T00:00:00.000Z',
  ...part,
});
const run = (from: number, to: number): Envelope[] =>
  Array.from({ length: to - from + 1 }, (_, at) => envelope(from + at));

describe('where one is', () => {
  it.each([
    '#/sessions',
    '#/sessions?states=ACTIVE%2CCLOSED&type=a+b&label=team%3Dred&search=x%26y',
    '#/sessions/abc%2F%3F',
    '#/sessions/s-abc?at=7&as=bob',
    '#/hub',
  ])('[UI2] %s is read and written alike', (fragment) => {
    expect(hrefOf(parseRoute(fragment))).toBe(fragment);
  });

  it('[UI7] the end of an id, as it is shown everywhere, leads to what it may be', () => {
    expect(parseRoute('#/sessions/7811f070')).toEqual({
      page: 'sessions',
      filter: { ...NO_FILTER, label: '7811f070' },
    });
    const id = '0123456789abcdef'.repeat(2);
    expect(parseRoute(`#/sessions/${id}`)).toMatchObject({ page: 'session', sessionId: id });
  });

  it.each(['javascript:alert(1)', '//evil.test', '%E0%A4%A', '"><script>'])(
    '[UI8] whatever an address says, it leads to nowhere but this page: %s',
    (id) => {
      expect(hrefOf({ page: 'session', sessionId: id, atSeq: null, as: id })).toMatch(
        /^#\/sessions\/[\w%.!~*'()-]+\?as=[\w%.+*-]+$/,
      );
      expect(hrefOf(parseRoute(id))).toMatch(/^#\//);
    },
  );

  it('[UI2] a token of the address is taken, and nothing of it stays there', () => {
    expect(fromFragment('#token=parley_1&name=ann')).toEqual({ token: 'parley_1', name: 'ann', cleaned: '#/' });
    expect(fromFragment('#name=ann&token=t&to=%2Fhub').cleaned).toBe('#/hub');
    expect(fromFragment('#token=t&to=javascript:alert(1)').cleaned).toBe('#/');
    expect(fromFragment('#name=ann')).toEqual({ token: null, name: 'ann', cleaned: '#/' });
    expect(fromFragment('#/sessions?label=name=x')).toEqual({ token: null, name: null, cleaned: undefined });
    expect(fromFragment('#/sessions?search=token')).toEqual({ token: null, name: null, cleaned: undefined });
  });

  it('[UI3] read-only is asked for by the address', () => {
    expect(['?read-only', '?read-only=1', '', '?read-only=false'].map(isReadOnlyAsked)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('long lists', () => {
  it('[UI4] of 10,000 rows those on screen are drawn, and the others take their room', () => {
    const { start, end, before, after } = evenWindow(10_000, 40, { top: 200_000, height: 800 });
    expect(end - start).toBeLessThan(40);
    expect(start * 40).toBeLessThanOrEqual(200_000);
    expect(before + (end - start) * 40 + after).toBe(400_000);
    expect(evenWindow(0, 40, { top: 0, height: 800 })).toEqual({ start: 0, end: 0, before: 0, after: 0 });
    // A list that became shorter while it was scrolled down.
    expect(evenWindow(3, 40, { top: 9999, height: 800 })).toMatchObject({ end: 3, after: 0 });
  });

  it('[UI4] rows of any height leave no room out', () => {
    const heights = Array.from({ length: 500 }, (_, at) => 20 + (at % 7) * 30);
    const whole = heights.reduce((sum, height) => sum + height, 0);
    for (const top of [0, 777, whole - 500, whole + 9999]) {
      const { start, end, before, after } = unevenWindow(heights, { top, height: 500 });
      const drawn = heights.slice(start, end).reduce((sum, height) => sum + height, 0);
      expect(before + drawn + after).toBe(whole);
      expect(end - start).toBeLessThan(60);
    }
  });

  it('[UI4] rows that come above what is read push it nowhere; at the top the newest is seen', () => {
    const before = ['c', 'b', 'a'];
    const now = ['e', 'd', 'c', 'b', 'a'];
    expect(steadyTop(before, now, 40, 0)).toBe(0);
    expect(steadyTop(before, now, 40, 50)).toBe(130);
    expect(steadyTop(now, before, 40, 130)).toBe(50);
    // Filtered away: there is nothing to hold on to.
    expect(steadyTop(before, ['x'], 40, 50)).toBe(50);
  });

  it('[UI9] keys lead through a list and never out of it', () => {
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

const summary = (id: string, part: Partial<SessionSummary> = {}): SessionSummary => ({
  session_id: id,
  type: 'conversation',
  state: 'ACTIVE',
  creator_id: 'a1',
  created_at: `2026-01-01T00:00:${id.padStart(2, '0')}.000Z`,
  changed_at: `2026-01-01T00:00:${id.padStart(2, '0')}.000Z`,
  closed_at: null,
  close_reason: null,
  labels: {},
  head_seq: 1,
  turn: null,
  ...part,
});
const described = (id: string, names: readonly string[], head_seq = 1): SessionDescription => ({
  session_id: id,
  head_seq,
  state: 'ACTIVE',
  participants: names.map((name) => ({ agent_id: name, name, role: 'member', status: 'active' })),
  turn: null,
  awaits: null,
  next_deadline: null,
  cost_usd: null,
  usage: null,
  text: null,
});

describe('the list of sessions', () => {
  const list = withPage(EMPTY_LIST, { sessions: ['9', '8', '7'].map((id) => summary(id)), next: 'cursor' });

  it('[UI4] what is new comes first, what changed stays in its place, what was not read yet waits for its page', () => {
    const next = withChanges(list, [
      summary('10'),
      summary('8', { head_seq: 2, state: 'CLOSED', changed_at: '2026-01-01T00:01:00.000Z' }),
      summary('3', { head_seq: 5 }),
    ]);
    expect(next.order).toEqual(['10', '9', '8', '7']);
    expect(next.rows.get('8')?.state).toBe('CLOSED');
    expect(withPage(next, { sessions: [summary('3')], next: null }).order).toEqual(['10', '9', '8', '7', '3']);
  });

  it('[UI4] how many there are is told as far as it is known, and before that not at all', () => {
    expect(countText(EMPTY_LIST, 0)).toBe('');
    expect([countText(list, 3), countText(list, 1)]).toEqual(['the newest 3, more below', '1 of the newest 3']);
    const all = { ...list, next: null };
    expect([countText(all, 3), countText(all, 0)]).toEqual(['3', '0 of 3']);
  });

  it('[UI4] what has not changed is no change, and an older answer that comes late changes nothing', () => {
    expect(withChanges(list, [summary('8')])).toBe(list);
    const newer = withChanges(list, [summary('8', { head_seq: 3, state: 'CLOSED' })]);
    expect(withPage(newer, { sessions: [summary('8', { head_seq: 2 })], next: null }).rows).toBe(newer.rows);
  });

  it('[UI4] changes are read to the end, in any order and over several looks, and none is passed over', () => {
    const changed = (id: string, second: number) =>
      summary(id, { changed_at: `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z` });
    const first = sweepFrom(FIRST_SWEEP, { sessions: [changed('9', 10), changed('8', 12)], next: 'more' });
    expect(askedSince(FIRST_SWEEP)).toBeUndefined();
    expect(askedSince(first)).toBe('2026-01-01T00:00:11.000Z');
    // The next page of the list knows of newer changes; that does not pass over those that were not read yet.
    expect(sweepFrom(first, { sessions: [changed('3', 50)], next: null })).toBe(first);
    const half = withSwept(first, { sessions: [changed('9', 20)], next: 'cursor' });
    expect([askedSince(half), half.after]).toEqual([askedSince(first), 'cursor']);
    const whole = withSwept(half, { sessions: [changed('1', 40)], next: null });
    // 40 was seen after the first page was read: between 20 and 40 something may have changed that stands before it.
    expect([askedSince(whole), whole.after]).toEqual(['2026-01-01T00:00:19.000Z', null]);
  });

  it('[UI4] filters go by state, type, participant and label', () => {
    const mixed = withDescriptions(
      withPage(EMPTY_LIST, {
        sessions: [
          summary('9', { state: 'CLOSED' }),
          summary('8', { type: 'workflow' }),
          summary('7', { labels: { team: 'red' } }),
        ],
        next: null,
      }),
      [described('9', ['alice', 'Bob']), described('8', ['carol'])],
    );
    const by = (part: Partial<typeof NO_FILTER>) => visibleIds(mixed, { ...NO_FILTER, ...part });
    expect(by({})).toEqual(['9', '8', '7']);
    expect(by({ states: ['CLOSED'] })).toEqual(['9']);
    expect(by({ type: 'work' })).toEqual(['8']);
    expect(by({ participant: 'bo' })).toEqual(['9']);
    expect(by({ label: 'team=r' })).toEqual(['7']);
  });

  it('[UI4] a row is described once, and again when something was added', () => {
    const known = withDescriptions(list, [described('9', ['alice']), described('8', ['alice'])]);
    expect(undescribed(known, ['9', '8', '7'], 100)).toEqual(['7']);
    expect(undescribed(withChanges(known, [summary('9', { head_seq: 2 })]), ['9', '8'], 100)).toEqual(['9']);
  });
});

describe('the log that is held', () => {
  it('[UI5] is bounded however much comes, and keeps the newest for who follows', () => {
    let log = EMPTY_LOG;
    for (let seq = 1; seq <= 20_000; seq += 100) log = withLive(log, run(seq, seq + 99), true);
    expect(log.envelopes.length).toBeLessThanOrEqual(MAX_HELD + 200);
    expect(lastSeq(log)).toBe(20_000);
    expect(log.hasEarlier).toBe(true);
  });

  it('[UI5] who reads further up keeps what is there, and knows that there is more', () => {
    let log = withLive(EMPTY_LOG, run(1, 1000), false);
    for (let seq = 1001; seq <= 3000; seq += 100) log = withLive(log, run(seq, seq + 99), false);
    expect(firstSeq(log)).toBe(1);
    expect(log).toMatchObject({ hasLater: true, headSeq: 3000 });
    const seqs = log.envelopes.map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_, at) => at + 1));
  });

  it('[UI5] a repeat is passed over, and earlier pages are put before it', () => {
    const page = { envelopes: run(51, 100).reverse(), next: 50, head_seq: 100 };
    const log = withLive(readBack(page, true), run(99, 102), true);
    expect(log.envelopes.map(({ seq }) => seq)).toEqual(run(51, 102).map(({ seq }) => seq));
    const whole = withEarlier(log, { envelopes: run(1, 55).reverse(), next: null, head_seq: 102 });
    expect(whole.envelopes.map(({ seq }) => seq)).toEqual(run(1, 102).map(({ seq }) => seq));
    expect(whole.hasEarlier).toBe(false);
    const later = { envelopes: run(103, 140), next: null, head_seq: 140 };
    const on = withLater({ ...whole, hasLater: true, headSeq: 140 }, later);
    expect([firstSeq(on), lastSeq(on), on.hasLater]).toEqual([1, 140, false]);
  });
});

it('[UI5] the newest page is not the newest any more if something came meanwhile', () => {
  const page = { envelopes: run(51, 100).reverse(), next: 50, head_seq: 100 };
  expect(withNewest(EMPTY_LOG, page)).toMatchObject({ headSeq: 100, hasLater: false, hasEarlier: true });
  const meanwhile = withLive({ ...EMPTY_LOG, hasLater: true, headSeq: 90 }, run(101, 103), true);
  expect(withNewest(meanwhile, page)).toMatchObject({ headSeq: 103, hasLater: true });
});

it('[UI83] an invite waits as long as one is invited to what is not over', () => {
  const own = (status: string) => [{ agent_id: 'me', name: 'me', role: null, status }];
  const session = (session_id: string, state: string, status: string) => ({
    session_id,
    state,
    participants: own(status),
  });
  const sessions = [
    session('waits', 'INVITED', 'invited'),
    session('goes-on', 'ACTIVE', 'invited'),
    session('answered', 'ACTIVE', 'active'),
    session('removed', 'ACTIVE', 'removed'),
    session('over', 'CLOSED', 'invited'),
  ] as unknown as SessionDescription[];
  const ids = [...sessions.map(({ session_id }) => session_id), 'unknown'];
  expect(findExpiredInvites(ids, sessions, 'me')).toEqual(['answered', 'removed', 'over', 'unknown']);
});

describe('what happens beside what is said', () => {
  const names = new Map([['b1', 'bob']]);
  it.each([
    ['session.participant.hidden', { agent_id: 'b1', reason: 'late' }, 'hide', 'bob is hidden: late'],
    [
      'expectation.violated',
      { name: 'turn_within', detail: 'too late' },
      'violation',
      'turn_within was violated: too late',
    ],
    ['session.invite', { agent_id: 'b1' }, 'invite', 'bob is invited'],
    ['session.closed', { reason: 'done' }, 'close', 'closed: done'],
    ['msg.packet', { body: null, routing: { kind: 'handoff', target: 'bob' } }, 'handoff', 'handed over to bob'],
    ['task.started', {}, 'task', 'a1: task.started'],
    ['session.later', {}, 'other', 'session.later'],
    [
      'turn.accepted',
      { turn_id: 't1', result: { status: 'needs_human', summary: 'Stuck.', needs_human_reason: 'Which door?' } },
      'stop',
      't1 is accepted: Stuck.; asks a person: Which door?',
    ],
    [
      'turn.accepted',
      { turn_id: 't1', result: { status: 'completed', summary: 'Done.', phase_transition_request: 'building' } },
      'turn',
      't1 is accepted: Done.; asks for building',
    ],
    ['run.blocked', { blocked_on: 'human:key', detail: 'No key.' }, 'stop', 'blocked: needs a person: key: No key.'],
  ])('[UI5] %s is a quiet mark', (event_type, event_data, kind, text) => {
    expect(markOf(envelope(4, { event_type, event_data }), names)).toEqual({ seq: 4, kind, text });
  });

  it('[UI5] where a packet sends the turn is told apart from its words; a text sends it nowhere', () => {
    const packet = (routing: object, part: Partial<Envelope> = {}) =>
      envelope(1, { event_type: 'msg.packet', event_data: { body: 'x', routing: { ...routing } }, ...part });
    expect(routingText(packet({ kind: 'handoff', target: 'b1', reason: 'late' }), names)).toBe(
      'handed over to bob: late',
    );
    expect(routingText(packet({ kind: 'finish' }), names)).toBe('ended the session');
    expect(routingText(packet({ kind: 'tool', tool: 'approve' }), names)).toBe('called approve');
    const redacted = { at: '', by: '' } as never;
    expect(routingText(packet({ kind: 'finish' }, { redacted }), names)).toBeNull();
    const text = { text: '(handoff to bob)', routing: { kind: 'handoff', target: 'bob' } };
    expect(routingText(envelope(1, { event_data: text }), names)).toBeNull();
  });

  it('[UI5] ids in a state have names beside them, expectations are sentences', () => {
    expect(withNames({ bids: { b1: 4, x9: 1 }, next: ['b1'], none: null }, names)).toEqual({
      bids: { 'b1 (bob)': 4, x9: 1 },
      next: ['b1 (bob)'],
      none: null,
    });
    expect(expectationText({ params: { seconds: 120, on_failure: true }, on_violation: 'auto_close' })).toBe(
      'seconds: 120, on failure: yes; if violated: auto close',
    );
    expect(expectationText({ params: {}, on_violation: 'warn' })).toBe('if violated: warn');
  });

  it('[UI61] the form says that expectations replace those of the session type', () => {
    const field = OPTIONS.kind === 'group' ? OPTIONS.members.find(([name]) => name === 'expectations')?.[1] : undefined;
    expect(field?.help).toMatch(/replace the expectations of the session type/);
  });

  it('[UI98] what the hub has seen of an agent is a sentence', () => {
    const seen = { n: 3, completed: 2, failed: 1, expired: 0, p50_latency_ms: 65_000 };
    expect(observedText(['sql', seen])).toBe(
      'sql: 3 tasks, 2 completed, 1 failed, 0 expired; half of them within 1m 5s',
    );
    expect(observedText(['sql', { ...seen, n: 1, p50_latency_ms: null }])).toMatch(/^sql: 1 task, .* 0 expired$/);
  });

  it('[UI5] what is said is none', () => {
    expect(markOf(envelope(1), names)).toBeNull();
  });

  it('[UI7] leads from one mark to the next', () => {
    const hidden = [3, 9].map((seq) => envelope(seq, { event_type: 'session.opened', event_data: {} }));
    const marks = withMarks([], [...hidden, ...hidden, envelope(5)]);
    expect(marks.map(({ seq }) => seq)).toEqual([3, 9]);
    expect([nearestMark(marks, 9, 'before')?.seq, nearestMark(marks, 3, 'behind')?.seq]).toEqual([3, 9]);
    expect(nearestMark(marks, 3, 'before')).toBeNull();
  });

  it('[UI92] a timeline knows from where on it has all marks: what is held, what was read, what is kept', () => {
    const held = readBack({ envelopes: run(901, 1000).reverse(), next: 900, head_seq: 1000 }, true);
    const state = { head_seq: 1000, session: { knobs: {}, manifest: { type: 'x' } } } as unknown as SessionStateAt;
    const read = withRead(unread(1, state), run(1, 1000));
    expect(marksFrom([], held, null)).toBe(901);
    expect(marksFrom([], held, read)).toBe(901);
    expect(marksFrom([], held, { ...read, isWhole: true })).toBe(1);
    const long = { ...unread(1, { ...state, head_seq: 50_000 }), isWhole: true };
    expect(marksFrom([], held, long)).toBe(901);
    expect(marksFrom([], { ...held, envelopes: run(49_901, 50_000) }, long)).toBe(50_000 - MAX_READ + 1);
    const many = withMarks(
      [],
      run(1, MAX_MARKS + 5).map((one) => ({ ...one, event_type: 'session.opened' })),
    );
    expect(marksFrom(many, EMPTY_LOG, null)).toBe(6);
  });

  it('[UI5] what is being written is shown until it is said', () => {
    const delta = {
      kind: 'delta',
      session_id: 's1',
      sender_id: 'a1',
      turn_id: 't1',
      audience: null,
      recipient_id: 'x',
    } as const;
    const shown = (...texts: readonly [number, string][]) =>
      withDeltas(
        newSession('s1'),
        texts.map(([index, text]) => ({ ...delta, index, text })),
        1000,
      );
    const writing = shown([0, 'Hel'], [1, 'lo']);
    expect([...writing.writing]).toEqual([['t1', { senderId: 'a1', text: 'Hello', atMs: 1000 }]]);
    expect(shown([0, 'Hel'], [1, 'lo'], [0, 'Anew']).writing.get('t1')?.text).toBe('Anew');
    expect(withArrived(writing, [envelope(1, { causation_id: 't1' })], null).writing.size).toBe(0);
    expect(withArrived(writing, [envelope(1, { sender_id: 'a1' })], null).writing.size).toBe(0);
    expect(withArrived(writing, [envelope(1, { sender_id: 'other' })], null).writing.size).toBe(1);
    const flood = withDeltas(writing, [{ ...delta, index: 2, text: 'x'.repeat(100_000) }], 1000);
    expect(flood.writing.get('t1')?.text.length).toBeLessThanOrEqual(16_384);
    const odd = withDeltas(writing, [{ ...delta, turn_id: '__proto__', index: 0, text: 'x' }], 1000);
    expect([...odd.writing.keys()]).toEqual(['t1', '__proto__']);
  });

  it('[UI5] who has left, or shows nothing more, writes no longer; nor does anybody when it is over', () => {
    const delta = { kind: 'delta', session_id: 's1', sender_id: 'a1', turn_id: 't1', audience: null } as const;
    const writing = withDeltas(newSession('s1'), [{ ...delta, recipient_id: 'x', index: 0, text: 'Hel' }], 1000);
    const state = (lifecycle: string, status: string) =>
      ({
        session: { state: lifecycle, participants: [{ agent_id: 'a1', status }] },
        turn: null,
      }) as unknown as SessionStateAt;
    expect(withState(writing, state('ACTIVE', 'active'), 2000).writing.size).toBe(1);
    expect(withState(writing, state('ACTIVE', 'removed'), 2000).writing.size).toBe(0);
    expect(withState(writing, state('CLOSED', 'active'), 2000).writing.size).toBe(0);
    expect(withState(writing, state('ACTIVE', 'active'), 61_001).writing.size).toBe(0);
    const passed = { ...state('ACTIVE', 'active'), turn: { agent_id: 'other' } } as unknown as SessionStateAt;
    expect(withState(writing, passed, 2000).writing.size).toBe(1);
    expect(withState(writing, passed, 3001).writing.size).toBe(0);
  });
});

describe('text of strangers', () => {
  it('[UI8] what is invisible or turns text around is made visible, and what writing needs is left alone', () => {
    expect(visibleText('a\u0000b\u001b[31m\u007f')).toBe('a␀b␛[31m␡');
    expect(visibleText('abc\u202Egnp.exe\u2066')).toBe('abc⟨U+202E⟩gnp.exe⟨U+2066⟩');
    expect(visibleText('zero\u200Bwidth\uFEFF\u{E0041}')).toBe('zero⟨U+200B⟩width⟨U+FEFF⟩⟨U+E0041⟩');
    expect(visibleText('half \uD800 one')).toBe('half ⟨U+D800⟩ one');
    expect(visibleText('tab\tand\r\nline\n👩‍👩‍👧 नमस्ते שלום')).toBe('tab\tand\nline\n👩‍👩‍👧 नमस्ते שלום');
  });

  it('[UI8] in a line it is bounded, and no character is cut in two', () => {
    expect(shortLine('a\n b\t c')).toBe('a b c');
    expect(shortLine('😀'.repeat(1_000_000), 10)).toBe(`${'😀'.repeat(9)}…`);
  });
});

describe('times and sums', () => {
  it('[UI5] are told in the units people use', () => {
    expect([0, 999, 61_000, 3_600_000, 100_000_000].map(duration)).toEqual(['0s', '0s', '1m 1s', '1h', '1d 3h']);
    const now = Date.parse('2026-01-01T00:00:10.000Z');
    expect(countdown('2026-01-01T00:00:30.000Z', now)).toEqual({ text: 'in 20s', urgency: 'soon' });
    expect(countdown('2026-01-01T00:00:05.000Z', now)).toEqual({ text: '5s over', urgency: 'over' });
    expect([countdown('never', now).text, clockTime('never', now)]).toEqual(['–', '–']);
    expect([0, 0.00001, 0.0123, 12.3].map(dollars)).toEqual(['$0', '<$0.0001', '$0.0123', '$12.30']);
  });

  it('[UI6] of the feed looks are left out until they are asked for, and details are words', () => {
    const of = (kind: FeedEntry['kind'], what: string) => ({ kind, what }) as FeedEntry;
    const entries = [of('audit', 'session_observed'), of('audit', 'session_opened'), of('violation', 'turn_within')];
    const shown = (which: FeedFilter) => entries.filter((entry) => passesFilter(entry, which)).map(({ what }) => what);
    expect(shown('happened')).toEqual(['session_opened', 'turn_within']);
    expect(shown('audit')).toEqual(['session_observed', 'session_opened']);
    expect(shown('violation')).toEqual(['turn_within']);
    expect(shown('all')).toHaveLength(3);
    expect(detailText({ op: 'post', message: 'not yours', n: 2 })).toBe('op: post, message: not yours, n: 2');
    expect([detailText({}), detailText({ reason: 'late', n: 2 })]).toEqual(['', 'late']);
  });

  it('[UI6] of the feed nothing comes twice, and the newest is kept', () => {
    const entry = (number: number) => ({
      number,
      at: '',
      kind: 'audit' as const,
      session_id: null,
      agent_id: null,
      name: null,
      what: '',
      detail: {},
    });
    const feed = withFeed(withFeed(EMPTY_HUB.feed, [entry(2), entry(1)]), [entry(3), entry(2)]);
    expect(feed.map(({ number }) => number)).toEqual([3, 2, 1]);
    const many = Array.from({ length: 1000 }, (_, at) => entry(1003 - at));
    expect(withFeed(feed, many)).toHaveLength(200);
  });
});

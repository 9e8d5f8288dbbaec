// Pure parts of the console: routes, the loaded log, marks, deltas, untrusted text, times and the feed.

import { describe, expect, it } from 'vitest';
import { findExpiredInvites } from '../../../src/console/act/invites/pending-invites.ts';
import { fromFragment, isReadOnlyAsked } from '../../../src/console/connection/sign-in-details.ts';
import { detailText, type FeedFilter, observedText, passesFilter } from '../../../src/console/hub/feed-text.ts';
import { OPTIONS } from '../../../src/console/parts/create/options.ts';
import { expectationText, routingText, withNames } from '../../../src/console/session/session-text.ts';
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
import { dollars, shortLine, visibleText } from '../../../src/console/text/visible-text.ts';
import { clockTime, countdown, duration } from '../../../src/console/time/time-text.ts';
import type { FeedEntry } from '../../../src/core/protocol/operations/console-hub.ts';
import type { SessionDescription, SessionStateAt } from '../../../src/core/protocol/operations/console-sessions.ts';
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

describe('addresses', () => {
  it.each([
    '#/sessions',
    '#/sessions?states=ACTIVE%2CCLOSED&type=a+b&label=team%3Dred&search=x%26y',
    '#/sessions/abc%2F%3F',
    '#/sessions/s-abc?at=7&as=bob',
    '#/hub',
  ])('[UI2] %s is parsed and written unchanged', (fragment) => {
    expect(hrefOf(parseRoute(fragment))).toBe(fragment);
  });

  it('[UI7] the end of an id leads to the sessions it may belong to', () => {
    expect(parseRoute('#/sessions/7811f070')).toEqual({
      page: 'sessions',
      filter: { ...NO_FILTER, label: '7811f070' },
    });
    const id = '0123456789abcdef'.repeat(2);
    expect(parseRoute(`#/sessions/${id}`)).toMatchObject({ page: 'session', sessionId: id });
  });

  it.each(['javascript:alert(1)', '//evil.test', '%E0%A4%A', '"><script>'])(
    '[UI8] an address never leads away from this page: %s',
    (id) => {
      expect(hrefOf({ page: 'session', sessionId: id, atSeq: null, as: id })).toMatch(
        /^#\/sessions\/[\w%.!~*'()-]+\?as=[\w%.+*-]+$/,
      );
      expect(hrefOf(parseRoute(id))).toMatch(/^#\//);
    },
  );

  it('[UI2] a token is taken from the address and removed from it', () => {
    expect(fromFragment('#token=parley_1&name=ann')).toEqual({ token: 'parley_1', name: 'ann', cleaned: '#/' });
    expect(fromFragment('#name=ann&token=t&to=%2Fhub').cleaned).toBe('#/hub');
    expect(fromFragment('#token=t&to=javascript:alert(1)').cleaned).toBe('#/');
    expect(fromFragment('#name=ann')).toEqual({ token: null, name: 'ann', cleaned: '#/' });
    expect(fromFragment('#/sessions?label=name=x')).toEqual({ token: null, name: null, cleaned: undefined });
    expect(fromFragment('#/sessions?search=token')).toEqual({ token: null, name: null, cleaned: undefined });
  });

  it('[UI3] the address can ask for read-only mode', () => {
    expect(['?read-only', '?read-only=1', '', '?read-only=false'].map(isReadOnlyAsked)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('the loaded log', () => {
  it('[UI5] is bounded, and keeps the newest part while following', () => {
    let log = EMPTY_LOG;
    for (let seq = 1; seq <= 20_000; seq += 100) log = withLive(log, run(seq, seq + 99), true);
    expect(log.envelopes.length).toBeLessThanOrEqual(MAX_HELD + 200);
    expect(lastSeq(log)).toBe(20_000);
    expect(log.hasEarlier).toBe(true);
  });

  it('[UI5] keeps its part while the reader is further up, and knows that there is more', () => {
    let log = withLive(EMPTY_LOG, run(1, 1000), false);
    for (let seq = 1001; seq <= 3000; seq += 100) log = withLive(log, run(seq, seq + 99), false);
    expect(firstSeq(log)).toBe(1);
    expect(log).toMatchObject({ hasLater: true, headSeq: 3000 });
    const seqs = log.envelopes.map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_, at) => at + 1));
  });

  it('[UI5] skips repeats and prepends earlier pages', () => {
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

it('[UI5] the newest page is not the newest if an envelope arrived since', () => {
  const page = { envelopes: run(51, 100).reverse(), next: 50, head_seq: 100 };
  expect(withNewest(EMPTY_LOG, page)).toMatchObject({ headSeq: 100, hasLater: false, hasEarlier: true });
  const meanwhile = withLive({ ...EMPTY_LOG, hasLater: true, headSeq: 90 }, run(101, 103), true);
  expect(withNewest(meanwhile, page)).toMatchObject({ headSeq: 103, hasLater: true });
});

it('[UI83] an invite waits while the identity is invited and the session has not ended', () => {
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

describe('marks and texts of a session', () => {
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

  it('[UI5] routing is shown apart from the text of a packet; a text has none', () => {
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

  it('[UI5] ids in the state have names beside them, and expectations are sentences', () => {
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

  it('[UI98] the track record of an agent is a sentence', () => {
    const seen = { n: 3, completed: 2, failed: 1, expired: 0, p50_latency_ms: 65_000 };
    expect(observedText(['sql', seen])).toBe('sql: 3 tasks, 2 completed, 1 failed, 0 expired; median 1m 5s');
    expect(observedText(['sql', { ...seen, n: 1, p50_latency_ms: null }])).toMatch(/^sql: 1 task, .* 0 expired$/);
  });

  it('[UI5] a message is no mark', () => {
    expect(markOf(envelope(1), names)).toBeNull();
  });

  it('[UI7] one mark leads to the next', () => {
    const hidden = [3, 9].map((seq) => envelope(seq, { event_type: 'session.opened', event_data: {} }));
    const marks = withMarks([], [...hidden, ...hidden, envelope(5)]);
    expect(marks.map(({ seq }) => seq)).toEqual([3, 9]);
    expect([nearestMark(marks, 9, 'before')?.seq, nearestMark(marks, 3, 'behind')?.seq]).toEqual([3, 9]);
    expect(nearestMark(marks, 3, 'before')).toBeNull();
  });

  it('[UI92] a timeline knows the seq from which it has all marks', () => {
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

  it('[UI5] deltas are shown until the message arrives', () => {
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

  it('[UI5] deltas disappear when the sender leaves or pauses, and when the session ends', () => {
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

describe('untrusted text', () => {
  it('[UI8] invisible and bidirectional characters are made visible; those that scripts need stay', () => {
    expect(visibleText('a\u0000b\u001b[31m\u007f')).toBe('a␀b␛[31m␡');
    expect(visibleText('abc\u202Egnp.exe\u2066')).toBe('abc⟨U+202E⟩gnp.exe⟨U+2066⟩');
    expect(visibleText('zero\u200Bwidth\uFEFF\u{E0041}')).toBe('zero⟨U+200B⟩width⟨U+FEFF⟩⟨U+E0041⟩');
    expect(visibleText('half \uD800 one')).toBe('half ⟨U+D800⟩ one');
    expect(visibleText('tab\tand\r\nline\n👩‍👩‍👧 नमस्ते שלום')).toBe('tab\tand\nline\n👩‍👩‍👧 नमस्ते שלום');
  });

  it('[UI8] a line is bounded and never cuts a character in two', () => {
    expect(shortLine('a\n b\t c')).toBe('a b c');
    expect(shortLine('😀'.repeat(1_000_000), 10)).toBe(`${'😀'.repeat(9)}…`);
  });

  it('[UI8] invisible characters are made visible: grapheme joiners, variation selectors, blanks', () => {
    expect(visibleText('ali\u034Fce')).toBe('ali⟨U+034F⟩ce');
    expect(visibleText('bob\uFE00, bob\uFE0F, agent1\uFE0F')).toBe('bob⟨U+FE00⟩, bob⟨U+FE0F⟩, agent1⟨U+FE0F⟩');
    expect(visibleText('c\u{E0100}d\u{E01EF}')).toBe('c⟨U+E0100⟩d⟨U+E01EF⟩');
    expect(visibleText('e\u180Bf\u17B4g\uFFF0')).toBe('e⟨U+180B⟩f⟨U+17B4⟩g⟨U+FFF0⟩');
    expect(visibleText('\u2764\uFE0F\uFE0F')).toBe('\u2764\uFE0F⟨U+FE0F⟩');
  });

  it('[UI8] invisible characters stay where emoji, keycaps and scripts need it', () => {
    const needed = '\u2764\uFE0F \u263A\uFE0E 1\uFE0F\u20E3 \u{1F3F3}\uFE0F\u200D\u{1F308} \u1820\u180B';
    expect(visibleText(needed)).toBe(needed);
  });
});

describe('times, costs and the feed', () => {
  it('[UI5] use the units people use', () => {
    expect([0, 999, 61_000, 3_600_000, 100_000_000].map(duration)).toEqual(['0s', '0s', '1m 1s', '1h', '1d 3h']);
    const now = Date.parse('2026-01-01T00:00:10.000Z');
    expect(countdown('2026-01-01T00:00:30.000Z', now)).toEqual({ text: 'in 20s', urgency: 'soon' });
    expect(countdown('2026-01-01T00:00:05.000Z', now)).toEqual({ text: '5s over', urgency: 'over' });
    expect([countdown('never', now).text, clockTime('never', now)]).toEqual(['–', '–']);
    expect([0, 0.00001, 0.0123, 12.3].map(dollars)).toEqual(['$0', '<$0.0001', '$0.0123', '$12.30']);
  });

  it('[UI6] observations are hidden by default, and details are readable', () => {
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

  it('[UI6] the feed has no duplicates and keeps the newest entries', () => {
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

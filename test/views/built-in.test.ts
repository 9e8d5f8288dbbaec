import type { JsonObject, ProtocolError, View } from 'parley-hub/core';
import { fullTranscript } from 'parley-hub/views/full-transcript';
import {
  tokenBudget as budgetRef,
  named,
  sinceMyLastTurn as sinceRef,
  fullTranscript as wholeRef,
  windowedSummary as windowRef,
} from 'parley-hub/views/refs';
import { sinceMyLastTurn } from 'parley-hub/views/since-my-last-turn';
import { tokenBudget } from 'parley-hub/views/token-budget';
import { windowedSummary } from 'parley-hub/views/windowed-summary';
import { describe, expect, it } from 'vitest';
import { linesOf, shownBy, told } from './sample-line.ts';

const four: readonly [View, JsonObject][] = [
  [fullTranscript, {}],
  [windowedSummary, { recent_n: 10 }],
  [tokenBudget, { max_tokens: 1000 }],
  [sinceMyLastTurn, {}],
];

describe('parameters', () => {
  it.each([
    [windowedSummary, { recent_n: 0 }, 'windowed_summary: recent_n: expected a whole number ≥ 1, got 0'],
    [windowedSummary, {}, 'windowed_summary: recent_n: expected a whole number ≥ 1, got nothing'],
    [
      windowedSummary,
      { recent_n: 3, recentN: 4 },
      'windowed_summary: recentN: expected one of recent_n, named, got "recentN"',
    ],
    [tokenBudget, { max_tokens: 0.5 }, 'token_budget: max_tokens: expected a whole number ≥ 1, got 0.5'],
    [tokenBudget, { max_tokens: 5, named: 'no' }, 'token_budget: named: expected true or false, got "no"'],
    [fullTranscript, { recent_n: 3 }, 'full_transcript: recent_n: expected one of named, got "recent_n"'],
    [sinceMyLastTurn, { named: null }, 'since_my_last_turn: named: expected true or false, got null'],
  ] as const)('[VW9] $0.name refuses $1', (view, params, message) => {
    expect(() => view.parseParams(params)).toThrow(
      expect.objectContaining({
        name: 'ProtocolError',
        message,
        details: expect.objectContaining({ field: expect.any(String) }),
      }),
    );
  });

  it('[VW9] show up to 80 characters of a wrong value', () => {
    const shown = (length: number) => {
      try {
        fullTranscript.parseParams({ named: 'x'.repeat(length) });
      } catch (thrown) {
        return (thrown as ProtocolError).details?.received;
      }
      return 'nothing was refused';
    };
    expect([shown(78), shown(79)]).toEqual([`"${'x'.repeat(78)}"`, `"${'x'.repeat(76)}...`]);
  });

  it.each(four)('[VW9] of $name default to unnamed only', (view, params) => {
    expect(view.parseParams(params)).toEqual({ ...params, named: false });
  });

  it.each(four)('[VW9] of $name reject inherited member names', (view, params) => {
    expect(() => view.parseParams({ ...params, toString: 1 })).toThrow('toString: expected one of');
  });
});

describe('references', () => {
  it('[VW9] name a view with its parameters, also in named form', () => {
    const refs = [wholeRef(), windowRef(3), budgetRef(7), sinceRef()];
    expect(refs).toEqual([
      { name: 'full_transcript', params: {} },
      { name: 'windowed_summary', params: { recent_n: 3 } },
      { name: 'token_budget', params: { max_tokens: 7 } },
      { name: 'since_my_last_turn', params: {} },
    ]);
    for (const { name, params } of refs) {
      expect(named({ name, params })).toEqual({ name, params: { ...params, named: true } });
    }
    for (const wrong of [0, -1, 1.5, Number.NaN]) {
      expect(() => windowRef(wrong)).toThrow(`windowed_summary: recent_n must be a whole number ≥ 1, got ${wrong}`);
      expect(() => budgetRef(wrong)).toThrow(`token_budget: max_tokens must be a whole number ≥ 1, got ${wrong}`);
    }
  });
});

describe('lines', () => {
  const lines = linesOf({ by: 'bob', text: 'I begin' }, { by: 'alice', text: 'hi' }, { by: 'hub', text: 'be quick' });

  it.each(four)('[VW3] of $name: others are the user, and the hub is always named', (view, params) => {
    expect(told(shownBy(view, params, lines)).slice(-2)).toEqual(['user hi', 'user [hub]: be quick']);
    expect(told(shownBy(view, { ...params, named: true }, lines)).slice(-2)).toEqual([
      'user [alice]: hi',
      'user [hub]: be quick',
    ]);
  });

  it.each(four.slice(0, 3))(
    '[VW3, VW4] $name: own lines are the assistant’s, and have no name before them',
    (view, params) => {
      const messages = shownBy(view, { ...params, named: true }, lines);
      expect(messages[0]).toEqual({ role: 'assistant', content: 'I begin', seq: 4, name: 'bob' });
    },
  );
});

describe('full_transcript', () => {
  it('[VW5] shows all lines in order', () => {
    const lines = linesOf(
      ...Array.from({ length: 300 }, (_, i) => ({ by: i % 2 === 0 ? 'alice' : 'bob', text: `${i}` })),
    );
    expect(shownBy(fullTranscript, {}, lines).map(({ content }) => content)).toEqual(lines.map(({ text }) => text));
    expect(shownBy(fullTranscript, {}, [])).toEqual([]);
  });
});

describe('windowed_summary', () => {
  const lines = linesOf(
    { by: 'alice', text: '1' },
    { by: 'bob', text: '2' },
    { by: 'hub', text: '3' },
    { by: 'alice', text: '4' },
    { by: 'carol', text: '5' },
  );
  const window = (recent_n: number) => told(shownBy(windowedSummary, { recent_n }, lines));

  it('[VW6] shows the last n lines, and one line with the number and senders of the rest', () => {
    expect(window(1)).toEqual(['user Earlier in this session: 4 messages from alice, bob, hub.', 'user 5']);
    expect(window(3)[0]).toBe('user Earlier in this session: 2 messages from alice, bob.');
    expect(window(4)[0]).toBe('user Earlier in this session: 1 message from alice.');
  });

  it('[VW6] has no summary without earlier lines', () => {
    expect(window(5)).toEqual(window(1000));
    expect(window(5)).toEqual(['user 1', 'assistant 2', 'user [hub]: 3', 'user 4', 'user 5']);
  });

  it('[VW6] has a summary without a sender', () => {
    expect(shownBy(windowedSummary, { recent_n: 1 }, lines)[0]).toMatchObject({ role: 'user', seq: null, name: null });
  });
});

describe('token_budget', () => {
  const lines = linesOf(
    { by: 'alice', text: 'x'.repeat(8) },
    { by: 'bob', text: 'y'.repeat(9) },
    { by: 'alice', text: '' },
  );
  const shown = (params: JsonObject) => shownBy(tokenBudget, params, lines).map(({ seq }) => seq);

  it('[VW7] counts a token per four characters, at least one per line', () => {
    expect(shown({ max_tokens: 6 })).toEqual([4, 5, 6]);
    expect(shown({ max_tokens: 5 })).toEqual([5, 6]);
    expect(shown({ max_tokens: 4 })).toEqual([5, 6]);
    expect(shown({ max_tokens: 3 })).toEqual([6]);
  });

  it('[VW7] counts names', () => {
    // "[alice]: xxxxxxxx" 5, "yyyyyyyyy" 3, "[alice]: " 3.
    expect(shown({ max_tokens: 11, named: true })).toEqual([4, 5, 6]);
    expect(shown({ max_tokens: 10, named: true })).toEqual([5, 6]);
  });

  it('[VW7] always shows the newest line', () => {
    const long = linesOf({ by: 'alice', text: '' }, { by: 'alice', text: 'z'.repeat(1000) });
    expect(shownBy(tokenBudget, { max_tokens: 1 }, long).map(({ seq }) => seq)).toEqual([5]);
  });
});

describe('since_my_last_turn', () => {
  it('[VW8] shows lines of others since the last one of the participant', () => {
    const said = [
      { by: 'alice', text: '1' },
      { by: 'bob', text: '2' },
      { by: 'carol', text: '3' },
      { by: 'alice', text: '4' },
    ];
    const shown = (count: number) => told(shownBy(sinceMyLastTurn, {}, linesOf(...said.slice(0, count))));
    expect(shown(4)).toEqual(['user 3', 'user 4']);
    expect(shown(2)).toEqual([]);
    expect(shown(1)).toEqual(['user 1']);
    expect(shown(0)).toEqual([]);
  });
});

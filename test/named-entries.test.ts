import {
  acksWithin,
  budgetWithin,
  maxSilence,
  maxTurns,
  noProgress,
  replyWithin,
  turnWithin,
} from 'parley-hub/expectations/entries';
import { fullTranscript, named, sinceMyLastTurn, tokenBudget, windowedSummary } from 'parley-hub/views/refs';
import { describe, expect, it } from 'vitest';

describe('constructors of named views', () => {
  it('[AD1] write views as manifests and create_session take them', () => {
    expect(fullTranscript()).toEqual({ name: 'full_transcript', params: {} });
    expect(windowedSummary(1)).toEqual({ name: 'windowed_summary', params: { recent_n: 1 } });
    expect(tokenBudget(7)).toEqual({ name: 'token_budget', params: { max_tokens: 7 } });
    expect(sinceMyLastTurn()).toEqual({ name: 'since_my_last_turn', params: {} });
    expect(named(windowedSummary(4))).toEqual({ name: 'windowed_summary', params: { recent_n: 4, named: true } });
  });

  it.each([0, -1, 1.5, Number.NaN])('[AD1] refuse a window of %s', (recentN) => {
    expect(() => windowedSummary(recentN)).toThrow(
      `windowed_summary: recent_n must be a whole number ≥ 1, got ${recentN}`,
    );
    expect(() => tokenBudget(recentN)).toThrow(`token_budget: max_tokens must be a whole number ≥ 1, got ${recentN}`);
  });
});

describe('constructors of expectations', () => {
  it('[AD1] write entries as manifests and create_session take them', () => {
    expect([
      acksWithin(30, 'auto_close'),
      replyWithin(600, 'warn', { appliesTo: ['respondent'] }),
      turnWithin(120, 'warn'),
      turnWithin(600, 'hide', { onFailure: true, heartbeat: false }),
      maxSilence(0.5, 'my_handler'),
    ]).toEqual([
      { name: 'acks_within', on_violation: 'auto_close', params: { seconds: 30 } },
      { name: 'reply_within', on_violation: 'warn', params: { seconds: 600 }, applies_to: ['respondent'] },
      { name: 'turn_within', on_violation: 'warn', params: { seconds: 120 } },
      { name: 'turn_within', on_violation: 'hide', params: { seconds: 600, heartbeat: false, on_failure: true } },
      { name: 'max_silence', on_violation: 'my_handler', params: { seconds: 0.5 } },
    ]);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('[AD1] refuse %s seconds', (seconds) => {
    expect(() => turnWithin(seconds, 'warn')).toThrow(`turn_within: seconds: expected a number > 0, got ${seconds}`);
  });

  const options = 'one of the options appliesTo';
  const wrong = (value: unknown): never => value as never;
  const people = 'a list of at least one role or participant';
  const mistakes: readonly [make: () => unknown, message: string][] = [
    [() => turnWithin(wrong(undefined), 'warn'), 'turn_within: seconds: expected a number > 0, got nothing'],
    [() => acksWithin(wrong('5'), 'warn'), 'acks_within: seconds: expected a number > 0, got "5"'],
    [() => replyWithin(wrong(null), 'warn'), 'reply_within: seconds: expected a number > 0, got null'],
    [() => maxSilence(wrong([5]), 'warn'), 'max_silence: seconds: expected a number > 0, got [5]'],
    [
      () => turnWithin(5, wrong(undefined)),
      'turn_within: onViolation: expected the name of a handler, such as "warn", got nothing',
    ],
    [() => turnWithin(5, 'warn', wrong(null)), 'turn_within: options: expected an object, got null'],
    [() => acksWithin(5, 'warn', wrong(['bob'])), 'acks_within: options: expected an object, got ["bob"]'],
    [
      () => turnWithin(5, 'warn', wrong({ on_failure: true })),
      'turn_within: on_failure: expected one of the options appliesTo, heartbeat, onFailure, got "on_failure"',
    ],
    [() => replyWithin(5, 'warn', wrong({ heartbeat: true })), `reply_within: heartbeat: expected ${options}, got`],
    [() => acksWithin(5, 'warn', wrong({ onFailure: true })), `acks_within: onFailure: expected ${options}, got`],
    [() => maxSilence(5, 'warn', wrong({ appliesTo: ['bob'] })), 'max_silence: appliesTo: expected no options, got'],
    [() => turnWithin(5, 'warn', { heartbeat: wrong(1) }), 'turn_within: heartbeat: expected true or false, got 1'],
    [
      () => turnWithin(5, 'warn', { onFailure: wrong('no') }),
      'turn_within: onFailure: expected true or false, got "no"',
    ],
    [() => turnWithin(5, 'warn', { appliesTo: wrong('bob') }), `turn_within: appliesTo: expected ${people}, got "bob"`],
    [() => acksWithin(5, 'warn', { appliesTo: [] }), `acks_within: appliesTo: expected ${people}, got []`],
    [() => replyWithin(5, 'warn', { appliesTo: wrong([7]) }), `reply_within: appliesTo: expected ${people}, got [7]`],
  ];
  it.each(mistakes.map(([make, message]) => ({ make, message })))('[AD1] refuse mistakes: $message', (mistake) => {
    const { make, message } = mistake;
    expect(make).toThrow(expect.objectContaining({ code: 'bad_value', message: expect.stringContaining(message) }));
  });
});

it('[EX20] limits on what is accepted are entries too', () => {
  expect(maxTurns(9, 'auto_close', { appliesTo: ['initiator'] })).toEqual({
    name: 'max_turns',
    on_violation: 'auto_close',
    params: { turns: 9 },
    applies_to: ['initiator'],
  });
  expect(budgetWithin({ usd: 1.5 }, 'warn')).toEqual({
    name: 'budget_within',
    on_violation: 'warn',
    params: { usd: 1.5 },
  });
  expect(budgetWithin({ usd: 0, tokens: 0 }, 'warn').params).toEqual({ usd: 0, tokens: 0 });
  expect(noProgress(2, 'hide')).toEqual({ name: 'no_progress', on_violation: 'hide', params: { repeats: 2 } });
});

it.each<readonly [() => unknown, string]>([
  [() => maxTurns(0, 'warn'), 'max_turns: turns: expected a whole number from 1 on, got 0'],
  [() => maxTurns(1.5, 'warn'), 'max_turns: turns: expected a whole number from 1 on, got 1.5'],
  [() => noProgress(1, 'warn'), 'no_progress: repeats: expected a whole number from 2 on, got 1'],
  [() => budgetWithin({}, 'warn'), 'budget_within: expected usd, tokens or both, got {}'],
  [() => budgetWithin({ usd: Number.NaN }, 'warn'), 'budget_within: usd: expected a number from 0 on, got NaN'],
  [() => budgetWithin({ tokens: -1 }, 'warn'), 'budget_within: tokens: expected a whole number from 0 on, got -1'],
  [() => maxTurns('3' as never, 'warn'), 'max_turns: turns: expected a whole number from 1 on, got "3"'],
  [() => maxTurns(undefined as never, 'warn'), 'max_turns: turns: expected a whole number from 1 on, got nothing'],
  [() => maxTurns(5n as never, 'warn'), 'max_turns: turns: expected a whole number from 1 on, got 5n'],
  [() => noProgress([3] as never, 'warn'), 'no_progress: repeats: expected a whole number from 2 on, got [3]'],
  [() => turnWithin('60' as never, 'warn'), 'turn_within: seconds: expected a number > 0, got "60"'],
  [() => turnWithin(Symbol() as never, 'warn'), 'turn_within: seconds: expected a number > 0, got symbol'],
  [() => budgetWithin(null as never, 'warn'), 'budget_within: options: expected an object, got null'],
  [() => budgetWithin(undefined as never, 'warn'), 'budget_within: options: expected an object, got nothing'],
  [() => budgetWithin('1' as never, 'warn'), 'budget_within: options: expected an object, got "1"'],
  [() => budgetWithin([1] as never, 'warn'), 'budget_within: options: expected an object, got [1]'],
  [
    () => budgetWithin({ eur: 1 } as never, 'warn'),
    'budget_within: eur: expected one of the options usd, tokens, got "eur"',
  ],
  [() => budgetWithin({ usd: '1' as never }, 'warn'), 'budget_within: usd: expected a number from 0 on, got "1"'],
])('[EX20] a limit that makes no sense is refused in place, with what came: %#', (make, message) => {
  expect(make).toThrow(expect.objectContaining({ name: 'HubError', code: 'bad_value', message }));
});

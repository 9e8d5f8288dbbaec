import type { AcceptEvaluator, Json, JsonObject, TimedEvaluator, ViolationHandler } from 'parley-hub/core';
import { EVALUATORS, HANDLERS } from 'parley-hub/expectations/built-in';
import { audit } from 'parley-hub/expectations/handlers';
import { maxSilence } from 'parley-hub/expectations/max-silence';
import { maxTurns } from 'parley-hub/expectations/max-turns';
import { turnWithin } from 'parley-hub/expectations/turn-within';
import { describeEvaluator, describeHandler, evaluatorChecks, handlerChecks } from 'parley-hub/testing';
import { describe, expect, it } from 'vitest';
import { itDeep } from '../support/size.ts';

const timed = [{ seconds: 5 }, { seconds: 0.0015 }];
const badParams = [{}, { seconds: 0 }, { seconds: '5' }, { seconds: 5, minutes: 1 }, { seconds: 1e12 }];

const counting: Readonly<Record<string, { readonly params: JsonObject[]; readonly badParams: JsonObject[] }>> = {
  max_turns: {
    params: [{ turns: 1 }, { turns: 7 }],
    badParams: [{}, { turns: 0 }, { turns: 1.5 }, { turns: '3' }, { turns: 3, seconds: 1 }, { turns: 1e9 }],
  },
  budget_within: {
    params: [{ usd: 1 }, { tokens: 0 }, { usd: 0.5, tokens: 5000 }],
    badParams: [{}, { usd: -1 }, { usd: '1' }, { tokens: 1.5 }, { tokens: -1 }, { usd: 1, eur: 1 }, { usd: null }],
  },
  no_progress: {
    params: [{ repeats: 2 }, { repeats: 3 }],
    badParams: [{}, { repeats: 1 }, { repeats: 2.5 }, { repeats: true }, { repeats: 1001 }],
  },
};

for (const evaluator of EVALUATORS) {
  describeEvaluator(evaluator, counting[evaluator.name] ?? { params: timed, badParams });
}
for (const handler of HANDLERS) describeHandler(handler);
describeEvaluator(
  { ...turnWithin, name: 'turn_within_with_all' },
  { params: [{ seconds: 5, heartbeat: false, on_failure: true }], badParams: [{ seconds: 5, on_failure: 1 }] },
);

describe('the contract suites', () => {
  let calls = 0;
  const wait = { agent_id: null, since_seq: 1, since_ms: 2, due_ms: 3 };
  const evaluators: readonly [string, Partial<TimedEvaluator>][] = [
    ['EC1', { version: 0 }],
    ['EC1', { name: 'Bad Name' }],
    ['EC1', { describe: 5 as never }],
    ['EC1', { checkParams: undefined as never }],
    ['EC2', { checkParams: () => null }],
    ['EC3', { waits: () => [{ ...wait, agent_id: 'nobody' }] }],
    ['EC3', { waits: () => [{ ...wait, since_seq: 0 }] }],
    ['EC3', { waits: () => [{ ...wait, due_ms: 1 }] }],
    ['EC3', { waits: () => [{ ...wait, since_ms: Number.NaN }] }],
    ['EC3', { waits: () => [wait, wait] }],
    ['EC3', { waits: (async () => []) as never }],
    ['EC3', { waits: () => [wait], describe: () => 7 as never }],
    ['EC4', { waits: ({ metadata }) => (metadata.participants as unknown[]).reverse() && [] }],
    ['EC4', { waits: () => [{ ...wait, due_ms: 3 + calls++ }] }],
    ['EC5', { waits: () => [{ ...wait, due_ms: 10 + Math.random() }] }],
  ];
  const accepting: readonly [string, Partial<AcceptEvaluator>][] = [
    ['EC1', { violators: 7 as never }],
    ['EC3', { violators: () => ['nobody'] }],
    ['EC3', { fold: () => new Date(0) as unknown as Json }],
    ['EC3', { violators: () => [null], describe: () => 7 as never }],
    ['EC4', { fold: (_tally, { metadata }) => (metadata.participants as unknown[]).reverse() && 1 }],
    ['EC4', { fold: () => calls++ }],
    ['EC5', { violators: () => (Math.random() > 2 ? [null] : []) }],
    ['EC6', { fold: (tally, { envelope }) => [...((tally as Json[] | null) ?? []), envelope.seq] }],
  ];
  const handlers: readonly [string, Partial<ViolationHandler>][] = [
    ['EC1', { name: '' }],
    ['EC1', { name: 'Bad Name' }],
    ['EC3', { act: () => [{ kind: 'shout' } as unknown as ReturnType<ViolationHandler['act']>[number]] }],
    ['EC3', { act: () => [{ kind: 'close', reason: '' }] }],
    ['EC3', { act: () => [{ kind: 'close', reason: 'a\u0000b' }] }],
    ['EC3', { act: () => [{ kind: 'close', reason: 'x'.repeat(257) }] }],
    ['EC3', { act: (async () => []) as never }],
    ['EC4', { act: ({ violators }) => (violators as unknown[]).reverse() && [] }],
    ['EC5', { act: () => [{ kind: 'close', reason: `at ${performance.now()}` }] }],
  ];

  it.each(evaluators)('[EC1, EC2, EC3, EC4, EC5] %s finds an evaluator that breaks it', (rule, fault) => {
    expect(broken(evaluatorChecks({ ...maxSilence, ...fault }, { params: timed, badParams }))).toContain(rule);
  });

  itDeep.each(accepting)(
    '[EC1, EC3, EC4, EC5, EC6] %s finds one that looks at content and breaks it',
    (rule, fault) => {
      expect(broken(evaluatorChecks({ ...maxTurns, ...fault }, counting.max_turns as never))).toContain(rule);
    },
  );

  it.each(handlers)('[EC1, EC3, EC4, EC5] %s finds a handler that breaks it', (rule, fault) => {
    expect(broken(handlerChecks({ ...audit, ...fault }))).toContain(rule);
  });

  const such = 'such as {params: [{seconds: 5}], badParams: [{}]}';
  it.each([
    [undefined, `options: expected an object ${such}, got nothing`],
    [{}, `options.params: expected a list of parameter objects, ${such}, got nothing`],
    [{ params: {} }, `options.params: expected a list of parameter objects, ${such}, got an empty object`],
    [{ params: [5] }, `options.params: expected a list of parameter objects, ${such}, got an array of 1`],
    [{ params: [] }, `options.params: expected at least one set of parameters, ${such}, got none`],
    [{ params: [{}], badParams: 'x' }, `options.badParams: expected a list of parameter objects, ${such}, got "x"`],
    [{ params: [{}], bad: 1 }, 'options.bad: unknown option; valid options: params, badParams'],
  ])('[EC2] reject invalid options by name: %j', (options, message) => {
    expect(() => describeEvaluator(maxSilence, options as never)).toThrow(message);
  });

  it('[EC1] reject a value that is no evaluator or handler at once', () => {
    const evaluator = 'an evaluator is an object with name, version and checkParams, waits; got nothing';
    expect(() => describeEvaluator(undefined as never, { params: timed })).toThrow(evaluator);
    expect(() => describeHandler(null as never)).toThrow('a handler is an object with name, version and act; got null');
  });
});

function broken(checks: ReturnType<typeof handlerChecks>): readonly string[] {
  return checks.flatMap(({ title, run }) => {
    try {
      run();
      return [];
    } catch {
      return [title.slice(1, 4)];
    }
  });
}

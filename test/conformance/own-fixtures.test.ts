// The project's fixtures, executed by the engine in this process.

import { digestOf } from 'parley-hub/governed/engine';
import { describe, expect, it } from 'vitest';
import { executeFixture, OPERATIONS } from '../../src/governed/conformance/adapter/execute.ts';
import { SEMANTICS } from '../../src/governed/engine/gates/documents.ts';
import { MOVES } from '../../src/governed/engine/run/moves.ts';
import { own } from './corpora.ts';

/** The rules of each surface. */
const RULES: Readonly<Record<string, string>> = {
  state_machine: '[GV2, GV3]',
  turn_result_validation: '[GV4, GV5, GV6]',
  gate_semantics: '[GV7]',
  decision_ledger: '[GV8]',
  history: '[GV9, GV10, GV11]',
  delegation: '[GV12]',
  decision_carryover: '[GV13]',
  event_lifecycle: '[GV15]',
  config_schema: '[GV16]',
  parallel_turns: '[GV16]',
  coordinator: '[GC1, GC2, GC3, GC4, GC6]',
};

it('[GV20] the fixtures cover every surface and operation', () => {
  expect([...new Set(own.map(({ surface }) => surface))].sort()).toEqual(Object.keys(RULES).sort());
  expect([...new Set(own.map(({ input }) => input.operation))].sort()).toEqual(Object.keys(OPERATIONS).sort());
  expect(new Set(own.map(({ fixture_id }) => fixture_id)).size).toBe(own.length);
});

it('[GV20] they cover every document with a meaning and every move', () => {
  const files = new Set(own.flatMap(({ setup }) => Object.keys((setup.filesystem as object | undefined) ?? {})));
  expect(Object.keys(SEMANTICS).filter((path) => !files.has(path))).toEqual([]);
  const asked = JSON.stringify(own);
  const named = Object.keys(MOVES).filter((trigger) => trigger !== 'completion_gate_passed');
  expect(named.filter((trigger) => !asked.includes(`"${trigger}"`))).toEqual([]);
});

describe.each(Object.entries(RULES))('%s', (surface, rules) => {
  const fixtures = own.filter((fixture) => fixture.surface === surface);

  it(`${rules} every fixture is strictly as expected`, () => {
    const wrong = fixtures.flatMap((fixture) => {
      const { status, message } = executeFixture(fixture);
      return status === 'pass' ? [] : [`${fixture.fixture_id} (${fixture.description}): ${message}`];
    });
    expect(wrong).toEqual([]);
  });

  it('[GV18] the answer does not depend on the expectation, and never passes an impossible one', () => {
    for (const fixture of fixtures) {
      const blind = executeFixture({ ...fixture, expected: { result: '__withheld__' } });
      expect(blind.status).toBe('fail');
      expect(digestOf(blind.actual)).toBe(digestOf(executeFixture(fixture).actual));
    }
  });

  it('[GV1] executing a fixture does not change it', () => {
    for (const fixture of fixtures) {
      const before = digestOf(fixture);
      executeFixture(fixture);
      expect(digestOf(fixture)).toBe(before);
    }
  });
});

// Renamed fixtures get the same answer; mended fixtures get another.

import { describe, expect, it } from 'vitest';
import { executeFixture } from '../../src/governed/conformance/adapter/execute.ts';
import { foreign, own } from './corpora.ts';
import { mend } from './mend.ts';
import { renamed } from './rename.ts';

const all = [...own, ...foreign];
const refused = all.filter(
  ({ expected }) =>
    expected.result === 'error' || /^(gate_failed|not_final_phase|no_request)$/.test(String(expected.action)),
);

describe.each([
  ['the project', own],
  ...(foreign.length > 0 ? [['the public corpus', foreign] as const] : []),
] as const)('the fixtures of %s', (_, fixtures) => {
  it('[GV20] pass with roles, phases, gates, runtimes, turns, runs, decisions and files renamed', () => {
    const wrong = fixtures.map(renamed).flatMap((fixture) => {
      const { status, message } = executeFixture(fixture);
      return status === 'pass' ? [] : [`${fixture.fixture_id}: ${message}`];
    });
    expect(wrong).toEqual([]);
  });
});

it('[GV20] a refused fixture is accepted once its stated defect is mended', () => {
  const wrong = refused.flatMap((fixture) => {
    const mended = mend(fixture);
    return mended.isMended ? [] : [`${fixture.fixture_id} after ${mended.steps.join(', ')}: ${mended.last}`];
  });
  expect(wrong).toEqual([]);
  expect(refused.length).toBeGreaterThan(100);
});

it('[GV20] delegation and carry-over fixtures have exactly one defect each', () => {
  const vacuous = own
    .filter((fixture) => refused.includes(fixture) && /^(delegation|decision_carryover)$/.test(fixture.surface))
    .filter((fixture) => mend(fixture).steps.length !== 1);
  expect(vacuous.map(({ fixture_id }) => fixture_id)).toEqual([]);
});

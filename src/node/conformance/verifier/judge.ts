/** What is found of one fixture. The target never sees what is expected of it: here is where that is compared. */

import type { Fixture } from '../../../governed/conformance/fixture.ts';
import { difference } from '../../../governed/conformance/match.ts';
import type { Asked } from './answer.ts';

export const OUTCOMES = ['as_expected', 'different', 'lied', 'error', 'timed_out', 'not_implemented'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface Finding {
  readonly fixture_id: string;
  readonly tier: number;
  readonly surface: string;
  readonly outcome: Outcome;
  /** Only what closes the holes of the corpus's own matcher tells it apart. */
  readonly is_only_strict: boolean;
  readonly detail: string | null;
}

/** No answer can be as this expects: whoever says "pass" to it has not compared. */
const CANARY = { result: '__withheld__' };

export function blind(fixture: Fixture): Fixture {
  return { ...fixture, expected: CANARY };
}

export function judge({ fixture_id, tier, surface, expected }: Fixture, asked: Asked): Finding {
  const finding = (outcome: Outcome, detail: string | null = null, is_only_strict = false): Finding => ({
    fixture_id,
    tier,
    surface,
    outcome,
    is_only_strict,
    detail,
  });
  if (asked.kind === 'timed_out') return finding('timed_out', asked.message);
  if (asked.kind === 'broken') return finding('error', asked.message);
  if (asked.status === 'not_implemented') return finding('not_implemented', asked.message);
  if (asked.status === 'pass') return finding('lied', 'it says "pass" to something that cannot be');
  if (asked.status === 'error') return finding('error', asked.message);
  const place = difference(expected, asked.actual, true);
  if (place === null) return finding('as_expected');
  return finding('different', `at ${place}`, difference(expected, asked.actual, false) === null);
}

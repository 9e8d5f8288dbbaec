/** What every evaluator and handler must hold, as checks that any test runner can run; SPEC.md has the rules under EC. */

import assert from 'node:assert/strict';
import {
  type Evaluator,
  type HandlerEffect,
  isTimed,
  type TimedEvaluator,
  type ViolationHandler,
  type Wait,
  type WaitContext,
} from '../../core/expectation.ts';
import { canonicalJson, type JsonObject } from '../../core/json.ts';
import { participantOf } from '../../core/session.ts';
import { assertJson, assertName, doing } from '../adapter-contract/assertions.ts';
import { touchedClockOrChance } from '../adapter-contract/clock-and-chance.ts';
import { deepFreeze } from '../deep-freeze.ts';
import { acceptChecks } from './accept-checks.ts';
import { randomContext, randomViolation } from './situations.ts';

export interface EvaluatorCheckOptions {
  /** Parameters it takes. At least one. */
  readonly params: readonly JsonObject[];
  /** Parameters `checkParams` must refuse. */
  readonly badParams?: readonly JsonObject[];
}

export interface ExpectationCheck {
  readonly title: string;
  /** Throws an error that says what was expected. */
  run(): void;
}

const SITUATIONS = 200;

export function evaluatorChecks(
  evaluator: Evaluator,
  { params, badParams = [] }: EvaluatorCheckOptions,
): readonly ExpectationCheck[] {
  assert.ok(params.length > 0, 'tell the suite at least one set of parameters');
  const members = isTimed(evaluator) ? ['checkParams', 'waits'] : ['checkParams', 'fold', 'violators'];
  return [
    { title: '[EC1] it has a name, a whole version and its members', run: () => identity(evaluator, members) },
    { title: '[EC2] it says of parameters whether they are right', run: () => judged(evaluator, params, badParams) },
    ...(isTimed(evaluator) ? timedChecks(evaluator, params) : acceptChecks(evaluator, params)),
  ];
}

function timedChecks(evaluator: TimedEvaluator, params: readonly JsonObject[]): readonly ExpectationCheck[] {
  const cases = params.flatMap((one) => Array.from({ length: SITUATIONS }, (_, seed) => randomContext(seed, one)));
  const ask = (context: WaitContext): unknown => {
    const waits = evaluator.waits(context);
    return waits.length === 0 ? waits : { waits, words: evaluator.describe?.(waits, context) ?? null };
  };
  return [
    {
      title: '[EC3] its waits name a participant or nobody, a seq and times in their order',
      run: () => cases.forEach((context) => void areWaits(evaluator.waits(context), context)),
    },
    ...purity(cases, ask),
  ];
}

export function handlerChecks(handler: ViolationHandler): readonly ExpectationCheck[] {
  const cases = Array.from({ length: SITUATIONS }, (_, seed) => randomViolation(seed));
  const ask = ({ violation, metadata }: (typeof cases)[number]) => handler.act(violation, metadata);
  return [
    { title: '[EC1] it has a name, a whole version and its members', run: () => identity(handler, ['act']) },
    {
      title: '[EC3] its effects are those there are',
      run: () => cases.forEach((one) => void ask(one).forEach(isEffect)),
    },
    ...purity(cases, ask),
  ];
}

function purity<Case>(cases: readonly Case[], ask: (one: Case) => unknown): readonly ExpectationCheck[] {
  return [
    {
      title: '[EC4] it changes nothing it is given',
      run() {
        for (const one of cases) {
          const answer = doing('with frozen arguments', () => ask(deepFreeze(structuredClone(one))));
          assert.deepStrictEqual(answer, ask(structuredClone(one)));
        }
      },
    },
    {
      title: '[EC4] it answers the same again, in whatever order it is asked',
      run() {
        const first = cases.map((one) => ask(structuredClone(one)));
        const backwards = cases.toReversed().map(ask);
        assert.deepStrictEqual(backwards.toReversed(), first, 'it remembers, or rolls dice');
      },
    },
    {
      title: '[EC5] it looks at no clock, rolls no dice and does not wait',
      run() {
        const touched = touchedClockOrChance(() => cases.forEach((one) => void ask(one)));
        assert.deepStrictEqual(touched, [], `it must be pure, and used ${touched.join(', ')}`);
      },
    },
  ];
}

function identity(part: Evaluator | ViolationHandler, members: readonly string[]): void {
  assertName(part.name, 'name');
  assert.ok(
    Number.isSafeInteger(part.version) && part.version >= 1,
    `version must be a whole number ≥ 1, got ${part.version}`,
  );
  for (const member of members) {
    assert.equal(typeof Reflect.get(part, member), 'function', `${member} must be a function`);
  }
}

function judged(evaluator: Evaluator, params: readonly JsonObject[], badParams: readonly JsonObject[]): void {
  for (const good of params) {
    const problem = evaluator.checkParams(good);
    assert.equal(problem, null, `checkParams refused ${canonicalJson(good)}: ${JSON.stringify(problem)}`);
  }
  for (const bad of badParams) {
    const problem = evaluator.checkParams(bad);
    assert.ok(problem !== null, `checkParams accepted ${canonicalJson(bad)}`);
    for (const member of ['field', 'expected', 'received'] as const) assertName(problem[member], member);
  }
}

function areWaits(waits: readonly Wait[], context: WaitContext): void {
  for (const wait of waits) isWait(wait, context);
  const who = waits.map(({ agent_id }) => agent_id);
  assert.equal(new Set(who).size, who.length, `each has one wait at most, got those of ${who.join(', ')}`);
}

function isWait({ agent_id, since_seq, since_ms, due_ms }: Wait, { metadata }: WaitContext): void {
  const isKnown = agent_id === null || participantOf(metadata, agent_id) !== undefined;
  assert.ok(isKnown, `a wait names a participant or null, got ${agent_id}`);
  const isSeq = Number.isInteger(since_seq) && since_seq >= 1 && since_seq <= metadata.head_seq;
  assert.ok(isSeq, `since_seq must be a seq of the session, got ${since_seq}`);
  assert.ok(Number.isFinite(since_ms) && Number.isFinite(due_ms), `times must be numbers: ${since_ms}, ${due_ms}`);
  assert.ok(due_ms >= since_ms, `a wait is not due before it began: ${since_ms}, ${due_ms}`);
}

function isEffect(effect: HandlerEffect): void {
  assertJson(effect, 'an effect');
  switch (effect.kind) {
    case 'deliver':
      return assert.ok(effect.to === 'violators' || effect.to === 'everyone', `deliver to ${effect.to}`);
    case 'hide':
    case 'remove':
      return assertName(effect.agent_id, 'agent_id');
    case 'close':
      return assertName(effect.reason, 'reason');
    default:
      assert.fail(`there is no effect ${JSON.stringify(effect satisfies never)}`);
  }
}

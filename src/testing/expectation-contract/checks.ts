/** What every evaluator and handler must hold, as checks that any test runner can run; SPEC.md has the rules under EC. */

import assert from 'node:assert/strict';
import { canonicalJson, type JsonObject } from '../../core/lib/json.ts';
import {
  type Evaluator,
  isTimed,
  type TimedEvaluator,
  type ViolationHandler,
  type WaitContext,
} from '../../core/ports/expectation.ts';
import { checkDetail, checkEffects, checkList, checkWaits } from '../../core/state/check-expectation-output.ts';
import { evaluatorKind, HANDLER } from '../../hub/extensions/expectations.ts';
import { checkRegistration, type RegistrationKind } from '../../hub/lib/versioned-registry.ts';
import { assertJson, assertName, doing } from '../lib/assertions.ts';
import { deepFreeze, usesClockOrRandom } from '../lib/purity.ts';
import { acceptChecks } from './accept-checks.ts';
import { checkedOptions, type EvaluatorCheckOptions, type ExpectationCheck } from './options.ts';
import { randomContext, randomViolation } from './situations.ts';

const SITUATIONS = 200;

/** Throws at once what is no evaluator, and options that are none. What the hub asks of its answers is asked with the hub's own checks. */
export function evaluatorChecks(evaluator: Evaluator, options: EvaluatorCheckOptions): readonly ExpectationCheck[] {
  const { params, badParams } = checkedOptions(options);
  const kind = evaluatorKind(evaluator);
  isObject(evaluator, kind);
  return [
    {
      title: '[EC1] it has a name, a whole version and its members, as the hub asks for',
      run: () => checkRegistration(evaluator, kind),
    },
    { title: '[EC2] it says of parameters whether they are right', run: () => judged(evaluator, params, badParams) },
    ...(isTimed(evaluator) ? timedChecks(evaluator, params) : acceptChecks(evaluator, params)),
  ];
}

function timedChecks(evaluator: TimedEvaluator, params: readonly JsonObject[]): readonly ExpectationCheck[] {
  const cases = params.flatMap((one) => Array.from({ length: SITUATIONS }, (_, seed) => randomContext(seed, one)));
  const ask = (context: WaitContext): unknown => {
    const waits = checkList(evaluator, evaluator.waits(context));
    return waits.length === 0 ? waits : { waits, words: evaluator.describe?.(waits, context) ?? null };
  };
  return [
    {
      title: '[EC3] its waits name a participant or nobody, a seq and times in their order, and it has words for them',
      run: () => cases.forEach((context) => void areWaits(evaluator, context)),
    },
    ...purity(cases, ask),
  ];
}

export function handlerChecks(handler: ViolationHandler): readonly ExpectationCheck[] {
  isObject(handler, HANDLER);
  const cases = Array.from({ length: SITUATIONS }, (_, seed) => randomViolation(seed));
  const ask = ({ violation, metadata }: (typeof cases)[number]) => handler.act(violation, metadata);
  return [
    {
      title: '[EC1] it has a name, a whole version and its members, as the hub asks for',
      run: () => checkRegistration(handler, HANDLER),
    },
    {
      title: '[EC3] its effects are those there are',
      run: () => cases.forEach((one) => void areEffects(handler, ask(one))),
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
        const touched = usesClockOrRandom(() => cases.forEach((one) => void ask(one)));
        assert.deepStrictEqual(touched, [], `it must be pure, and used ${touched.join(', ')}`);
      },
    },
  ];
}

/** Whose name could not even be told. */
function isObject(part: unknown, kind: RegistrationKind): void {
  if (typeof part !== 'object' || part === null) checkRegistration(part, kind);
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

function areWaits(evaluator: TimedEvaluator, context: WaitContext): void {
  const waits = checkList(evaluator, evaluator.waits(context));
  assertJson(checkWaits(evaluator, waits, context.metadata), 'what waits gives');
  if (waits.length > 0 && evaluator.describe !== undefined) {
    checkDetail(evaluator, evaluator.describe(waits, context));
  }
}

function areEffects(handler: ViolationHandler, effects: unknown): void {
  for (const effect of checkEffects(handler, effects)) {
    assertJson(effect, 'an effect');
    if (effect.kind === 'hide' || effect.kind === 'remove') assertName(effect.agent_id, 'agent_id');
  }
}

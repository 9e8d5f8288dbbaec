/** The checks of evaluators and handlers; SPEC.md has the rules under EC. */

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
import { assertJson, assertName } from '../lib/assertions.ts';
import type { Check } from '../lib/check.ts';
import { acceptChecks } from './accept-checks.ts';
import { checkedOptions, type EvaluatorCheckOptions, pureChecks } from './options.ts';
import { randomContext, randomViolation } from './situations.ts';

const SITUATIONS = 200;

/** Throws now if the evaluator or the options have a wrong shape. Judges answers with the hub's own checks. */
export function evaluatorChecks(evaluator: Evaluator, options: EvaluatorCheckOptions): readonly Check[] {
  const { params, badParams } = checkedOptions(options);
  const kind = evaluatorKind(evaluator);
  isObject(evaluator, kind);
  return [
    {
      title: '[EC1] it has a name, a whole version and the members that the hub requires',
      run: () => checkRegistration(evaluator, kind),
    },
    { title: '[EC2] it accepts valid parameters and rejects others', run: () => judged(evaluator, params, badParams) },
    ...(isTimed(evaluator) ? timedChecks(evaluator, params) : acceptChecks(evaluator, params)),
  ];
}

function timedChecks(evaluator: TimedEvaluator, params: readonly JsonObject[]): readonly Check[] {
  const cases = params.flatMap((one) => Array.from({ length: SITUATIONS }, (_, seed) => randomContext(seed, one)));
  const ask = (context: WaitContext): unknown => {
    const waits = checkList(evaluator, evaluator.waits(context));
    return waits.length === 0 ? waits : { waits, words: evaluator.describe?.(waits, context) ?? null };
  };
  return [
    {
      title: '[EC3] its waits name a participant or nobody, a seq and ordered times, and it can describe them',
      run: () => cases.forEach((context) => void areWaits(evaluator, context)),
    },
    ...pureChecks(cases, ask),
  ];
}

export function handlerChecks(handler: ViolationHandler): readonly Check[] {
  isObject(handler, HANDLER);
  const cases = Array.from({ length: SITUATIONS }, (_, seed) => randomViolation(seed));
  const ask = ({ violation, metadata }: (typeof cases)[number]) => handler.act(violation, metadata);
  return [
    {
      title: '[EC1] it has a name, a whole version and the members that the hub requires',
      run: () => checkRegistration(handler, HANDLER),
    },
    {
      title: '[EC3] its effects are valid',
      run: () => cases.forEach((one) => void areEffects(handler, ask(one))),
    },
    ...pureChecks(cases, ask),
  ];
}

/** Throws unless the part is an object, because the title of the suite needs its name. */
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
  assertJson(checkWaits(evaluator, waits, context.metadata), 'the result of waits');
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

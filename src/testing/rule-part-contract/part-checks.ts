/** The checks of conditions and targets; SPEC.md has the rules under RP. */

import assert from 'node:assert/strict';
import type { FieldProblem } from '../../core/lib/errors.ts';
import { canonicalJson, isPlainObject, type JsonObject } from '../../core/lib/json.ts';
import type { Condition, Routing, RulePart, RuleRef, Target } from '../../core/ports/transition.ts';
import { assertJson, assertName, doing } from '../lib/assertions.ts';
import { type Check, type CheckTable, checksOf } from '../lib/check.ts';
import { deepFreeze, usesClockOrRandom } from '../lib/purity.ts';
import type { Outcome } from '../lib/recording.ts';
import { randomRouting } from './routings.ts';

const SITUATIONS = 200;

export function conditionChecks(condition: Condition, options: PartCheckOptions): readonly Check[] {
  return partChecks(condition, options, {
    ask: (args, routing) => condition.holds(args, routing, someHold),
    check: (answer) => assert.equal(typeof answer, 'boolean', `holds must return true or false, got ${answer}`),
  });
}

export function targetChecks(target: Target, options: PartCheckOptions): readonly Check[] {
  return partChecks(target, options, {
    ask: (args, routing) => target.choose(args, routing),
    check: isDestination,
  });
}

interface Case {
  readonly args: JsonObject;
  readonly routing: Routing;
}

interface Trial {
  readonly part: RulePart & { readonly conditions?: readonly string[] };
  readonly options: PartCheckOptions;
  readonly cases: readonly Case[];
  /** The first answers of the part, one per case. */
  first(): readonly Outcome[];
  ask(args: JsonObject, routing: Routing): unknown;
  check(answer: unknown, routing: Routing): void;
}

const CHECKS: CheckTable<Trial> = [
  ['[RP1] it has a name, a whole version, and names its own arguments', identityIsSane],
  ['[RP2] it accepts valid arguments, and says what is wrong with others', argsAreJudged],
  ['[RP3] it gives a valid answer in every situation', answersAreValid],
  ['[RP4] it does not change its arguments', nothingIsMutated],
  ['[RP4] it gives the same answers again, in any order', nothingIsRemembered],
  ['[RP5] it uses no clock and no randomness, and does not wait', noClockNoChance],
];

function partChecks(
  part: RulePart,
  options: PartCheckOptions,
  { ask, check }: Pick<Trial, 'ask' | 'check'>,
): readonly Check[] {
  checkOptions(options);
  const cases = options.args.flatMap((args) =>
    Array.from({ length: SITUATIONS }, (_, seed) => ({ args, routing: randomRouting(seed) })),
  );
  let first: readonly Outcome[] | undefined;
  const trial: Trial = {
    part,
    options,
    cases,
    first: () => {
      first ??= cases.map((one) => outcomeOf(ask, one));
      return first;
    },
    ask,
    check,
  };
  return checksOf(CHECKS, trial);
}

/** Passes copies, so that a part that changes its arguments does not affect other checks. */
function outcomeOf(ask: Trial['ask'], { args, routing }: Case): Outcome {
  try {
    return { value: ask(structuredClone(args), structuredClone(routing)) };
  } catch (thrown) {
    return { thrown };
  }
}

function answersAreValid({ cases, first, check }: Trial): void {
  for (const [i, outcome] of first().entries()) {
    doing(`situation ${i}`, () => {
      if ('thrown' in outcome) throw outcome.thrown;
      check(outcome.value, (cases[i] as Case).routing);
    });
  }
}

function nothingIsMutated({ cases, ask }: Trial): void {
  for (const { args, routing } of cases) {
    const frozen = deepFreeze(structuredClone({ args, routing }));
    doing('with frozen arguments', () => ask(frozen.args, frozen.routing));
    // Sloppy-mode code silently fails to write to frozen objects, so also compare a copy.
    const open = structuredClone({ args, routing });
    ask(open.args, open.routing);
    assert.deepStrictEqual(open, { args, routing }, 'it changed what it was given');
  }
}

function nothingIsRemembered({ cases, first, ask }: Trial): void {
  const answers = first();
  const twice = cases.map((one) => [outcomeOf(ask, one), outcomeOf(ask, one)]);
  const same = answers.map((answer) => [answer, answer]);
  assert.deepStrictEqual(twice, same, 'it keeps state, or uses randomness');
  const backwards = cases.toReversed().map((one) => outcomeOf(ask, one));
  assert.deepStrictEqual(backwards.toReversed(), answers, 'it keeps state, or uses randomness');
}

function noClockNoChance({ cases, ask }: Trial): void {
  const touched = usesClockOrRandom(() => {
    for (const one of cases) outcomeOf(ask, one);
  });
  assert.deepStrictEqual(touched, [], `a rule part must be pure, and used ${touched.join(', ')}`);
}

function identityIsSane({ part, options: { args } }: Trial): void {
  assertName(part.name, 'name');
  assert.ok(
    Number.isSafeInteger(part.version) && part.version >= 1,
    `version must be a whole number ≥ 1, got ${part.version}`,
  );
  const used = new Set(args.flatMap((one) => Object.keys(one)));
  for (const arg of [...(part.agents ?? []), ...(part.conditions ?? [])]) {
    assert.ok(used.has(arg), `"${arg}" is declared as an argument, but none of "args" has it`);
  }
}

function argsAreJudged({ part, options: { args, badArgs = [] } }: Trial): void {
  for (const good of args) {
    const problem = part.checkArgs?.(good) ?? null;
    assert.equal(problem, null, `checkArgs refused ${canonicalJson(good)}: ${JSON.stringify(problem)}`);
  }
  for (const bad of badArgs) {
    const problem = part.checkArgs?.(bad) ?? null;
    assert.ok(problem !== null, `checkArgs accepted ${canonicalJson(bad)}`);
    assertProblem(problem);
  }
}

function assertProblem(problem: FieldProblem): void {
  assertJson(problem, 'the result of checkArgs');
  for (const member of ['field', 'expected', 'received'] as const) assertName(problem[member], member);
}

const MAX_REASON = 256;

function isDestination(answer: unknown, { order }: Routing): void {
  if (answer === null) return;
  assert.ok(isPlainObject(answer), `choose must return a destination or null, got ${answer}`);
  assertJson(answer, 'a destination');
  if (answer.kind === 'end') {
    assertName(answer.reason, 'reason');
    assert.ok(String(answer.reason).length <= MAX_REASON, `a reason has at most ${MAX_REASON} characters`);
    return;
  }
  assert.equal(answer.kind, 'speaker', 'a destination is a speaker or an end');
  assert.ok(order.includes(String(answer.agent_id)), `${answer.agent_id} has no place in this session`);
}

/** Decides whether a nested condition holds, always in the same way. */
function someHold(condition: RuleRef): boolean {
  return canonicalJson(condition).length % 2 === 0;
}

export interface PartCheckOptions {
  /** Valid arguments, with ids (`id-alice`, `id-bob`, `id-carol`, `id-dave`) for participants. At least one. */
  readonly args: readonly JsonObject[];
  /** Arguments `checkArgs` must reject. */
  readonly badArgs?: readonly JsonObject[];
}

/** Validates the options, because tests in JavaScript may pass anything. */
function checkOptions(options: unknown): void {
  const { args, badArgs = [] } = (isPlainObject(options) ? options : {}) as Partial<Record<string, unknown>>;
  const lists = Object.entries({ args, badArgs });
  for (const [name, list] of lists) {
    const isList = Array.isArray(list) && list.every(isPlainObject);
    const needs = `options: expected ${name} to be a list of argument objects, such as {${name}: [{}]}`;
    assert.ok(isList, `${needs}; got ${list === undefined ? 'nothing' : JSON.stringify(list)}`);
  }
  assert.ok(
    Array.isArray(args) && args.length > 0,
    'options: expected at least one set of arguments in args, got none',
  );
}

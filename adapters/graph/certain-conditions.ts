/** Decides statically whether built-in conditions never hold, always hold, or imply each other. Other conditions are unknown.
 * Participants are compared as written, so a graph should name each participant in one way only. */

import { canonicalJson, type Json, type RuleRef, type Vocabulary } from 'parley-hub/core';
import { BUILT_IN } from './vocabulary.ts';

export class CertainConditions {
  private readonly vocabulary: Vocabulary;
  /** The number of the last turn; the first turn has number 1. */
  private readonly lastTurn: number;

  constructor(vocabulary: Vocabulary, maxTurns: number | null) {
    this.vocabulary = vocabulary;
    this.lastTurn = maxTurns ?? Number.POSITIVE_INFINITY;
  }

  isNever(condition: RuleRef): boolean {
    if (!this.isBuiltIn(condition)) return false;
    const { conditions, condition: inner, op, value } = condition.args;
    switch (condition.name) {
      case 'all_of':
        return refsIn(conditions).some((one) => this.isNever(one)) || this.contradicts(refsIn(conditions));
      case 'any_of':
        return refsIn(conditions).every((one) => this.isNever(one));
      case 'not':
        return refsIn([inner]).every((one) => this.isAlways(one));
      case 'turn_count':
        return neverTurn(op, value, this.lastTurn);
      default:
        return false;
    }
  }

  isAlways(condition: RuleRef): boolean {
    if (!this.isBuiltIn(condition)) return false;
    const { conditions, condition: inner, op, value } = condition.args;
    switch (condition.name) {
      case 'always':
        return true;
      case 'all_of':
        return refsIn(conditions).every((one) => this.isAlways(one));
      case 'any_of':
        return refsIn(conditions).some((one) => this.isAlways(one));
      case 'not':
        return refsIn([inner]).every((one) => this.isNever(one));
      case 'turn_count':
        return neverTurn(OPPOSITES.get(String(op)), value, this.lastTurn);
      default:
        return false;
    }
  }

  /** True if `outer` holds whenever `inner` does. */
  implies(inner: RuleRef, outer: RuleRef): boolean {
    if (!this.isBuiltIn(outer)) return false;
    if (this.isAlways(outer)) return true;
    if (canonicalJson(inner) === canonicalJson(outer)) return true;
    if (this.isBuiltIn(inner) && inner.name === 'all_of') {
      return refsIn(inner.args.conditions).some((one) => this.implies(one, outer));
    }
    return outer.name === 'any_of' && refsIn(outer.args.conditions).some((one) => this.implies(inner, one));
  }

  /** True if two of them exclude each other: two speakers, two values of a variable, or a condition and its negation. */
  private contradicts(conditions: readonly RuleRef[]): boolean {
    const all = this.conjuncts(conditions).filter((one) => this.isBuiltIn(one));
    const speakers = new Set(named(all, 'from_speaker').map(({ args }) => args.agent_id));
    const equals = named(all, 'context_equals').map(({ args }) => args);
    const keys = new Set(equals.map(({ key }) => key));
    const values = new Set(equals.map(({ key, value = null }) => canonicalJson([key ?? null, value])));
    if (speakers.size > 1 || values.size > keys.size) return true;
    const said = new Set(all.map((one) => canonicalJson(one)));
    return named(all, 'not').some(
      ({ args }) => args.condition !== undefined && said.has(canonicalJson(args.condition)),
    );
  }

  /** The conditions of an all_of, including those of nested ones. */
  private conjuncts(conditions: readonly RuleRef[]): readonly RuleRef[] {
    return conditions.flatMap((one) =>
      one.name === 'all_of' && this.isBuiltIn(one) ? this.conjuncts(refsIn(one.args.conditions)) : [one],
    );
  }

  private isBuiltIn({ name }: RuleRef): boolean {
    const known = BUILT_IN.conditions.get(name);
    return known !== undefined && this.vocabulary.conditions.get(name) === known;
  }
}

function named(conditions: readonly RuleRef[], name: string): readonly RuleRef[] {
  return conditions.filter((one) => one.name === name);
}

const OPPOSITES: ReadonlyMap<string, string> = new Map([
  ['==', '!='],
  ['!=', '=='],
  ['<', '>='],
  ['>=', '<'],
  ['>', '<='],
  ['<=', '>'],
]);

/** True if no turn from 1 to `last` matches. */
function neverTurn(op: Json | undefined, value: Json | undefined, last: number): boolean {
  if (typeof value !== 'number') return false;
  switch (op) {
    case '==':
      return value < 1 || value > last || !Number.isInteger(value);
    case '!=':
      return last === 1 && value === 1;
    case '<':
      return value <= 1;
    case '<=':
      return value < 1;
    case '>':
      return value >= last;
    case '>=':
      return value > last;
    default:
      return false;
  }
}

/** The check of the graph has validated the conditions. */
function refsIn(conditions: unknown): readonly RuleRef[] {
  return Array.isArray(conditions) ? (conditions as readonly RuleRef[]) : [];
}

/** The parameters of expectations that count: which there are, and what numbers they take. */

import type { FieldProblem, JsonObject } from 'parley-hub/core';

export interface NumberParam {
  readonly least: number;
  readonly most: number;
  /** Any number between the two will do; whole ones only unless told. */
  readonly fractions?: boolean;
}

/** What is wrong with parameters of which these are known and at least one must be there. */
export function checkNumbers(params: JsonObject, known: Readonly<Record<string, NumberParam>>): FieldProblem | null {
  const names = Object.keys(known);
  const unknown = Object.keys(params).find((name) => !names.includes(name));
  if (unknown !== undefined)
    return { field: unknown, expected: `one of ${names.join(', ')}`, received: `"${unknown}"` };
  const given = Object.entries(params);
  if (given.length === 0)
    return {
      field: names[0] ?? '',
      expected: names.map((name) => `${name} (${inWords(known[name])})`).join(' or '),
      received: 'nothing',
    };
  const wrong = given.find(([name, value]) => !isWithin(value, known[name]));
  if (wrong === undefined) return null;
  return { field: wrong[0], expected: inWords(known[wrong[0]]), received: JSON.stringify(wrong[1]) };
}

function isWithin(value: unknown, { least, most, fractions = false }: NumberParam = NOTHING): boolean {
  const isKind = typeof value === 'number' && (fractions ? Number.isFinite(value) : Number.isSafeInteger(value));
  return isKind && value >= least && value <= most;
}

const NOTHING: NumberParam = { least: 1, most: 0 };

function inWords({ least, most, fractions = false }: NumberParam = NOTHING): string {
  return `${fractions ? 'a number' : 'a whole number'} from ${least} to ${most}`;
}

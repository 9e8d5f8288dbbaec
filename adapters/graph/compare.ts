/** Comparing values of the context: equality of any JSON, order among numbers and among texts. */

import { canonicalJson, type Json } from 'parley-hub/core';

export const OPERATORS = ['==', '!=', '<', '<=', '>', '>='] as const;
export type Operator = (typeof OPERATORS)[number];

export function isOperator(value: Json | undefined): value is Operator {
  return OPERATORS.some((operator) => operator === value);
}

/** Values of different kinds are unequal, and neither is less than the other. */
export function compare(left: Json, operator: Operator, right: Json): boolean {
  if (operator === '==') return isEqual(left, right);
  if (operator === '!=') return !isEqual(left, right);
  const areNumbers = typeof left === 'number' && typeof right === 'number';
  const areTexts = typeof left === 'string' && typeof right === 'string';
  if (!areNumbers && !areTexts) return false;
  if (operator === '<') return left < right;
  if (operator === '<=') return left <= right;
  return operator === '>' ? left > right : left >= right;
}

export function isEqual(left: Json, right: Json): boolean {
  return left === right || canonicalJson(left) === canonicalJson(right);
}

/** How names and ids look. */

export const ROLE_ID: RegExp = /^[a-z0-9_-]+$/;
export const DECISION_ID: RegExp = /^DEC-\d+$/;
export const OBJECTION_ID: RegExp = /^OBJ-\d+$/;
export const DELEGATION_ID: RegExp = /^del-\d{3}$/;

/** Stands for a person wherever a role is named; it is never declared. */
export const HUMAN = 'human';

/** A text that is one angle bracket from end to end: a template nobody has filled in. */
export function isTemplate(value: unknown): boolean {
  return typeof value === 'string' && /^<[^<>]+>$/.test(value.trim());
}

export function matches(pattern: RegExp, value: unknown): value is string {
  return typeof value === 'string' && pattern.test(value);
}

const TURN_ID = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

export function isTurnId(id: unknown): id is string {
  return typeof id === 'string' && TURN_ID.test(id);
}

/** Defines the patterns of names and ids. */

export const ROLE_ID: RegExp = /^[a-z0-9_-]+$/;
export const DECISION_ID: RegExp = /^DEC-\d+$/;
export const OBJECTION_ID: RegExp = /^OBJ-\d+$/;
export const DELEGATION_ID: RegExp = /^del-\d{3}$/;

/** Names a person in place of a role; never declared as a role. */
export const HUMAN = 'human';

/** True for an unfilled template: one pair of angle brackets around the whole string. */
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

/** A turn's id is the name of folders. */

const TURN_ID = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

export function isTurnId(id: unknown): id is string {
  return typeof id === 'string' && TURN_ID.test(id);
}

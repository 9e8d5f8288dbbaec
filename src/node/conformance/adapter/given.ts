/** What a run needs from outside: here it is always the same, so that a fixture has one answer. */

export const NOW = '2030-01-02T03:04:05.000Z';
export const RUN_ID = 'run_00000000000000c0';
export const TURN_ID = 'turn_00000000000000c0';

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

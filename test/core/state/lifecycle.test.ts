import { describe, expect, it } from 'vitest';
import { HubError } from '../../../src/core/lib/errors.ts';
import { isTerminal, type LifecycleState } from '../../../src/core/records/session/session.ts';
import { LIFECYCLE_EVENTS, type LifecycleEvent, nextLifecycle } from '../../../src/core/state/lifecycle.ts';

const STATES: readonly LifecycleState[] = ['INVITED', 'ACTIVE', 'CLOSING', 'CLOSED', 'EXPIRED'];

/** Where each event leads from INVITED, ACTIVE and CLOSING; – = no effect. */
const table: readonly (readonly [LifecycleEvent, string, string, string])[] = [
  ['quorum', 'ACTIVE', '–', '–'],
  ['quorum_lost', 'CLOSED', '–', '–'],
  ['invite_timeout', 'CLOSED', '–', '–'],
  ['close', 'CLOSED', 'CLOSING', '–'],
  ['adapter_close', '–', 'CLOSING', '–'],
  ['auto_close', 'CLOSED', 'CLOSING', '–'],
  ['expire', 'EXPIRED', 'EXPIRED', '–'],
  ['drained', '–', '–', 'CLOSED'],
];

const rows = table.flatMap(([event, ...ends]) =>
  STATES.map((state, i) => {
    const end = ends[i] ?? '–';
    return { event, state, end: end === '–' ? state : end };
  }),
);

describe('the lifecycle', () => {
  it('[LC1] is a table of all events', () => {
    expect(table.map(([event]) => event)).toEqual(LIFECYCLE_EVENTS);
    expect(rows).toHaveLength(LIFECYCLE_EVENTS.length * STATES.length);
  });

  it.each(rows)('[LC1] $event in $state leads to $end', ({ event, state, end }) => {
    expect(nextLifecycle(state, event)).toBe(end);
  });

  it('[L6] ends in CLOSED and EXPIRED', () => {
    for (const state of STATES.filter(isTerminal)) {
      for (const event of LIFECYCLE_EVENTS) expect(nextLifecycle(state, event)).toBe(state);
    }
    expect(STATES.filter(isTerminal)).toEqual(['CLOSED', 'EXPIRED']);
  });

  it.each(['opened', '', 'CLOSE', 'toString', 'xstate.init', '*'])(
    '[LC1] throws for the unknown event "%s" in every state',
    (event) => {
      for (const state of STATES) {
        expect(() => nextLifecycle(state, event as LifecycleEvent)).toThrow(HubError);
        expect(() => nextLifecycle(state, event as LifecycleEvent)).toThrow(`unknown lifecycle event "${event}"`);
      }
    },
  );

  it.each(['OPEN', '', 'active', 'toString', 'constructor', '__proto__'])(
    '[LC1] throws for the unknown state "%s"',
    (state) => {
      expect(() => nextLifecycle(state as LifecycleState, 'close')).toThrow(HubError);
      expect(() => nextLifecycle(state as LifecycleState, 'close')).toThrow(`unknown lifecycle state "${state}"`);
    },
  );
});

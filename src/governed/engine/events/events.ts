/** Is this an event, and do these events tell a story that can be true? */

import { msFromIso } from '../../../core/time.ts';
import { isFilled, isOneOf, isRecord } from '../lib/unknown-record.ts';
import { EVENT_TYPES, TURN_EVENT_TYPES } from '../../events/types.ts';

export interface EventFault {
  readonly code: string;
  readonly message: string;
}

export function eventFaults(event: unknown): readonly EventFault[] {
  if (!isRecord(event)) return [fault('not_an_event', 'an event is an object')];
  const { event_id, event_type, timestamp, turn } = event;
  const faults: EventFault[] = [];
  if (!isFilled(event_id)) faults.push(fault('missing_event_id', 'event_id: expected a text with something in it'));
  if (!isOneOf(EVENT_TYPES, event_type)) {
    faults.push(
      fault('unknown_event_type', `event_type: ${JSON.stringify(event_type) ?? 'nothing'} is no type of event`),
    );
  }
  if (Number.isNaN(timeOf(timestamp))) faults.push(fault('bad_timestamp', 'timestamp: expected a time'));
  if (isOneOf(TURN_EVENT_TYPES, event_type) && turnOf(turn) === null) {
    faults.push(fault('missing_turn_id', `turn.turn_id: ${event_type} says which turn it is about`));
  }
  return faults;
}

/** What is wrong with the order of a run's events, from the first to the last. */
export function orderFaults(events: readonly unknown[]): readonly EventFault[] {
  const told = events.map((event) => (isRecord(event) ? event : {}));
  const faults: EventFault[] = [];
  const dispatched = new Set<string>();
  let latest = Number.NEGATIVE_INFINITY;
  for (const [at, { event_type, timestamp, turn }] of told.entries()) {
    if (at === 0 && event_type !== 'run_started') {
      faults.push(fault('run_started_not_first', 'the first event of a run is run_started'));
    }
    if (event_type === 'run_completed' && at !== told.length - 1) {
      faults.push(fault('run_completed_not_last', `event ${at + 1}: nothing comes after run_completed`));
    }
    const id = turnOf(turn);
    if (event_type === 'turn_dispatched' && id !== null) dispatched.add(id);
    if (event_type === 'turn_accepted' && (id === null || !dispatched.has(id))) {
      faults.push(fault('accepted_before_dispatch', `event ${at + 1}: turn ${id ?? '?'} was not dispatched before`));
    }
    const ms = timeOf(timestamp);
    if (!(ms >= latest))
      faults.push(fault('timestamp_regression', `event ${at + 1}: its time is before the last one's`));
    else latest = ms;
  }
  return faults;
}

function turnOf(turn: unknown): string | null {
  return isRecord(turn) && isFilled(turn.turn_id) ? turn.turn_id : null;
}

function timeOf(timestamp: unknown): number {
  return isFilled(timestamp) ? msFromIso(timestamp) : Number.NaN;
}

function fault(code: string, message: string): EventFault {
  return { code, message };
}

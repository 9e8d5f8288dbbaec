/** Operations that look at a config or at events, and at nothing else. */

import { type EventFault, engine } from 'parley-hub/governed';
import type { Members } from '../members.ts';
import type { World } from '../../../governed/conformance/adapter/inflate.ts';

const { checkConfig, eventFaults, orderFaults } = engine;

/** The config as it stands in the arguments: nothing is filled in before it is checked. */
export function validateConfig(_: World, { config }: Members): Members {
  const checked = checkConfig(config);
  if (checked.ok) return { result: 'success', errors: [], normalisations: checked.normalisations };
  const [{ message, ...first }] = checked.faults;
  return { result: 'error', ...first, error_detail: message, errors: checked.faults.map((fault) => fault.message) };
}

export function validateEvent(_: World, { event }: Members): Members {
  return judged('invalid_event', eventFaults(event));
}

export function validateEventOrdering(_: World, { events }: Members): Members {
  if (!Array.isArray(events) || events.length === 0) {
    return judged('invalid_events', [{ code: 'no_events', message: 'events: expected at least one' }]);
  }
  return judged('ordering_violation', orderFaults(events));
}

function judged(error_type: string, faults: readonly EventFault[]): Members {
  const [first] = faults;
  if (first === undefined) return { result: 'success', errors: [] };
  return { result: 'error', error_type, error_code: first.code, errors: faults.map(({ message }) => message) };
}

/** The built-in handlers of violations. Every violation is logged and audited, whatever its handler does. */

import type { HandlerEffect, Violation, ViolationHandler } from 'parley-hub/core';

/** Takes no further action. */
export const audit: ViolationHandler = { name: 'audit', version: 1, act: () => [] };

/** Notifies the violators, or everyone if the session is a violator. */
export const warn: ViolationHandler = {
  name: 'warn',
  version: 1,
  act: () => [{ kind: 'deliver', to: 'violators' }],
};

export const notifySession: ViolationHandler = {
  name: 'notify_session',
  version: 1,
  act: () => [{ kind: 'deliver', to: 'everyone' }],
};

/** Takes violators out of the rotation; they can still read, and may return. */
export const hide: ViolationHandler = {
  name: 'hide',
  version: 1,
  needsParticipant: true,
  act: (violation) => toEach('hide', violation),
};

/** Removes violators permanently. */
export const remove: ViolationHandler = {
  name: 'remove',
  version: 1,
  needsParticipant: true,
  act: (violation) => toEach('remove', violation),
};

export const autoClose: ViolationHandler = {
  name: 'auto_close',
  version: 1,
  act: ({ name }) => [{ kind: 'close', reason: `expectation_violated:${name}` }],
};

function toEach(kind: 'hide' | 'remove', { violators }: Violation): readonly HandlerEffect[] {
  return violators.flatMap(({ agent_id }) => (agent_id === null ? [] : [{ kind, agent_id }]));
}

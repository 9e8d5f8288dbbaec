/** The built-in handlers of violations. Every violation is logged and audited, whatever its handler does. */

import type { HandlerEffect, Violation, ViolationHandler } from 'parley-hub/core';

/** Does nothing more. */
export const audit: ViolationHandler = { name: 'audit', version: 1, act: () => [] };

/** Notifies the violators; everyone, if the session is one. */
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

/** Takes violators out of the rotation; they still read, and may return. */
export const hide: ViolationHandler = {
  name: 'hide',
  version: 1,
  needsParticipant: true,
  act: (violation) => toEach('hide', violation),
};

/** Permanent. */
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

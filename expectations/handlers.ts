/** What happens when an expectation is violated. Each firing is in the log and in the audit, whatever its handler adds. */

import type { HandlerEffect, Violation, ViolationHandler } from 'parley-hub/core';

/** Nothing more. */
export const audit: ViolationHandler = { name: 'audit', version: 1, act: () => [] };

/** The violators are told; if the session is one, everyone is. */
export const warn: ViolationHandler = {
  name: 'warn',
  version: 1,
  act: () => [{ kind: 'deliver', to: 'violators' }],
};

/** Everyone is told. */
export const notifySession: ViolationHandler = {
  name: 'notify_session',
  version: 1,
  act: () => [{ kind: 'deliver', to: 'everyone' }],
};

/** Out of the rotation; it goes on reading and may come back to its place. */
export const hide: ViolationHandler = {
  name: 'hide',
  version: 1,
  needsParticipant: true,
  act: (violation) => toEach('hide', violation),
};

/** Out for good. */
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

/** What the adapters for exactly two participants share: who they are. */

import { type Manifest, ProtocolError, type SessionMetadata } from 'parley-hub/core';

export const TWO_PARTIES: Manifest['participants'] = { min: 2, max: 2, roles: ['initiator', 'respondent'] };

/** An initiator and a respondent, in either order, and nobody else. */
export function requireTwoParties({ manifest, participants }: SessionMetadata): void {
  if (participants.length !== 2) {
    throw new ProtocolError(`${manifest.type} needs exactly 2 participants, got ${participants.length}`, {
      field: 'participants',
    });
  }
  const roles = participants.map(({ role }) => role);
  if (TWO_PARTIES.roles.every((role) => roles.includes(role))) return;
  throw new ProtocolError(`${manifest.type} needs an initiator and a respondent, got ${roles.join(' and ')}`, {
    field: 'participants',
  });
}

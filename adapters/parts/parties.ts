/** Shared by session types: numbers of participants, default views, and rejection of unsupported types. */

import {
  type Draft,
  type Envelope,
  HUB_ID,
  type Manifest,
  ProtocolError,
  renderText,
  type SessionMetadata,
  type ViewRef,
} from 'parley-hub/core';

export const SEVERAL_PARTIES: Manifest['participants'] = {
  min: 2,
  max: null,
  roles: ['initiator', 'respondent', 'participant'],
};

export function requireSeveral({ manifest, participants }: SessionMetadata): void {
  if (participants.length >= SEVERAL_PARTIES.min) return;
  const message = `${manifest.type} needs at least ${SEVERAL_PARTIES.min} participants, got ${participants.length}`;
  throw new ProtocolError(message, { field: 'participants' });
}

/** The last two rounds, with names: two messages per remaining participant. */
export function lastTwoRounds({ participants }: SessionMetadata): ViewRef {
  const left = participants.filter(({ status }) => status !== 'removed' && status !== 'rejected').length;
  return roundsView(Math.max(left, SEVERAL_PARTIES.min));
}

export function roundsView(participants: number): ViewRef {
  return { name: 'windowed_summary', params: { recent_n: 2 * participants, named: true } };
}

/** Hub envelopes have no content; other envelopes are rendered. */
export function turnInputOf(envelope: Envelope): string {
  return envelope.sender_id === HUB_ID ? 'It is your turn.' : renderText(envelope);
}

export const TWO_PARTIES: Manifest['participants'] = { min: 2, max: 2, roles: ['initiator', 'respondent'] };

/** Exactly one initiator and one respondent, in either order. */
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

export function refuseUnfolded({ manifest }: SessionMetadata, { event_type }: Draft): void {
  if (event_type !== 'msg.packet' && event_type !== 'context.set') return;
  throw new ProtocolError(`${manifest.type} does not take "${event_type}"; send "msg.text"`, { event_type });
}

/** To whom something can be said in a session, and how that is told. Pure. */

import type { Participant, SessionMetadata } from '../../../core/records/session/session.ts';

export interface Recipient {
  readonly agent_id: string;
  readonly name: string;
  /** Was chosen, and has left since: the hub leaves it out, and refuses what is for nobody else. */
  readonly isGone: boolean;
}

/** Everybody but oneself who can hear it, and whoever was chosen: nobody is taken off a whisper without being asked. */
export function listRecipients(
  { participants }: Pick<SessionMetadata, 'participants'>,
  me: string,
  chosen: readonly string[],
): readonly Recipient[] {
  return participants
    .filter(({ agent_id }) => agent_id !== me)
    .map((one) => ({ agent_id: one.agent_id, name: one.name, isGone: isOut(one) }))
    .filter(({ agent_id, isGone }) => !isGone || chosen.includes(agent_id));
}

/** With one other alone, everybody is that one. */
export function isChoice(hearers: readonly Recipient[], chosen: readonly string[]): boolean {
  return hearers.length > 1 || chosen.length > 0;
}

export function recipientName({ name, isGone }: Recipient): string {
  return isGone ? `${name} (gone)` : name;
}

/** `chosen` empty = everybody. */
export function recipientsText(hearers: readonly Recipient[], chosen: readonly string[]): string {
  if (chosen.length === 0) return 'To everybody';
  const names = hearers.filter(({ agent_id }) => chosen.includes(agent_id)).map(recipientName);
  return `To ${names.join(', ')}`;
}

function isOut({ status }: Participant): boolean {
  return status === 'removed' || status === 'rejected';
}

/** The possible recipients of a message. Pure. */

import type { Participant, SessionMetadata } from '../../../core/records/session/session.ts';

export interface Recipient {
  readonly agent_id: string;
  readonly name: string;
  /** Was chosen but has left: the hub skips it, and refuses a message without other recipients. */
  readonly isGone: boolean;
}

/** The other participants. Chosen ones stay listed after they leave: a whisper never loses a recipient unnoticed. */
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

/** With a single recipient there is nothing to choose. */
export function isChoice(recipients: readonly Recipient[], chosen: readonly string[]): boolean {
  return recipients.length > 1 || chosen.length > 0;
}

export function recipientName({ name, isGone }: Recipient): string {
  return isGone ? `${name} (left)` : name;
}

export function recipientsText(recipients: readonly Recipient[], chosen: readonly string[]): string {
  if (chosen.length === 0) return 'To everyone';
  const names = recipients.filter(({ agent_id }) => chosen.includes(agent_id)).map(recipientName);
  return `To ${names.join(', ')}`;
}

function isOut({ status }: Participant): boolean {
  return status === 'removed' || status === 'rejected';
}

/** Lists the possible recipients of a message. Pure. */

import type { Participant, SessionMetadata } from '../../../core/records/session/session.ts';

export interface Recipient {
  readonly agent_id: string;
  readonly name: string;
  /** Chosen, but has left the session: the hub skips it, and rejects a message without other recipients. */
  readonly isGone: boolean;
}

/** The participants other than `me`. A chosen one stays listed after it leaves, so that its loss is noticed. */
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

/** False if there is nothing to choose: at most one possible recipient, and none chosen. */
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

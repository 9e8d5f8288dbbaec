/** What a session is about, for who decides whether to take part. */

import { DELEGATION_LABEL } from '../../core/records/work/delegation.ts';

/** The question of a delegation is in its session, for who has joined: it may be taken back there, and is not copied. */
export function topicOf(labels: Readonly<Record<string, string>>, creator: string): string | null {
  const { intent } = labels;
  if (intent !== undefined) return intent;
  return labels[DELEGATION_LABEL] === undefined ? null : `a question that ${creator} has for you`;
}

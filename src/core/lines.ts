/** What a view is made of: which envelopes are lines, and who can see one. */

import { isAddressedTo } from './records/session/delivery.ts';
import { type Envelope, isContent } from './records/session/envelope.ts';

/** Content, and what the hub says about an expectation. The rest of a log is not shown in views. */
export function isLine(eventType: string): boolean {
  return eventType === 'msg.text' || isContent(eventType) || eventType === 'expectation.violated';
}

/** A line the participant said itself or was told. Where its membership ends is looked at elsewhere. */
export function isLineOf(envelope: Envelope, agentId: string): boolean {
  return isLine(envelope.event_type) && (envelope.sender_id === agentId || isAddressedTo(envelope, agentId));
}

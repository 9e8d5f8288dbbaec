/** Descriptions of the envelope fields. */

import type { Envelope } from 'parley-hub/core';

export const ENVELOPE_HELP: { readonly [Field in keyof Envelope]: string } = {
  session_id: 'Session of the envelope.',
  sender_id: 'Sender: the identity bound to the connection, or `hub`.',
  audience: 'Recipients; null = all participants.',
  event_type: '`msg.text`, `msg.packet` or a custom type; only the hub writes `session.*`.',
  event_data: 'Content.',
  causation_id: 'Envelope that caused this one.',
  task_id: 'Related task.',
  traceparent: 'W3C trace context.',
  priority: 'Urgency.',
  idempotency_key: 'Idempotency key of the post.',
  ttl_seconds: 'Age after which it is no longer delivered.',
  envelope_id: 'Id, assigned by the hub.',
  seq: 'Position in the session log: 1, 2, 3, … without gaps.',
  depth: 'Depth of its session in a tree of delegations.',
  created_at: 'Time of acceptance.',
  redacted: 'Set after a redaction: operator, time, reason, and the SHA-256 of the removed `event_data`.',
};

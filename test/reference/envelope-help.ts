/** The fields of an envelope in words. */

import type { Envelope } from 'parley-hub/core';

export const ENVELOPE_HELP: { readonly [Field in keyof Envelope]: string } = {
  session_id: 'The session it belongs to.',
  sender_id: 'Who said it: the identity bound to the connection it came on, or `hub`.',
  audience: 'Whom it is for; null = everyone in the session.',
  event_type:
    'What kind of thing it is: `msg.text`, `msg.packet`, a session type’s own; `session.*` only the hub makes.',
  event_data: 'What is said.',
  causation_id: 'What it answers, or comes of.',
  task_id: 'The task it is about.',
  traceparent: 'W3C trace context.',
  priority: 'How urgent it is.',
  idempotency_key: 'The key it was posted under.',
  ttl_seconds: 'Not delivered once it is older.',
  envelope_id: 'Made by the hub.',
  seq: 'Its place in the session: 1, 2, 3, … without a hole.',
  depth: 'How deep its session is in a tree of delegations.',
  created_at: 'When the hub took it.',
  redacted: 'There if an operator has hidden what it said: who, when, why, and the SHA-256 of what `event_data` was.',
};

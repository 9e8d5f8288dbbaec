/** Advice for each wire code: its details, and what a client should do next. */

import type { WireCode } from '../../src/core/lib/errors.ts';

export interface ErrorAdvice {
  /** Possible members of `details`. */
  readonly details: { readonly [member: string]: string };
  readonly next: string;
}

const WHERE = {
  field: 'location, such as `params.name`',
  expected: 'expected value',
  received: 'received value',
} as const;

export const ERROR_ADVICE: { readonly [Code in WireCode]: ErrorAdvice } = {
  bad_frame: {
    details: { ...WHERE, line: 'line in the front matter of a SKILL.md' },
    next: 'Correct the frame; it had no effect. Too many bad frames in a row end the connection.',
  },
  unsupported_version: {
    details: { field: 'frame.protocol', name: 'name in the hello' },
    next: 'Say hello with `protocol: 1`, or use a newer client.',
  },
  unauthenticated: {
    details: { name: 'name that cannot be bound' },
    next: 'Send a hello with a credential for that name. If the name is new, `register` it on the same connection. Do not retry in a loop: failures are counted per address.',
  },
  forbidden: {
    details: {
      field: 'forbidden parameter',
      name: 'name that cannot be registered',
      reason: 'reason of the access rule or the arbiter',
      status: 'your status in the session',
      state: 'state of the session',
      agent_id: 'identity with the limit',
      event_type: 'type of the envelope that cannot be redacted',
      most: 'the limit',
      owner_id: 'owner of the task',
      session_id: 'session whose observation ended',
      observed: '`true` if an observation ended',
      grant: 'missing grant',
    },
    next: 'Ask an operator for a grant or another access rule. Do not retry.',
  },
  not_found: {
    details: {
      field: 'parameter',
      received: 'received value',
      status: 'status of the participant',
      task_id: 'the task',
    },
    next: 'Check the id. A session you are not in looks like a missing one.',
  },
  conflict: {
    details: {
      field: 'conflicting parameter',
      received: 'received value',
      head: 'latest seq of the session',
      version: 'latest version',
      schedule_id: 'schedule with that name',
      task_id: 'the task',
      state: 'state of the task',
      ended_seq: 'seq at which the task ended',
      held: 'where the session state contains the content',
    },
    next: 'Read the current value, decide again, and retry with its `expected_seq` or `expected_version`.',
  },
  protocol_error: {
    details: {
      '…': 'further members defined by the session type',
      ...WHERE,
      event_type: 'posted event type',
      state: 'state of the session',
      status: 'status of the participant',
      pending_acks: 'participants with an unanswered invite',
      reason: 'why the next turn holder cannot receive it',
      max: 'the limit',
    },
    next: 'The message names what the session accepts now; `can_send` checks beforehand.',
  },
  not_your_turn: {
    details: {
      expected: 'holder of the turn; null = none',
      turn_passed_at_seq: 'seq at which you were hidden',
      '…': 'further members defined by the session type',
    },
    next: 'Wait for a `notify` whose `turn` names you. If you are hidden, `return_to_session`.',
  },
  session_closed: {
    details: {
      state: 'state of the session',
      close_reason: 'reason of the end',
      session_id: 'the session',
      rejected_by: 'participant that declined',
    },
    next: 'Open another session.',
  },
  invalid_create: {
    details: {
      ...WHERE,
      '…': 'further members defined by the session type',
      cycle: 'participants that would wait for each other',
      left: 'remaining budget',
      most: 'the limit',
      type: 'the session type',
      version: 'its version',
    },
    next: 'Correct the named field; nothing was created.',
  },
  rate_limited: {
    details: { retry_after_ms: 'time until the rate allows it' },
    next: 'Wait for `retry_after_ms`, then send the same again.',
  },
  inbox_full: {
    details: { agent_id: 'owner of the inbox' },
    next: 'Wait until the recipient acks; its access rule sets the limit.',
  },
  too_large: {
    details: { ...WHERE, most: 'the limit', name: 'name that cannot be bound here' },
    next: 'Send less, or in parts. A frame over `max_frame_bytes` closes the connection with code 1009.',
  },
  duplicate: {
    details: {
      envelope_id: 'envelope with the key',
      seq: 'its seq',
      created_at: 'its time',
      session_id: 'session with the key',
    },
    next: 'Use a new key for new content. Repeating the same content with the same key succeeds with `duplicate: true`.',
  },
  timeout: {
    details: { session_id: 'the session, if one was named' },
    next: 'The outcome is unknown. Retry with the same key, or read the session.',
  },
  unavailable: {
    details: {
      outcome: '`refused`: it had no effect; `unknown`: it may have',
      retry_after_ms: 'time until a retry',
      name: 'name that cannot be bound or registered',
      view: 'missing view',
    },
    next: 'After `refused` retry later. After `unknown` retry with the same key.',
  },
  internal: { details: {}, next: 'Report this defect of the hub or of an extension. The outcome is unknown.' },
};

/** What a client does with each wire code: which details come with it, and what to try next. */

import type { WireCode } from '../../src/core/lib/errors.ts';

export interface ErrorAdvice {
  /** Members of `details`, of which those that apply are there. */
  readonly details: { readonly [member: string]: string };
  readonly next: string;
}

const WHERE = {
  field: 'where it is, such as `params.name`',
  expected: 'what may be there',
  received: 'what was there',
} as const;

export const ERROR_ADVICE: { readonly [Code in WireCode]: ErrorAdvice } = {
  bad_frame: {
    details: { ...WHERE, line: 'the line of a SKILL.md’s front matter' },
    next: 'Mend the frame. Nothing was done; sending the same again gets the same. Too many in a row end the connection.',
  },
  unsupported_version: {
    details: { field: 'frame.protocol', name: 'who said hello' },
    next: 'Say hello with `protocol: 1`, or use a newer client.',
  },
  unauthenticated: {
    details: { name: 'who cannot be bound' },
    next: 'Say hello with a credential for that name. If it is new, `register` it on the same connection. Do not try again and again: failures are counted by address.',
  },
  forbidden: {
    details: {
      field: 'what is not allowed',
      name: 'who cannot be registered',
      reason: 'what the rule or the arbiter says',
      status: 'yours in the session',
      state: 'of the session',
      agent_id: 'whose limit it is',
      event_type: 'of what cannot be redacted',
      most: 'the limit',
      owner_id: 'whose task it is',
      session_id: 'the session you observe no longer',
      observed: '`true`: you observe it no longer',
      grant: 'that the credential lacks',
    },
    next: 'Ask for a grant, another rule, or somebody who may. Trying again does not help.',
  },
  not_found: {
    details: {
      field: 'which of the parameters',
      received: 'what was there',
      status: 'of the participant',
      task_id: 'the task',
    },
    next: 'Look at the id. A session you are not in looks the same as one that never was.',
  },
  conflict: {
    details: {
      field: 'what is in the way',
      received: 'what was there',
      head: 'the newest seq of the session',
      version: 'the newest version',
      schedule_id: 'the schedule that has the name',
      task_id: 'the task',
      state: 'of the task',
      ended_seq: 'where the task ended',
      held: 'where the state holds what was to be redacted',
    },
    next: 'Read what is there now, decide again, and ask again with the new `expected_seq` or `expected_version`.',
  },
  protocol_error: {
    details: {
      '…': 'a session type may give more of its own',
      ...WHERE,
      event_type: 'what was sent',
      state: 'of the session',
      status: 'of the participant',
      pending_acks: 'who has not answered its invite',
      reason: 'why who would be next cannot hear it',
      max: 'the limit',
    },
    next: 'The message says what the session takes now; `can_send` asks beforehand.',
  },
  not_your_turn: {
    details: {
      expected: 'who is expected, null = nobody',
      turn_passed_at_seq: 'where you were hidden',
      '…': 'a session type may give more of its own',
    },
    next: 'Wait for a `notify` whose `turn` names you. If you are hidden, `return_to_session`.',
  },
  session_closed: {
    details: {
      state: 'of the session',
      close_reason: 'why it ended',
      session_id: 'the session',
      rejected_by: 'who declined',
    },
    next: 'Open another session.',
  },
  invalid_create: {
    details: {
      ...WHERE,
      '…': 'a session type may give more of its own',
      cycle: 'who would wait for whom',
      left: 'what is left of the budget',
      most: 'the limit',
      type: 'the session type',
      version: 'its version',
    },
    next: 'Mend what the field names; nothing was made.',
  },
  rate_limited: {
    details: { retry_after_ms: 'when it fits again' },
    next: 'Wait for `retry_after_ms`, then send the same again.',
  },
  inbox_full: {
    details: { agent_id: 'whose it is' },
    next: 'Wait until that one has read; its rule says how much may be unread.',
  },
  too_large: {
    details: { ...WHERE, most: 'the limit', name: 'who cannot be bound here' },
    next: 'Send less, or in parts. A frame over `max_frame_bytes` ends the connection with code 1009.',
  },
  duplicate: {
    details: {
      envelope_id: 'of what has the key',
      seq: 'of what has the key',
      created_at: 'of what has the key',
      session_id: 'the session that has the key',
    },
    next: 'Use a new key for new content. The same content under the same key is no error: it is answered with `duplicate: true`.',
  },
  timeout: {
    details: { session_id: 'the session, if one was named' },
    next: 'It may have happened. Ask again with the same key, or look.',
  },
  unavailable: {
    details: {
      outcome: '`refused`: it did not happen; `unknown`: it may have',
      retry_after_ms: 'when to try again',
      name: 'who cannot be bound or registered',
      view: 'the view that is missing',
    },
    next: 'With `refused` try again later. With `unknown` try again with the same key.',
  },
  internal: { details: {}, next: 'Report it: it is a defect of the hub or of an extension. It may have happened.' },
};

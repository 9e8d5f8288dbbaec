/** Turns an error thrown by a tool into text for a model: what is wrong, and what to do next. */

import { HubError, toWireError, type WireCode, type WireError } from '../../core/lib/errors.ts';
import { type Participant, Refusal } from '../session/participant.ts';
import { describeAwaited } from '../session/session-status.ts';

const NEXT: Partial<Record<WireCode, string>> = {
  bad_frame: 'Correct that and call it again.',
  unauthenticated: 'The token does not allow this: ask the person who set up this server for one that does.',
  forbidden: 'You may not do that here; continue without it, or ask the operator of the hub.',
  not_found: 'Call sessions to list yours, or peers to list participants.',
  conflict: 'The session has changed: call session_read, then decide again.',
  protocol_error: 'Call session_read or wait_turn to see the state of the session, then decide again.',
  session_closed: 'It accepts no more messages. session_read still shows it; call sessions for the others.',
  invalid_create: 'Correct that and call it again; peers lists participants.',
  rate_limited: 'Wait a moment, then call it again: repeats have no further effect.',
  inbox_full: 'Their inbox is full. Call wait_turn, and try again later.',
  too_large: 'Send shorter messages.',
  duplicate: 'Use another key for a new request.',
  timeout: 'Call it again: repeats have no further effect.',
  unavailable: 'The hub is unreachable or busy. Call it again in a few seconds: repeats have no further effect.',
  internal: 'Call it again; if it fails again, tell your user.',
};

export async function refusalText(thrown: unknown, participant: Participant, session: string | null): Promise<string> {
  if (thrown instanceof Refusal) return thrown.message;
  if (thrown instanceof HubError) return `${thrown.message}. ${NEXT.unavailable}`;
  const error = toWireError(thrown, 'the call');
  if (error.code === 'not_your_turn' && session !== null) return notYourTurn(error, participant, session);
  return `${error.code}: ${toToolWording(error.message)}. ${nextStep(error)}`.trim();
}

/** Prefers a hint for the specific message over the hint for its code. */
function nextStep({ code, message }: WireError): string {
  if (/answer (the|its) invite/.test(message)) return 'Call accept_invite with this session first, or decline_invite.';
  if (code === 'protocol_error' && message.includes('msg.packet')) {
    return 'Use say instead; call wait_turn to wait for your turn.';
  }
  return NEXT[code] ?? '';
}

async function notYourTurn(error: WireError, participant: Participant, session: string): Promise<string> {
  // The turn holder is only a detail: if it cannot be read, the refusal is enough.
  const awaited = await describeAwaited(participant, session).catch(() => null);
  if (awaited === null) return `not your turn: ${toToolWording(error.message)}. Call wait_turn.`;
  return `not your turn: ${awaited}; call wait_turn`;
}

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/params\.session_id/g, 'session'],
  [/params\.task_id/g, 'task'],
  [/params\.(target|routing\.target)|(event_data\.)?routing\.target/g, 'to'],
  [/params\.participants(\.\d+)*/g, 'participants'],
  [/params\.prompt/g, 'question'],
  [/params\.(\w+)/g, '$1'],
  [/\bread_log shows\b/g, 'session_read shows'],
  [/\breject_invite\b/g, 'decline_invite'],
  [/\back_invite\b/g, 'accept_invite'],
  [/\bmsg\.packet\b/g, 'handoff and finish'],
  [/\bmsg\.text\b/g, 'say'],
];

/** Replaces the hub's argument and operation names with the names that the tools use. */
function toToolWording(text: string): string {
  return WORDS.reduce((message, [theirs, ours]) => message.replace(theirs, ours), text);
}

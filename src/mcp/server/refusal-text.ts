/** Turns whatever a tool threw into text for a model: what is wrong, and how to go on. */

import { HubError, toWireError, type WireCode, type WireError } from '../../core/lib/errors.ts';
import { type Participant, Refusal } from '../session/participant.ts';
import { describeAwaited } from '../session/session-status.ts';

const NEXT: Partial<Record<WireCode, string>> = {
  bad_frame: 'Call it again with that put right.',
  unauthenticated: 'The token does not allow it: ask whoever set this server up for one that does.',
  forbidden: 'You may not do that here; go on without it, or ask whoever runs the hub.',
  not_found: 'Call sessions to see yours, or peers to see who is there.',
  conflict: 'Something has changed meanwhile: call session_read, then decide again.',
  protocol_error: 'Call session_read or wait_turn to see how the session stands, then decide again.',
  session_closed: 'Nothing more can be said in it. session_read still shows it; call sessions for the others.',
  invalid_create: 'Call it again with that put right; peers shows who is there.',
  rate_limited: 'Wait a moment, then call it again: nothing is done twice.',
  inbox_full: 'They have too much unread. Call wait_turn, and try again later.',
  too_large: 'Say less at a time.',
  duplicate: 'Give another key if you mean something new.',
  timeout: 'Call it again: nothing is done twice.',
  unavailable: 'The hub cannot be reached or cannot do it now. Call it again in a few seconds: nothing is done twice.',
  internal: 'Call it again; if that does not help, tell your user.',
};

export async function refusalText(thrown: unknown, participant: Participant, session: string | null): Promise<string> {
  if (thrown instanceof Refusal) return thrown.message;
  if (thrown instanceof HubError) return `${thrown.message}. ${NEXT.unavailable}`;
  const error = toWireError(thrown, 'the call');
  if (error.code === 'not_your_turn' && session !== null) return notYourTurn(error, participant, session);
  return `${error.code}: ${toToolWording(error.message)}. ${howToGoOn(error)}`.trim();
}

/** Where the message says what is missing, what helps is known better than by the code. */
function howToGoOn({ code, message }: WireError): string {
  if (/answer (the|its) invite/.test(message)) return 'Call accept_invite with this session first, or decline_invite.';
  if (code === 'protocol_error' && message.includes('msg.packet')) {
    return 'Use say instead; call wait_turn to hear when you may.';
  }
  return NEXT[code] ?? '';
}

async function notYourTurn(error: WireError, participant: Participant, session: string): Promise<string> {
  // It is only words: where it cannot be found out, the refusal itself is enough.
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

/** The hub's message in the words of the tools: their arguments, their names. */
function toToolWording(text: string): string {
  return WORDS.reduce((said, [theirs, ours]) => said.replace(theirs, ours), text);
}

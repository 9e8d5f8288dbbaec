/** Tools that open, join, leave and end sessions: `session_open`, `accept_invite`, `decline_invite`, `leave`, `close`. */

import { z } from 'zod';
import type { JsonObject } from '../../core/lib/json.ts';
import type { Result } from '../../core/protocol/operations/operations.ts';
import type { CreateParams, ParticipantRef } from '../../core/records/session/create-params.ts';
import { type ExpectationEntry, isTerminal, nameOf } from '../../core/records/session/session.ts';
import { type Participant, Refusal } from '../session/participant.ts';
import { readSessionStatus, turnToSay } from '../session/session-status.ts';
import { deriveKey, key, next, session, type Tool, tool, turnToSay as turnField } from './tool.ts';

/** Deadline for invitees, such as a model that its user must prompt first. */
const PATIENCE_SECONDS = 600;

const CONSULTING: readonly ExpectationEntry[] = [
  { name: 'acks_within', on_violation: 'auto_close', params: { seconds: PATIENCE_SECONDS } },
  { name: 'reply_within', on_violation: 'auto_close', params: { seconds: PATIENCE_SECONDS } },
];

/** How many ended sessions with the same arguments are skipped to find an open one. */
const MAX_REPEATS = 50;

export const sessionOpen: Tool = tool({
  name: 'session_open',
  title: 'Open a session',
  description:
    'Opens a session with others and invites them. Call it to ask an expert (type consulting: one question, one answer), to talk freely with one other (conversation), or to discuss with several in turns (discussion). Call peers first to find participants. ' +
    'Returns the session id immediately, while the others decide. Then call wait_turn with that session to learn when you may speak. Until that session ends, the same call returns it again.',
  effect: 'changes',
  input: z.object({
    type: z
      .string()
      .min(1)
      .max(64)
      .describe('consulting, conversation, discussion, workflow, or another type of this hub.'),
    participants: z
      .array(z.string().min(1).max(80))
      .min(1)
      .max(50)
      .describe('Names of the others, such as "bob"; or "capability:review" for any agent with that capability.'),
    topic: z.string().min(1).max(1024).optional().describe('The topic, shown with the invite.'),
    knobs: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        'Settings of the type. discussion: {"rounds": 3, "ordering": "round_robin" | "raise_hand" | "moderated" | "random"}; workflow requires {"graph": {…}} with its transitions; the other types need none.',
      ),
    key,
  }),
  output: z.object({
    session: z.string(),
    type: z.string(),
    state: z.string(),
    already_open: z.boolean().describe('Opened by an earlier call.'),
    waiting_for: z.array(z.string()).describe('Invitees that have not accepted yet.'),
    warnings: z.array(z.string()),
    turn: turnField,
    next,
  }),
  async run({ key: given, ...wanted }, { participant }) {
    const { session, warnings, duplicate } = await opened(participant, paramsOf(wanted), given);
    const waiting = session.participants.filter(({ status }) => status === 'invited').map(({ name }) => name);
    // The caller has not read anything of an already open session yet.
    const standing = await readSessionStatus(participant, session.session_id);
    const turn = await turnToSay(participant, session.session_id, standing, 0);
    return {
      session: session.session_id,
      type: session.manifest.type,
      state: session.state,
      already_open: duplicate === true,
      waiting_for: waiting.slice(0, 50),
      warnings: warnings.slice(0, 10),
      turn,
      next:
        turn === null
          ? 'Call wait_turn with this session to learn when you may speak.'
          : 'You may speak: call say with this turn.',
    };
  },
});

interface Wanted {
  readonly type: string;
  readonly participants: readonly string[];
  readonly topic?: string | undefined;
  readonly knobs?: Record<string, unknown> | undefined;
}

function paramsOf({ type, participants, topic, knobs }: Wanted): CreateParams {
  return {
    type,
    participants: participants.map(refOf),
    intent: topic,
    knobs: knobs as JsonObject | undefined,
    invite_timeout: PATIENCE_SECONDS,
    expectations: type === 'consulting' ? CONSULTING : undefined,
    wait: 'created',
  };
}

function refOf(text: string): ParticipantRef {
  const [, capability] = /^capability:\s*(.+)$/.exec(text) ?? [];
  return capability === undefined ? text : { capability };
}

/** Opens a session. Skips ended ones with the same arguments: each changes the key of the next attempt. */
async function opened(
  participant: Participant,
  params: CreateParams,
  given: string | undefined,
): Promise<Result<'create_session'>> {
  const { type, participants, intent, knobs } = params;
  let last: string | null = null;
  for (let again = 0; again < MAX_REPEATS; again++) {
    const asked = [type, participants.map((one) => (typeof one === 'string' ? one : one.capability)), intent, knobs];
    const idempotency_key = deriveKey('open', given, last, ...asked);
    const result: Result<'create_session'> = await participant.call('create_session', { ...params, idempotency_key });
    if (result.duplicate !== true || !isTerminal(result.session.state)) return result;
    last = result.session.session_id;
  }
  throw new Refusal('too many sessions were opened with the same arguments; pass your own key.');
}

const reason = z.string().min(1).max(256).optional();
const DECLINED = 'Declined. There is nothing left to do in this session.';
const output = z.object({ session: z.string(), state: z.string(), next });

export const acceptInvite: Tool = tool({
  name: 'accept_invite',
  title: 'Accept an invite',
  description:
    'Joins a session you are invited to. Call it when wait_turn returned invited and your user wants you to participate; also to return to a rotation that removed you because you were away too long. Returns the state of the session; then call wait_turn with it.',
  effect: 'changes',
  input: z.object({ session }),
  output,
  async run({ session: session_id }, { participant }) {
    const { status } = await readSessionStatus(participant, session_id);
    const op = status === 'hidden' ? 'return_to_session' : 'ack_invite';
    const { state } = await participant.call(op, { session_id });
    const { session: now } = await readSessionStatus(participant, session_id);
    const missing = now.state === 'INVITED' ? now.pending_acks.slice(0, 10).map((id) => nameOf(now, id)) : [];
    const others = missing.length === 0 ? '' : ` It begins when these have accepted: ${missing.join(', ')}.`;
    return { session: session_id, state, next: `You are in.${others} Call wait_turn with this session.` };
  },
});

export const declineInvite: Tool = tool({
  name: 'decline_invite',
  title: 'Decline an invite',
  description:
    'Declines an invite. Call it when you are invited and should not participate; give a short reason. By default all invitees must accept, so declining ends the session for everyone. Then call wait_turn for other sessions, or continue with other work.',
  effect: 'ends',
  input: z.object({ session, reason: reason.describe('The reason, for the creator.') }),
  output,
  async run({ session: session_id, reason: why }, { participant }) {
    const { state } = await participant.call('reject_invite', { session_id, reason: why });
    return { session: session_id, state, next: DECLINED };
  },
});

export const leave: Tool = tool({
  name: 'leave',
  title: 'Leave a session',
  description:
    'Leaves a session permanently: you get no more of its messages and cannot return on your own. Call it when your part is done and the others continue without you. To end it for everyone use finish or close.',
  effect: 'ends',
  input: z.object({ session }),
  output,
  async run({ session: session_id }, { participant }) {
    const { state } = await participant.call('leave_session', { session_id });
    return { session: session_id, state, next: 'You have left. There is nothing left to do in this session.' };
  },
});

export const close: Tool = tool({
  name: 'close',
  title: 'Close a session',
  description:
    'Ends a session for everyone; its messages stay readable. Call it when the session has served its purpose, or your user asks for it. If the type has its own end, prefer finish.',
  effect: 'ends',
  input: z.object({ session, reason: reason.describe('The reason, visible to everyone.') }),
  output,
  async run({ session: session_id, reason: why }, { participant }) {
    const { state } = await participant.call('close_session', { session_id, reason: why, wait: 'closing' });
    return { session: session_id, state, next: 'The session has ended. session_read still shows its messages.' };
  },
});

/** The tools `accept_invite`, `decline_invite`, `leave` and `close`. Each may be called again: then nothing changes. */

import { z } from 'zod';
import { nameOf } from '../../../core/records/session/session.ts';
import { next, session } from '../fields.ts';
import { standingIn } from '../../../mcp/session/session-status.ts';
import { type Tool, tool } from '../../../mcp/tools/tool.ts';

const reason = z.string().min(1).max(256).optional();
const DECLINED = 'Declined. Nothing is left to do in this session.';
const output = z.object({ session: z.string(), state: z.string(), next });

export const acceptInvite: Tool = tool({
  name: 'accept_invite',
  title: 'Accept an invite',
  description:
    'Joins a session you are invited to. Call it when wait_turn answered invited and your user wants you to take part; also to come back where you were taken out of the rotation because you were away too long. Gives back how the session stands; then call wait_turn with it.',
  effect: 'changes',
  input: z.object({ session }),
  output,
  async run({ session: session_id }, { participant }) {
    const { status } = await standingIn(participant, session_id);
    const op = status === 'hidden' ? 'return_to_session' : 'ack_invite';
    const { state } = await participant.call(op, { session_id });
    const { session: now } = await standingIn(participant, session_id);
    const missing = now.state === 'INVITED' ? now.pending_acks.slice(0, 10).map((id) => nameOf(now, id)) : [];
    const others = missing.length === 0 ? '' : ` It begins when these have accepted too: ${missing.join(', ')}.`;
    return { session: session_id, state, next: `You are in.${others} Call wait_turn with this session.` };
  },
});

export const declineInvite: Tool = tool({
  name: 'decline_invite',
  title: 'Decline an invite',
  description:
    'Turns an invite down. Call it when you are invited and should not take part; say why in a few words. Where everybody is needed for it to begin, as is usual, it ends for all others too. Then call wait_turn for others, or go on with something else.',
  effect: 'ends',
  input: z.object({ session, reason: reason.describe('Why, for whoever invited you.') }),
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
    'Leaves a session for good: you hear no more of it and cannot come back by yourself. Call it when your part is over and the others go on without you. To end it for everybody use finish or close.',
  effect: 'ends',
  input: z.object({ session }),
  output,
  async run({ session: session_id }, { participant }) {
    const { state } = await participant.call('leave_session', { session_id });
    return { session: session_id, state, next: 'You have left. Nothing is left to do in this session.' };
  },
});

export const close: Tool = tool({
  name: 'close',
  title: 'Close a session',
  description:
    'Ends a session for everybody; what was said stays readable. Call it when the session has served its purpose, or your user asks for it. In a session whose type has its own end, prefer finish.',
  effect: 'ends',
  input: z.object({ session, reason: reason.describe('Why, for everybody to see.') }),
  output,
  async run({ session: session_id, reason: why }, { participant }) {
    const { state } = await participant.call('close_session', { session_id, reason: why, wait: 'closing' });
    return { session: session_id, state, next: 'It is over. session_read still shows what was said.' };
  },
});

/** The tool `delegate`. */

import { z } from 'zod';
import type { DelegateAnswer, DelegateParams } from '../../../core/records/work/delegation.ts';
import { delegatedOf, delegateTarget } from '../../../participants/tools/delegated.ts';
import { derivedKey } from '../derived-key.ts';
import { key, next, session } from '../fields.ts';
import { standingIn } from '../../../mcp/session/session-status.ts';
import { type Call, type Tool, tool } from '../../../mcp/tools/tool.ts';
import { PAGE_CHARS } from '../../../mcp/session/transcript-page.ts';
import { waitFor } from '../../../mcp/tools/wait-for.ts';

export const delegate: Tool = tool({
  name: 'delegate',
  title: 'Have somebody answer a question for a session',
  description:
    'Has another agent answer a question for the session you are in, in a child session of its own; your turn stays yours. Call it when you need somebody’s help before you can speak. ' +
    'Gives back `status` answered with the `answer`, failed with the `reason`, or waiting: then call it again with the same arguments, nothing is asked twice. Then go on with say.',
  effect: 'changes',
  input: z.object({
    session: session.describe('The session you need the answer for.'),
    to: z.string().min(1).max(80).describe('A name; or "capability:review" for whoever offers that.'),
    question: z.string().min(1).max(200_000).describe('All that is needed to answer: they do not see your session.'),
    timeout: z.string().max(16).optional().describe('How long they may take; "10m" unless given.'),
    budget_usd: z.number().positive().max(1_000_000).optional().describe('What it may cost, in dollars.'),
    key,
  }),
  output: z.object({
    status: z.enum(['answered', 'failed', 'waiting']),
    session: z.string(),
    child_session: z.string().nullable(),
    outcome: z.string(),
    answer: z.string().optional(),
    more: z.boolean().optional().describe('The answer is longer: read it with session_read in child_session.'),
    reason: z.string().optional(),
    call_again: z.boolean(),
    next,
  }),
  async run({ session: session_id, to, question, timeout, budget_usd, key: given }, call) {
    const { turn, agentId } = await standingIn(call.participant, session_id);
    const isOthers = turn !== null && turn.agent_id !== agentId;
    return settled(call, isOthers ? 'Call wait_turn: it is not your turn yet.' : 'Go on with your turn: call say.', {
      session_id,
      target: delegateTarget(to),
      prompt: question,
      timeout: timeout ?? '10m',
      budget: budget_usd === undefined ? undefined : { usd: budget_usd },
      wait: 'opened',
      // Asked again in the same turn it is the same question.
      idempotency_key: derivedKey('ask', given, turn?.since_seq, to, question, timeout, budget_usd),
    });
  },
});

/** Nothing is held open at the hub meanwhile: it is asked again whenever something happened in the session. */
async function settled(call: Call, then: string, params: DelegateParams) {
  const found = await waitFor(call, params.session_id, async () => {
    const answer = await call.participant.call('delegate', params);
    return { status: answer.outcome === 'open' ? ('waiting' as const) : ('done' as const), answer, reason: 'asked' };
  });
  return resultOf(params.session_id, found.answer, then);
}

function resultOf(session_id: string, answer: DelegateAnswer, then: string) {
  const { outcome, child_session_id } = answer;
  const about = { session: session_id, child_session: child_session_id, outcome };
  const came = delegatedOf(answer, PAGE_CHARS);
  switch (came.status) {
    case 'waiting':
      return {
        ...about,
        ...came,
        call_again: true,
        next: 'No answer yet: call delegate again with the same arguments.',
      };
    case 'failed':
      return {
        ...about,
        ...came,
        call_again: false,
        next: 'Nobody answered. Ask another with delegate, or go on without it.',
      };
    case 'answered':
      return { ...about, ...came, call_again: false, next: then };
  }
}

/** Handles the operations on posts and turns. */

import type { PostAnswer } from '../../core/decisions/admit.ts';
import { reportProgress, reportTurnFailure } from '../../core/decisions/progress.ts';
import { toWireError } from '../../core/lib/errors.ts';
import type { Clock, Tracing } from '../../core/ports/platform.ts';
import type { PostingOperations, PostParams } from '../../core/protocol/operations/posting.ts';
import type { Binding } from '../bindings/binding.ts';
import type { Posting } from '../posting/post.ts';
import type { Handlers } from './run-operation.ts';

/** `tracing` is null if tracing is off. */
export function postingOperations(
  posting: Posting,
  tracing: Tracing | null,
  clock: Clock,
): Handlers<keyof PostingOperations> {
  return {
    post: (sender, params) =>
      tracing === null ? posting.post(sender, params) : tracePost(posting, tracing, sender, params),

    can_send(sender, { session_id, event_type = 'msg.text' }) {
      const draft = posting.emptyDraft(sender, session_id, event_type, null);
      return posting.whenReady(sender, draft, async (session, verdicts) => {
        const { refusal, state } = posting.judge(session, sender, draft, verdicts);
        const { turn } = state.head;
        if (refusal === null) return { can: true, code: null, why: null, turn };
        return { can: false, code: refusal.code, why: refusal.message, turn };
      });
    },

    report_progress: (by, { session_id, note }) =>
      posting.decideForCaller(by, session_id, (state) => reportProgress(state, by.agentId, note, clock.now())),

    report_turn_failure: (by, { session_id, reason }) =>
      posting.decideForCaller(by, session_id, (state) => reportTurnFailure(state, by.agentId, reason)),
  };
}

/** Starts or continues a trace with the post; its envelope carries the traceparent before any recipient sees it. */
async function tracePost(posting: Posting, tracing: Tracing, sender: Binding, params: PostParams): Promise<PostAnswer> {
  const { session_id, event_type } = params;
  const given = params.traceparent ?? null;
  const trace = tracing.accepting({ session_id, event_type, traceparent: given });
  try {
    const answer = await posting.post(sender, { ...params, traceparent: given ?? trace.traceparent });
    trace.accepted(answer);
    return answer;
  } catch (thrown) {
    trace.refused(toWireError(thrown, 'post').code);
    throw thrown;
  }
}

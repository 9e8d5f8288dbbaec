/** The operations on posts and turns. */

import type { PostAnswer } from '../../core/decisions/admit.ts';
import { reportProgress, reportTurnFailure } from '../../core/decisions/progress.ts';
import { toWireError } from '../../core/lib/errors.ts';
import type { Clock, Tracing } from '../../core/ports/platform.ts';
import type { PostParams } from '../../core/protocol/operations/posting.ts';
import type { Binding } from '../bindings/binding.ts';
import type { Posting } from '../posting/post.ts';
import { boundCaller, type Handlers } from './handler.ts';

type Name = 'post' | 'can_send' | 'report_progress' | 'report_turn_failure';

/** `tracing` null = nobody traces. */
export function postingOperations(posting: Posting, tracing: Tracing | null, clock: Clock): Handlers<Name> {
  return {
    post(caller, params) {
      const sender = boundCaller(caller);
      return tracing === null ? posting.post(sender, params) : tracePost(posting, tracing, sender, params);
    },

    can_send(caller, { session_id, event_type = 'msg.text' }) {
      const sender = boundCaller(caller);
      const draft = posting.emptyDraft(sender, session_id, event_type, null);
      return posting.whenReady(sender, draft, async (session, verdicts) => {
        const { refusal, state } = posting.judge(session, sender, draft, verdicts);
        const { turn } = state.head;
        if (refusal === null) return { can: true, code: null, why: null, turn };
        return { can: false, code: refusal.code, why: refusal.message, turn };
      });
    },

    report_progress(caller, { session_id, note }) {
      return posting.decideForCaller(boundCaller(caller), session_id, (state, agentId) =>
        reportProgress(state, agentId, note, clock.now()),
      );
    },

    report_turn_failure(caller, { session_id, reason }) {
      return posting.decideForCaller(boundCaller(caller), session_id, (state, agentId) =>
        reportTurnFailure(state, agentId, reason),
      );
    },
  };
}

/** A trace begins or goes on with the post, and its envelope has the traceparent before anybody gets it. */
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

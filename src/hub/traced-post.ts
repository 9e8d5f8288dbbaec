/** A post that is traced: a trace begins or goes on with it, and its envelope has the traceparent before anybody gets it. */

import type { PostAnswer } from '../core/decisions/admit.ts';
import { toWireError } from '../core/lib/errors.ts';
import type { PostParams } from '../core/operations.ts';
import type { Tracing } from '../core/ports/platform.ts';
import type { Binding } from './bindings.ts';
import type { HubParts } from './parts.ts';
import { post } from './post.ts';

export async function tracedPost(
  parts: HubParts,
  tracing: Tracing,
  sender: Binding,
  params: PostParams,
): Promise<PostAnswer> {
  const { session_id, event_type } = params;
  const given = params.traceparent ?? null;
  const trace = tracing.accepting({ session_id, event_type, traceparent: given });
  try {
    const answer = await post(parts, sender, { ...params, traceparent: given ?? trace.traceparent });
    trace.accepted(answer);
    return answer;
  } catch (thrown) {
    trace.refused(toWireError(thrown, 'post').code);
    throw thrown;
  }
}

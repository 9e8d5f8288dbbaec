/** A decision about a task that somebody who is bound asks for: what it appends is said like a post, and costs like one. */

import { rateLimited, sendDenied } from '../core/decisions/admit.ts';
import { type Decision, refuse } from '../core/decisions/advance.ts';
import { type Draft, PLAIN } from '../core/records/session/envelope.ts';
import type { WireError } from '../core/lib/errors.ts';
import type { KeyRecord } from '../core/records/session/keys.ts';
import type { SessionState } from '../core/state/state.ts';
import type { Binding } from './bindings.ts';
import { notBound } from './caller.ts';
import type { Verdicts } from './access/access.ts';
import type { LiveSession } from './sessions/live-session.ts';
import type { HubParts } from './parts.ts';
import type { Toll } from './access/rates.ts';

/** What is known of it before the state is. */
export interface TaskAsk {
  readonly session_id: string;
  readonly event_type: string;
  readonly idempotency_key?: string | null;
}

type Decide<T> = (state: SessionState, session: LiveSession, repeat: KeyRecord | undefined) => Decision<T>;

export function decideTask<T>(parts: HubParts, by: Binding, ask: TaskAsk, decide: Decide<T>): Promise<T> {
  const { session_id, event_type, idempotency_key = null } = ask;
  parts.backlog.check();
  const draft = {
    ...PLAIN,
    session_id,
    sender_id: by.agentId,
    audience: null,
    event_type,
    event_data: {},
    idempotency_key,
  };
  const toll: Toll = { paid: false };
  const admit = (session: LiveSession, verdicts: Verdicts): Promise<T> =>
    session.decideKeyed(draft, (state, earlier) => {
      if (!parts.bindings.mayAct(by)) return refuse(notBound(by.name));
      const repeat = session.accepted(by.agentId, idempotency_key) ?? earlier;
      const decision = decide(state, session, repeat);
      const refusal =
        decision.kind === 'append' ? maySay(parts, decision.drafts[0] ?? draft, state, verdicts, toll) : null;
      return refusal === null ? parts.rates.charged(decision, by.agentId, toll) : refuse(refusal);
    });
  return parts.sessions.use(session_id, (session) =>
    parts.gate.pass(by, draft, session.durable?.metadata, (verdicts, hasWaited) =>
      // While it waited the session may have been put out of memory, and come back as another.
      hasWaited ? parts.sessions.use(session_id, (now) => admit(now, verdicts)) : admit(session, verdicts),
    ),
  );
}

/** Only what would be appended needs leave. Full inboxes do not hold up work: who is full is merely behind. */
function maySay(
  { gate, rates }: HubParts,
  draft: Draft,
  { metadata }: SessionState,
  verdicts: Verdicts,
  toll: Toll,
): WireError | null {
  const denied = gate.denied(draft, metadata, verdicts);
  if (denied !== null) return sendDenied(denied);
  const retryAfterMs = rates.retryAfterMs(draft.sender_id, toll);
  return retryAfterMs === 0 ? null : rateLimited(retryAfterMs);
}

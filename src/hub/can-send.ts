/** Would something be accepted now: judged like a post, on what is durable, and nothing comes of it. */

import { admitPost, noSuchSession } from '../core/decisions/admit.ts';
import type { Draft } from '../core/records/session/envelope.ts';
import type { WireError } from '../core/lib/errors.ts';
import { participantOf } from '../core/records/session/session.ts';
import type { SessionState } from '../core/state/state.ts';
import type { Binding } from './bindings.ts';
import type { Verdicts } from './access/access.ts';
import type { LiveSession } from './sessions/live-session.ts';
import type { HubParts } from './parts.ts';
import { draftOf, factsOf } from './post.ts';

/** Something of that type with nothing in it. */
export function emptyDraft(
  { limits }: HubParts,
  sender: Binding,
  session_id: string,
  event_type: string,
  audience: readonly string[] | null,
): Draft {
  const event_data = event_type === 'msg.packet' ? { body: null } : { text: '' };
  return draftOf(sender.agentId, { session_id, event_type, event_data, audience }, limits);
}

/** Why it would be refused, or null, and the state that says so. A stranger gets the answer for a session that does not exist. */
export function judgeSend(
  parts: HubParts,
  session: LiveSession,
  sender: Binding,
  draft: Draft,
  verdicts: Verdicts,
): { readonly refusal: WireError | null; readonly state: SessionState } {
  const state = session.durable;
  if (state === null || participantOf(state.metadata, sender.agentId) === undefined) {
    throw noSuchSession(draft.session_id);
  }
  const asked = { sender, draft, expectedSeq: null, verdicts, paid: false };
  const verdict = admitPost(draft, factsOf(parts, session, state, asked));
  return { refusal: verdict.kind === 'refuse' ? verdict.error : null, state };
}

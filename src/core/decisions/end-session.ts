/** Decisions that end a session: on request, after draining, or at a deadline. */

import { WireError } from '../lib/errors.ts';
import { msFromIso } from '../lib/time.ts';
import { isTerminal, type LifecycleState, participantOf, type SessionMetadata } from '../records/session/session.ts';
import { lifecycleDeadline } from '../state/fold-head.ts';
import { type LifecycleEvent, nextLifecycle } from '../state/lifecycle.ts';
import type { SessionState } from '../state/state.ts';
import { sessionNotFoundError } from './admit.ts';
import { endDraft } from './advance.ts';
import { acksWithinMs } from './create.ts';
import { type Decision, refuse } from './decision.ts';

export interface EndAnswer {
  readonly state: LifecycleState;
  readonly close_reason: string | null;
}

/** `by` null = the hub. An operator may close any session. The first reason stays: closing twice changes nothing. */
export function closeSession(
  state: SessionState,
  by: string | null,
  reason: string,
  operates: boolean = false,
): Decision<EndAnswer> {
  const refusal = by === null || operates ? null : mayNotClose(state.metadata, by);
  return refusal === null ? end(state, 'close', reason, by) : refuse(refusal);
}

/** Ends the session after all bound participants acked the closing, or after the drain timeout. */
export function finishDraining(state: SessionState): Decision<EndAnswer> {
  return end(state, 'drained', state.metadata.close_reason ?? 'closed');
}

/** Applies a due deadline, if any. Decides on the current state, so an early call is harmless. */
export function applyDueDeadline(state: SessionState, nowMs: number, orphanedAtMs: number | null): Decision<EndAnswer> {
  const { metadata, head } = state;
  const due = lifecycleDeadline(head);
  if (due !== null && due <= nowMs) {
    if (metadata.state === 'CLOSING') return finishDraining(state);
    if (metadata.expires_at !== null && msFromIso(metadata.expires_at) <= nowMs)
      return end(state, 'expire', 'ttl_expired');
    return end(state, 'invite_timeout', inviteTimeoutReason(metadata));
  }
  const orphaned =
    metadata.state === 'ACTIVE' && metadata.expires_at === null && orphanedAtMs !== null && orphanedAtMs <= nowMs;
  return orphaned ? end(state, 'expire', 'orphaned') : { kind: 'nothing', answer: answerOf(metadata) };
}

function end(
  state: SessionState,
  event: LifecycleEvent,
  reason: string,
  by: string | null = null,
): Decision<EndAnswer> {
  const { metadata } = state;
  if (nextLifecycle(metadata.state, event) === metadata.state) return { kind: 'nothing', answer: answerOf(metadata) };
  const draft = endDraft(metadata, event, reason, by);
  return { kind: 'append', drafts: [draft], answer: ({ after }) => answerOf(after.metadata) };
}

function mayNotClose(metadata: SessionMetadata, by: string): WireError | null {
  const closer = participantOf(metadata, by);
  if (closer === undefined) return sessionNotFoundError(metadata.session_id);
  if (isTerminal(metadata.state)) return null;
  if (closer.status !== 'active') {
    return new WireError(
      'forbidden',
      `only an active participant may close session ${metadata.session_id}; you are ${closer.status}`,
    );
  }
  if (metadata.knobs.close_by === 'creator' && by !== metadata.creator_id) {
    return new WireError('forbidden', `only its creator may close session ${metadata.session_id} (knob close_by)`);
  }
  return null;
}

function inviteTimeoutReason({ manifest }: SessionMetadata): string {
  return acksWithinMs(manifest) === null ? 'invite_timeout' : 'expectation_violated:acks_within';
}

function answerOf({ state, close_reason }: SessionMetadata): EndAnswer {
  return { state, close_reason };
}

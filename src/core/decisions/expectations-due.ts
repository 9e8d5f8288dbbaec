/** Turns a violation and its effects into one unit. Pure: decides on the current state. */

import { assertNever } from '../lib/errors.ts';
import type { JsonObject } from '../lib/json.ts';
import { isoFromMs } from '../lib/time.ts';
import type { HandlerEffect, TimedEntry, Violation, Wait } from '../ports/expectation.ts';
import { type Draft, type Envelope, hubDraft } from '../records/session/envelope.ts';
import { isTerminal, nameOf, participantOf } from '../records/session/session.ts';
import { checkDetail, checkEffects, checkWaits } from '../state/check-expectation-output.ts';
import { foldEnvelope, type SessionState } from '../state/state.ts';
import { openWaits, toWaitContext, type WaitInput } from '../state/waits.ts';
import { endDraft } from './advance.ts';
import type { Decision } from './decision.ts';
import { removeParticipant } from './membership.ts';

export interface FireResult {
  readonly fired: boolean;
}

/** Fires the due waits of one entry. Throws if its evaluator or handler throws. */
export function fireEntry(state: SessionState, watched: TimedEntry, nowMs: number): Decision<FireResult> {
  const around = toWaitInput(state);
  const due = checkWaits(watched.evaluator, openWaits(watched, around), state.metadata).filter(
    ({ due_ms }) => due_ms <= nowMs,
  );
  if (due.length === 0) return { kind: 'nothing', answer: { fired: false } };
  const violation = violationOf(watched, due, around);
  const effects = checkEffects(watched.handler, watched.handler.act(violation, state.metadata));
  const drafts = violationDrafts(state, violation, effects);
  return { kind: 'append', drafts, answer: () => ({ fired: true }) };
}

export function toWaitInput({ metadata, head: { turn }, pacing, adapter_state }: SessionState): WaitInput {
  return { metadata, turn, pacing, adapter_state };
}

function violationOf({ index, entry, evaluator }: TimedEntry, due: readonly Wait[], watched: WaitInput): Violation {
  const text = evaluator.describe?.(due, toWaitContext(entry.params, watched)) ?? describeWaits(due, watched);
  const detail = checkDetail(evaluator, text);
  // Frozen so that the handler cannot change what will be logged.
  return Object.freeze({
    entry: index,
    name: entry.name,
    violators: Object.freeze(due.map(({ agent_id, since_seq }) => Object.freeze({ agent_id, since_seq }))),
    due_at: isoFromMs(Math.min(...due.map(({ due_ms }) => due_ms))),
    on_violation: entry.on_violation,
    detail,
  });
}

function describeWaits(due: readonly Wait[], { metadata }: WaitInput): string {
  return due
    .map(
      ({ agent_id, since_seq }) =>
        `${agent_id === null ? 'the session' : nameOf(metadata, agent_id)} since seq ${since_seq}`,
    )
    .join(', ');
}

/** The drafts of the violation and of its handler's effects. */
export function violationDrafts(
  before: SessionState,
  violation: Violation,
  effects: readonly HandlerEffect[],
): readonly Draft[] {
  const { session_id } = before.metadata;
  // Violation is JSON; its interface only lacks an index signature.
  const data = violation as unknown as JsonObject;
  const violated = hubDraft(session_id, 'expectation.violated', data, audienceOf(violation, effects));
  const drafts: Draft[] = [violated];
  let state = stepped(before, violated);
  for (const effect of effects) {
    for (const draft of caused(state, effect, violation)) {
      drafts.push(draft);
      state = stepped(state, draft);
    }
  }
  return drafts;
}

function audienceOf({ violators }: Violation, effects: readonly HandlerEffect[]): readonly string[] | null {
  const to = effects.filter((effect) => effect.kind === 'deliver').map((effect) => effect.to);
  if (to.includes('everyone')) return null;
  if (!to.includes('violators')) return [];
  const named = violators.flatMap(({ agent_id }) => (agent_id === null ? [] : [agent_id]));
  return named.length === violators.length ? named : null;
}

function caused(state: SessionState, effect: HandlerEffect, { name }: Violation): readonly Draft[] {
  const { metadata } = state;
  if (isTerminal(metadata.state) || metadata.state === 'CLOSING') return [];
  const reason = `expectation_violated:${name}`;
  switch (effect.kind) {
    case 'deliver':
      return [];
    case 'hide': {
      const isActive = participantOf(metadata, effect.agent_id)?.status === 'active';
      if (metadata.state !== 'ACTIVE' || !isActive) return [];
      return [hubDraft(metadata.session_id, 'session.participant.hidden', { agent_id: effect.agent_id, reason })];
    }
    case 'remove': {
      if (participantOf(metadata, effect.agent_id) === undefined) return [];
      const decision = removeParticipant(state, effect.agent_id, reason);
      return decision.kind === 'append' ? decision.drafts : [];
    }
    case 'close':
      return [endDraft(metadata, 'auto_close', effect.reason)];
    default:
      return assertNever(effect);
  }
}

/** Folds a draft without stamping it: the remaining effects need only participants and lifecycle. */
function stepped(state: SessionState, draft: Draft): SessionState {
  const { metadata, head } = state;
  const envelope: Envelope = {
    ...draft,
    envelope_id: head.envelope_id,
    created_at: metadata.created_at,
    seq: metadata.head_seq + 1,
    depth: metadata.depth,
  };
  return foldEnvelope(state, envelope, { adapter: null, epoch: metadata.epoch, watch: null });
}

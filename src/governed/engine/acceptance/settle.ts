/** The run after a turn was accepted, and what is told of it, in the order in which it is true. */

import { addDelegations, finishDelegation, nextReview } from '../turns/delegation-queue.ts';
import { type EventDraft, eventOf } from '../../events/draft.ts';
import type { CompletionVerdict, PhaseVerdict, ReadFiles } from '../../gates/verdict.ts';
import { type RepoDecisionRecord, repoDecisions } from './decisions.ts';
import { without } from '../lib/unknown-record.ts';
import { blockRun } from '../run/block.ts';
import type { RunState, Turn } from '../../run/state.ts';
import type { Books } from './acceptance-index.ts';
import type { Accepted, HistoryEntry } from './entries.ts';
import { canonicalAll } from '../../acceptance/observed.ts';
import { drainRequests, queueRequest } from '../../acceptance/requests.ts';

export interface Settled {
  readonly state: RunState;
  readonly events: readonly EventDraft[];
  readonly completion: CompletionVerdict | null;
  readonly transition: PhaseVerdict | null;
}

export function settle(
  accepted: Accepted,
  entry: HistoryEntry,
  records: readonly RepoDecisionRecord[],
  { files, books }: { readonly files: ReadFiles; readonly books: Books },
): Settled {
  const { config, turn, result, now } = accepted;
  const booked = bookedState(accepted, records);
  const events = [...toldOf(accepted, booked, entry), ...budgetEvents(booked, now)];
  if (result.status === 'needs_human' || result.status === 'blocked') {
    const asked = result.needs_human_reason ?? result.summary;
    const blocked = blockRun(booked, {
      blockedOn: result.status === 'needs_human' ? `human:${asked}` : `turn:${turn.turn_id}`,
      category: result.status === 'needs_human' ? 'needs_human' : 'turn_blocked',
      turnId: turn.turn_id,
      detail: asked,
      now,
    });
    // Only an active run accepts turns, so it can be blocked.
    const state = blocked.ok ? blocked.state : booked;
    return { state, events: [...events, ...(blocked.ok ? blocked.events : [])], completion: null, transition: null };
  }
  const heard = books.rolesHeard.get(booked.phase ?? '') ?? [];
  const isStrict = config.rules?.require_reproducible_verification === true;
  const status = isStrict ? entry.normalized_verification : result.verification.status;
  const {
    state,
    events: more,
    completion,
    transition,
  } = drainRequests(queueRequest(booked, turn, result, status), {
    config,
    files,
    now,
    rolesHeard: new Set([...heard, turn.assigned_role]),
  });
  return { state, events: [...events, ...more], completion, transition };
}

function bookedState({ state, turn, result, config }: Accepted, records: readonly RepoDecisionRecord[]): RunState {
  const others = without(state.active_turns, turn.turn_id);
  const finished = finishDelegation(state.delegation_queue, turn, result);
  const reviewed = turn.delegation_review ? null : state.pending_delegation_review;
  const { queue, review } = nextReview(addDelegations(finished, turn, result), reviewed);
  const waiting = queue.find(({ status }) => status === 'pending');
  return {
    ...state,
    active_turns: Object.fromEntries(
      Object.entries(others).map(([id, other]) => [id, overtaken(other, turn, result.files_changed)]),
    ),
    turn_sequence: state.turn_sequence + 1,
    accepted_sequence: state.accepted_sequence + 1,
    last_completed_turn_id: turn.turn_id,
    next_recommended_role: review?.parent_role ?? waiting?.to_role ?? result.proposed_next_role,
    budget_status: spent(state, result.cost?.usd ?? 0, config.budget?.per_run_max_usd ?? null),
    delegation_queue: queue,
    pending_delegation_review: review,
    repo_decisions: records.length === 0 ? state.repo_decisions : repoDecisions([...state.repo_decisions, ...records]),
  };
}

function overtaken(other: Turn, by: Turn, files: readonly string[]): Turn {
  if (files.length === 0) return other;
  return {
    ...other,
    overtaken_by: [...(other.overtaken_by ?? []), { turn_id: by.turn_id, files: canonicalAll(files) }],
  };
}

function spent({ budget_status: before }: RunState, usd: number, limit: number | null): RunState['budget_status'] {
  if (before === null && usd === 0) return null;
  const spent_usd = (before?.spent_usd ?? 0) + usd;
  return { ...before, spent_usd, remaining_usd: limit === null ? null : limit - spent_usd };
}

/** A turn that was taken straight from its assignment was handed out all the same: that is told first. */
function toldOf(
  { turn, normalisations, now, state: before }: Accepted,
  state: RunState,
  entry: HistoryEntry,
): readonly EventDraft[] {
  const about = { turn };
  const { accepted_sequence, summary } = entry;
  return [
    ...(turn.is_dispatched ? [] : [eventOf('turn_dispatched', before, now, about)]),
    ...(normalisations.length === 0
      ? []
      : [eventOf('staged_result_auto_normalized', before, now, { turn, payload: { normalisations } })]),
    eventOf('turn_accepted', state, now, { turn, payload: { accepted_sequence, status: entry.status, summary } }),
  ];
}

function budgetEvents(state: RunState, now: string): readonly EventDraft[] {
  const left = state.budget_status?.remaining_usd ?? null;
  return left !== null && left <= 0
    ? [eventOf('budget_exceeded_warn', state, now, { payload: { remaining_usd: left } })]
    : [];
}

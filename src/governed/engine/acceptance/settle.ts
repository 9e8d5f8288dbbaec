/**
 * Computes the run state after an accepted turn: counters, queue, budget, events and queued requests.
 * Requests wait while other turns are active. Completion is judged before a phase transition.
 */

import type { GovernedConfig } from '../config/config.ts';
import { type EventDraft, eventOf } from '../events/events.ts';
import { applyCompletionVerdict, applyPhaseVerdict } from '../gates/apply.ts';
import { evaluatePhaseExit, evaluateRunCompletion } from '../gates/evaluate.ts';
import type { CompletionVerdict, PhaseVerdict, ReadFiles } from '../gates/verdict.ts';
import { canonicalAll } from '../lib/project-paths.ts';
import { isMissing, without } from '../lib/unknown-record.ts';
import { blockRun } from '../run/block.ts';
import type { Changed } from '../run/moves.ts';
import type { RunState, Turn } from '../state/state.ts';
import type { TurnResult } from '../turn-result/result.ts';
import { getActiveTurnCount } from '../turns/active.ts';
import { addDelegations, finishDelegation, nextReview } from '../turns/delegation-queue.ts';
import type { AcceptanceIndex } from './acceptance-index.ts';
import { type RepoDecisionRecord, repoDecisions } from './decisions.ts';
import type { Accepted, HistoryEntry } from './entries.ts';

export interface SettleResult {
  readonly state: RunState;
  readonly events: readonly EventDraft[];
  readonly completion: CompletionVerdict | null;
  readonly transition: PhaseVerdict | null;
}

export function settle(
  accepted: Accepted,
  entry: HistoryEntry,
  records: readonly RepoDecisionRecord[],
  { files, books }: { readonly files: ReadFiles; readonly books: AcceptanceIndex },
): SettleResult {
  const { config, turn, result, now } = accepted;
  const counted = countedState(accepted, records);
  const events = [...acceptanceEvents(accepted, counted, entry), ...budgetEvents(counted, now)];
  if (result.status === 'needs_human' || result.status === 'blocked') {
    const asked = result.needs_human_reason ?? result.summary;
    const blocked = blockRun(counted, {
      blockedOn: result.status === 'needs_human' ? `human:${asked}` : `turn:${turn.turn_id}`,
      category: result.status === 'needs_human' ? 'needs_human' : 'turn_blocked',
      turnId: turn.turn_id,
      detail: asked,
      now,
    });
    // Only an active run accepts turns, so it can always be blocked.
    const state = blocked.ok ? blocked.state : counted;
    return { state, events: [...events, ...(blocked.ok ? blocked.events : [])], completion: null, transition: null };
  }
  const heard = books.rolesHeard.get(counted.phase ?? '') ?? [];
  const isStrict = config.rules?.require_reproducible_verification === true;
  const status = isStrict ? entry.normalized_verification : result.verification.status;
  const rolesHeard = new Set([...heard, turn.assigned_role]);
  const drained = drainRequests(queueRequest(counted, turn, result, status), { config, files, now, rolesHeard });
  const { state, completion, transition } = drained;
  return { state, events: [...events, ...drained.events], completion, transition };
}

function countedState({ state, turn, result, config }: Accepted, records: readonly RepoDecisionRecord[]): RunState {
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
  const overtaken_by = [...(other.overtaken_by ?? []), { turn_id: by.turn_id, files: canonicalAll(files) }];
  return { ...other, overtaken_by };
}

function spent({ budget_status: before }: RunState, usd: number, limit: number | null): RunState['budget_status'] {
  if (before === null && usd === 0) return null;
  const spent_usd = (before?.spent_usd ?? 0) + usd;
  return { ...before, spent_usd, remaining_usd: limit === null ? null : limit - spent_usd };
}

/** If no dispatch was recorded before the result, reports the implied dispatch first. */
function acceptanceEvents(
  { turn, normalisations, now, state: before }: Accepted,
  state: RunState,
  entry: HistoryEntry,
): readonly EventDraft[] {
  const { accepted_sequence, summary } = entry;
  return [
    ...(turn.is_dispatched ? [] : [eventOf('turn_dispatched', before, now, { turn })]),
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

/** Queues this turn's request, unless one of that kind is already queued. */
function queueRequest(state: RunState, turn: Turn, result: TurnResult, verificationStatus: string): RunState {
  if (result.status !== 'completed') return state;
  const { phase_transition_request: to, run_completion_request } = result;
  const asked = { requested_by_turn: turn.turn_id, verification_status: verificationStatus };
  if (run_completion_request === true) {
    return { ...state, queued_run_completion: state.queued_run_completion ?? { to: null, ...asked } };
  }
  if (isMissing(to)) return state;
  return { ...state, queued_phase_transition: state.queued_phase_transition ?? { to, ...asked } };
}

interface DrainResult extends Changed {
  readonly completion: CompletionVerdict | null;
  readonly transition: PhaseVerdict | null;
}

interface DrainFacts {
  readonly config: GovernedConfig;
  readonly files: ReadFiles;
  readonly now: string;
  readonly rolesHeard?: ReadonlySet<string>;
}

/** Judges queued requests once the run is active and has no active turn. */
export function drainRequests(
  state: RunState,
  { config, files, now, rolesHeard = new Set() }: DrainFacts,
): DrainResult {
  const { queued_run_completion: completing, queued_phase_transition: leaving } = state;
  const nothing: DrainResult = { ok: true, state, events: [], completion: null, transition: null };
  if (state.status !== 'active' || getActiveTurnCount(state) > 0 || (completing === null && leaving === null))
    return nothing;
  const cleared: RunState = { ...state, queued_run_completion: null, queued_phase_transition: null };
  const facts = { config, phase: state.phase, files, rolesHeard };
  let drained: DrainResult = { ...nothing, state: cleared };
  if (completing !== null) {
    const completion = evaluateRunCompletion({ ...facts, verificationStatus: completing.verification_status }, true);
    const by = completing.requested_by_turn;
    drained = { ...drained, ...applyCompletionVerdict(cleared, completion, { now, by }), completion };
    if (drained.state.status !== 'active') return drained;
  }
  if (leaving === null) return drained;
  const transition = evaluatePhaseExit({ ...facts, verificationStatus: leaving.verification_status }, leaving.to);
  const applied = applyPhaseVerdict(drained.state, transition, { now, by: leaving.requested_by_turn });
  return { ...drained, state: applied.state, events: [...drained.events, ...applied.events], transition };
}

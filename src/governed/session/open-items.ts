/** Computes open items after an envelope: awaited participant, follow-ups of the runner, and awaited approval. */

import type { Awaited } from '../../core/records/session/envelope.ts';
import { getOwn } from '../engine/lib/unknown-record.ts';
import type { RunState, Turn, TurnStatus } from '../engine/state/state.ts';
import { getActiveTurns } from '../engine/turns/active.ts';
import type { MoveInput, Outcome } from './moves/move.ts';
import { hasHooks, hasNotifications, holderOf, type SessionRules } from './state/rules.ts';
import type { Expected, FollowUp, FollowUpPhase, GovernedState } from './state/state.ts';

const AT_WORK: readonly TurnStatus[] = ['dispatched', 'starting', 'running'];

/** Returns the holder of the oldest dispatched turn without a result, or the runner if a result awaits judgement. */
export function expectedNow(rules: SessionRules, state: GovernedState, seq: number): Expected | null {
  const found = state.run.status === 'active' ? waitedFor(rules, state) : null;
  if (found === null) return null;
  const before = state.expected;
  const isSame = before?.turn_id === found.turn_id && before.attempt === found.attempt && before.kind === found.kind;
  return { ...found, since_seq: isSame ? before.since_seq : seq };
}

function waitedFor(rules: SessionRules, { run, claims }: GovernedState): Omit<Expected, 'since_seq'> | null {
  const turns = Object.values(getActiveTurns(run)).sort(byAge);
  const isClaimed = ({ turn_id }: Turn): boolean => getOwn(claims, turn_id) !== undefined;
  const open = turns.find((turn) => AT_WORK.includes(turn.status) && !isClaimed(turn));
  if (open !== undefined) {
    const { turn_id, attempt, assigned_role } = open;
    return { turn_id, attempt, kind: 'result', agent_id: holderOf(rules, assigned_role) };
  }
  const claimed = turns.find(isClaimed);
  if (claimed === undefined) return null;
  return { turn_id: claimed.turn_id, attempt: claimed.attempt, kind: 'judgement', agent_id: rules.runner };
}

function byAge(a: Turn, b: Turn): number {
  return a.assigned_sequence - b.assigned_sequence || (a.turn_id < b.turn_id ? -1 : 1);
}

/** Returns follow-ups to perform at least once: a restarted runner finds them in the state. */
export function followUpsOf(ask: MoveInput, moved: Outcome): readonly FollowUp[] {
  const { state, rules, seq } = ask;
  const { run } = moved.state;
  const [entry] = moved.history;
  const turn_id = typeof entry?.turn_id === 'string' ? entry.turn_id : (run.blocked_reason?.turn_id ?? null);
  const of = (phase: FollowUpPhase): FollowUp => ({ id: `${phase}:${seq}`, phase, turn_id, seq });
  const isAcceptance = moved.history.length > 0 && moved.events.length > 0;
  const isEscalation = run.status === 'blocked' && state.run.status === 'active';
  return [
    ...(isAcceptance && hasHooks(rules, 'after_acceptance') ? [of('after_acceptance')] : []),
    ...(isEscalation && hasHooks(rules, 'on_escalation') ? [of('on_escalation')] : []),
    ...(moved.events.length > 0 && hasNotifications(rules) ? [of('notification')] : []),
  ];
}

/** Maximum characters of a gate name on a line. */
const MAX_NAME = 64;

export function awaitedOf(run: RunState): Pick<Awaited, 'text' | 'grant'> | null {
  const text = wordsOf(run);
  return text === null ? null : { text, grant: 'approve' };
}

function wordsOf({ status, blocked_on, pending_phase_transition, pending_run_completion }: RunState): string | null {
  if (status === 'blocked') {
    return isQuestion(blocked_on) ? 'a question waits for an answer' : 'a blocked run waits for an answer';
  }
  const pending = status === 'paused' ? (pending_phase_transition ?? pending_run_completion) : null;
  if (pending === null) return null;
  return `${pending.gate === null ? 'a gate' : `gate ${shortName(pending.gate)}`} waits for approval`;
}

function isQuestion(blockedOn: string | null): boolean {
  return blockedOn?.startsWith('human:') === true;
}

/** Puts the name on one line and shortens it without splitting a character. */
function shortName(name: string): string {
  const characters = [...name.replace(/\p{Cc}/gu, ' ')];
  return characters.length <= MAX_NAME ? characters.join('') : `${characters.slice(0, MAX_NAME - 1).join('')}…`;
}

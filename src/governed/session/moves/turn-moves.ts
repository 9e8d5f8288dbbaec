/** A turn goes out, comes along, is handed in, and is sent back. */

import type { Json } from '../../../core/lib/json.ts';
import { digestOf } from '../../engine/lib/digest.ts';
import { own, type Unknowns, without } from '../../engine/lib/unknown-record.ts';
import { notOut, turnOut } from '../../engine/turns/active.ts';
import { assignTurn } from '../../engine/turns/assign.ts';
import { progressTurn, type TurnStep } from '../../turns/progress.ts';
import { rebaseTurn, reissueTurn } from '../../turns/reissue.ts';
import { rejectTurn } from '../../turns/reject.ts';
import { type GitEvidence, gitEvidence, type HookEvidence, hookEvidence, requireHooks } from './evidence.ts';
import { type Ask, no, type Outcome, outcome, ranOn, refusalError } from './move.ts';
import { anyText, anything, json, listOf, object, oneOf, or, orNull, text, whole } from '../state/shape.ts';

const assignment = object<{
  turn_id: string;
  role: string;
  git: GitEvidence | null;
  baseline: Unknowns | null;
  hooks: readonly HookEvidence[];
}>({ turn_id: text, role: text, git: orNull(gitEvidence), baseline: orNull(anything), hooks: hookEvidence });

export function assigned(ask: Ask): Outcome {
  const { turn_id, role, git, baseline, hooks } = assignment(ask.data, '');
  const { state, rules, now } = ask;
  requireHooks(hooks);
  const isClean = git?.is_clean ?? null;
  const acceptedTurns = new Set(state.books.turns);
  const seen = { git: isClean === null ? null : { isClean }, baseline };
  const given = { roleId: role, turnId: turn_id, now, ...seen, acceptedTurns };
  return ranOn(ask, assignTurn(state.run, rules.config, given));
}

const dispatch = object<{ turn_id: string; hooks: readonly HookEvidence[] }>({ turn_id: text, hooks: hookEvidence });

export function dispatched(ask: Ask): Outcome {
  const { turn_id, hooks } = dispatch(ask.data, '');
  requireHooks(hooks);
  return stepped(ask, turn_id, 'dispatched');
}

const STEPS: readonly Exclude<TurnStep, 'dispatched'>[] = ['starting', 'running', 'stalled', 'failed_start'];

const step = object<{ turn_id: string; step: TurnStep }>({ turn_id: text, step: oneOf(STEPS) });

export function progressed(ask: Ask): Outcome {
  const read = step(ask.data, '');
  return stepped(ask, read.turn_id, read.step);
}

function stepped(ask: Ask, turnId: string, to: TurnStep): Outcome {
  return ranOn(ask, progressTurn(ask.state.run, { turnId, step: to, now: ask.now }));
}

const claim = object<{ turn_id: string; attempt: number; result: Json }>({
  turn_id: text,
  attempt: or(whole, 1),
  result: json,
});

/** What an agent says of its turn. The run itself stands where it stood. */
export function claimed({ state, data, seq }: Ask): Outcome {
  const { turn_id, attempt, result } = claim(data, '');
  const turn = turnOut(state.run, turn_id);
  if (turn === null) throw refusalError(notOut(turn_id));
  if (turn.attempt !== attempt) {
    throw no('wrong_attempt', `turn ${turn_id} is at attempt ${turn.attempt}, not ${attempt}`, { turn_id });
  }
  if (own(state.claims, turn_id) !== undefined) {
    throw no('already_claimed', `the result of turn ${turn_id} (attempt ${attempt}) was handed in already`, {
      turn_id,
    });
  }
  return outcome({ ...state, claims: { ...state.claims, [turn_id]: { attempt, seq, digest: digestOf(result) } } });
}

const rejection = object<{
  turn_id: string;
  reason: string;
  stage: string | null;
  errors: readonly string[];
  baseline: Unknowns | null;
}>({ turn_id: text, reason: text, stage: orNull(text), errors: or(listOf(anyText), []), baseline: orNull(anything) });

export function rejected(ask: Ask): Outcome {
  const { turn_id, ...given } = rejection(ask.data, '');
  const { state, rules, now } = ask;
  const changed = rejectTurn(state.run, rules.config, { turnId: turn_id, now, ...given });
  return ranOn(ask, changed, { claims: without(state.claims, turn_id) });
}

const reissue = object<{ turn_id: string; reason: string; baseline: Unknowns | null }>({
  turn_id: text,
  reason: text,
  baseline: orNull(anything),
});

export function reissued(ask: Ask): Outcome {
  const { turn_id: turnId, reason, baseline } = reissue(ask.data, '');
  const { state, rules, now } = ask;
  const changed = reissueTurn(state.run, rules.config, { turnId, reason, now, baseline });
  return ranOn(ask, changed, { claims: without(state.claims, turnId) });
}

const rebase = object<{ turn_id: string; baseline: Unknowns }>({ turn_id: text, baseline: anything });

export function rebased(ask: Ask): Outcome {
  const { turn_id: turnId, baseline } = rebase(ask.data, '');
  return ranOn(ask, rebaseTurn(ask.state.run, { turnId, baseline }));
}

/** A gate waits for a person: the caller is asked, and only a plain yes opens it. */

import type { RunState } from '../../../governed/index.ts';
import { isAborted, type Journey, type Stop, stateNow, stop } from './journey.ts';
import { settled } from './settled.ts';
import type { GateType } from '../../../governed/loop/types.ts';

/** null = it is open, and the run goes on. */
export async function atGate(journey: Journey, state: RunState): Promise<Stop | null> {
  const gateType: GateType = state.pending_phase_transition === null ? 'run_completion' : 'phase_transition';
  await journey.tell.event({ type: 'gate_paused', gateType, state });
  const isWanted = await asked(journey, gateType, state);
  if (isAborted(journey)) return stop('aborted');
  if (!isWanted.yes) return held(journey, gateType, state, isWanted.ok);
  const { runner, root, config } = journey;
  const approved =
    gateType === 'phase_transition'
      ? await runner.approvePhaseGate(root, config)
      : await runner.approveCompletionGate(root, config);
  if (approved.ok) {
    journey.gatesApproved += 1;
    await journey.tell.event({ type: 'gate_approved', gateType, state: approved.state });
    return null;
  }
  const now = await stateNow(journey);
  // Somebody else was faster: what they said counts, and is looked at next.
  if (now !== null && now.status !== 'paused') return null;
  journey.tell.problem(approved.error_code, `the gate could not be approved: ${approved.error}`);
  return held(journey, gateType, now ?? state, false);
}

async function asked(
  { callbacks, patience, tell }: Journey,
  type: GateType,
  state: RunState,
): Promise<{ readonly yes: boolean; readonly ok: boolean }> {
  const said = await settled(() => callbacks.approveGate(type, state), patience);
  if (said.kind === 'done') return { yes: said.value === true, ok: true };
  const why = said.kind === 'threw' ? said.error.message : 'it did not end';
  tell.problem(said.kind === 'threw' ? 'callback_threw' : 'callback_left', `approveGate(${type}): ${why}`);
  return { yes: false, ok: false };
}

async function held(journey: Journey, gateType: GateType, state: RunState, ok: boolean): Promise<Stop> {
  await journey.tell.event({ type: 'gate_held', gateType, state });
  return ok ? stop('gate_held') : stop('gate_held', false);
}

/** Models the phases of a run in order, each with its exit gate. The hub decides which phase is current. */

import { getOwn, isRecord, textOr, textsFrom } from '../../../lib/unknown-record.ts';
import type { RunModel } from './run-model.ts';

/** `waiting`: the gate awaits approval. `ahead`: approval is not requested yet. */
type GateStatus = 'ahead' | 'waiting' | 'passed' | 'failed';

export type GateModel = Readonly<ReturnType<typeof gateShown>>;
export type PhaseModel = Readonly<ReturnType<typeof toPhaseModels>[number]>;
type PhaseStatus = 'done' | 'current' | 'ahead';

/** `config`: the session's `knobs.config`. The keys of its routing are the phases, in order. */
export function toPhaseModels(config: unknown, run: RunModel) {
  const routing = getOwn(config, 'routing');
  const declared = isRecord(routing) ? Object.keys(routing) : [];
  const isKnown = run.phase === null || declared.includes(run.phase);
  // The current phase is shown even if the config does not declare it.
  const names = isKnown || run.phase === null ? declared : [...declared, run.phase];
  const at = run.phase === null ? -1 : names.indexOf(run.phase);
  const isOver = run.status === 'completed';
  return names.map((name, i) => {
    const notPast = i === at ? 'current' : 'ahead';
    const status: PhaseStatus = i < at || (isOver && i <= at) ? 'done' : notPast;
    const gate = textOr(getOwn(getOwn(routing, name), 'exit_gate'), null);
    return { name, status, gate: gate === null ? null : gateShown(config, gate, status, run) };
  });
}

function gateShown(config: unknown, name: string, phase: PhaseStatus, run: RunModel) {
  const declared = getOwn(getOwn(config, 'gates'), name);
  return {
    name,
    status: gateStatus(name, phase, run),
    requirements: requirementsOf(declared),
  };
}

/** A run leaves a phase only through its gate, so a phase that is done has a passed gate. */
function gateStatus(name: string, phase: PhaseStatus, run: RunModel): GateStatus {
  if (phase === 'done') return 'passed';
  if (phase === 'ahead') return 'ahead';
  if (run.pending.some(({ gate }) => gate === name)) return 'waiting';
  return run.last_gate_failure?.gate === name ? 'failed' : 'ahead';
}

function requirementsOf(gate: unknown): readonly string[] {
  const files = textsFrom(getOwn(gate, 'requires_files'));
  return [
    ...(files.length === 0 ? [] : [`files ${files.join(', ')}`]),
    ...(getOwn(gate, 'requires_verification_pass') === true ? ['verification passes'] : []),
    ...(getOwn(gate, 'requires_human_approval') === true ? ['approval'] : []),
    ...(getOwn(gate, 'credentialed') === true ? ['a credential with the approve grant'] : []),
  ];
}

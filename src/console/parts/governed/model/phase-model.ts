/** The phases of a run in their order, each with the gate behind it. Where the run is, only the hub says. */

import { getOwn, isRecord, textOr } from '../../../lib/unknown-record.ts';
import type { RunModel } from './run-model.ts';

/** `waiting`: for approval. `ahead`: nobody has asked for it yet. */
export type GateStatus = 'ahead' | 'waiting' | 'passed' | 'failed';

export interface GateModel {
  readonly name: string;
  readonly status: GateStatus;
  readonly needsApproval: boolean;
  /** What it asks for, in words. */
  readonly asks: readonly string[];
}

export interface PhaseModel {
  readonly name: string;
  readonly status: 'done' | 'current' | 'ahead';
  readonly gate: GateModel | null;
}

/** `config`: what the session was created with (`knobs.config`); the order of the keys of its routing is that of the phases. */
export function toPhaseModels(config: unknown, run: RunModel): readonly PhaseModel[] {
  const routing = getOwn(config, 'routing');
  const declared = isRecord(routing) ? Object.keys(routing) : [];
  const isKnown = run.phase === null || declared.includes(run.phase);
  // A phase that is nowhere declared is where the run is, all the same.
  const names = isKnown || run.phase === null ? declared : [...declared, run.phase];
  const at = run.phase === null ? -1 : names.indexOf(run.phase);
  const isOver = run.status === 'completed';
  return names.map((name, i) => {
    const status = i < at || (isOver && i <= at) ? 'done' : i === at ? 'current' : 'ahead';
    const gate = textOr(getOwn(getOwn(routing, name), 'exit_gate'), null);
    return { name, status, gate: gate === null ? null : gateShown(config, gate, status, run) };
  });
}

function gateShown(config: unknown, name: string, phase: PhaseModel['status'], run: RunModel): GateModel {
  const declared = getOwn(getOwn(config, 'gates'), name);
  return {
    name,
    status: gateStatus(name, phase, run),
    needsApproval: getOwn(declared, 'requires_human_approval') === true,
    asks: asksOf(declared),
  };
}

/** A phase is left through its gate alone, so the gate of a phase that is done was passed. */
function gateStatus(name: string, phase: PhaseModel['status'], run: RunModel): GateStatus {
  if (phase === 'done') return 'passed';
  if (phase === 'ahead') return 'ahead';
  if (run.pending.some(({ gate }) => gate === name)) return 'waiting';
  return run.last_gate_failure?.gate === name ? 'failed' : 'ahead';
}

function asksOf(gate: unknown): readonly string[] {
  const files = getOwn(gate, 'requires_files');
  const named = Array.isArray(files) ? files.filter((one) => typeof one === 'string') : [];
  return [
    ...(named.length === 0 ? [] : [`files ${named.join(', ')}`]),
    ...(getOwn(gate, 'requires_verification_pass') === true ? ['verification passes'] : []),
    ...(getOwn(gate, 'requires_human_approval') === true ? ['approval'] : []),
    ...(getOwn(gate, 'credentialed') === true ? ['a credential that may'] : []),
  ];
}
